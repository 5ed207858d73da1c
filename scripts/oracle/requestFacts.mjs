// Reduces a Responses request to comparable facts: prose and ids are replaced by their kinds, everything else is kept.

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/;

/** Returns the facts of a request by name. A field that the request does not have is left out. */
export function factsOf({ instructions, input, tools, prompt_cache_key: key, client_metadata, ...fields }) {
  return {
    ...fields,
    ...(instructions === undefined ? {} : { instructions: 'prose' }),
    ...(client_metadata === undefined ? {} : { client_metadata: 'present' }),
    prompt_cache_key: UUID_7.test(key) ? 'a UUID of version 7' : key,
    ...inputFacts(input),
    ...toolFacts(tools),
  };
}

/** The kinds of prompt parts, recognized by their first characters. */
const KINDS = [
  ['permissions', /^<permissions/],
  ['agents', /^# AGENTS\.md instructions/],
  ['environment', /^<environment_context>/],
  ['skills', /^<skills_instructions>/],
  ['plugins', /^<plugins_instructions>|^<apps_instructions>/],
  ['tools', /^<tools>|^<deferred_tools|^Deferred/],
  ['base instructions', /^You are /],
];

function inputFacts(input) {
  const parts = input.flatMap((item) =>
    item.content.map((part) => ({ role: item.role, type: part.type, text: part.text, kind: kindOf(part.text) })),
  );
  const agents = parts.find(({ kind }) => kind === 'agents');
  const environment = parts.find(({ kind }) => kind === 'environment');
  return {
    'input: parts': parts.map(({ role, type, kind }) => `${role} ${type} ${kind}`),
    'input: parts of each item': input.map(({ content }) => content.length),
    'input: keys of an item': Object.keys(input.at(-1)).toSorted(),
    'input: the last words': input.at(-1).content,
    'input: AGENTS.md': agents?.text,
    ...Object.fromEntries(environmentFacts(environment?.text ?? '')),
  };
}

function kindOf(text) {
  const known = KINDS.find(([, pattern]) => pattern.test(text));
  if (known) return known[0];
  return text.startsWith('<') ? text.slice(0, text.indexOf('>') + 1) : 'words';
}

/** Returns the fields of the environment in either format. If a field has content, only its presence is a fact. */
function environmentFacts(text) {
  return [...text.matchAll(/^ {2}<(\w+)>(?:([^<\n]*)<\/\1>$)?/gm)].map(([, name, value]) => [
    `input: environment ${name}`,
    name === 'timezone' ? canonicalZone(value) : (value ?? 'present'),
  ]);
}

/** Returns the canonical name of a time zone: `Etc/UTC` and `UTC` are the same zone. */
function canonicalZone(timeZone) {
  return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
}

function toolFacts(tools) {
  const named = tools.map((tool) => ({ ...tool, name: tool.name ?? tool.type }));
  return {
    'tools: order': named.map(({ name }) => name),
    ...Object.assign({}, ...named.map(toolFact)),
  };
}

function toolFact({ name, type, strict, parameters, format }) {
  const where = `tools: ${name}`;
  return {
    [where]: type,
    ...(strict === undefined ? {} : { [`${where}, strict`]: strict }),
    ...(format === undefined ? {} : { [`${where}, grammar`]: { type: format.type, syntax: format.syntax } }),
    ...(parameters === undefined
      ? {}
      : {
          [`${where}, parameters`]: Object.entries(parameters.properties)
            .map(([key, { type }]) => `${key}: ${type}`)
            .toSorted(),
          [`${where}, required`]: (parameters.required ?? []).toSorted(),
          [`${where}, others`]: parameters.additionalProperties,
        }),
  };
}
