/**
 * The rules of Anthropic's server for a Messages request, each with the text of its error
 * (platform.claude.com/docs/en/api/messages/create; github.com/anthropics/claude-code/issues for the texts).
 */
type Json = Readonly<Record<string, unknown>>;

const FIELDS = new Set([
  'model',
  'max_tokens',
  'system',
  'messages',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'stream',
]);
const MOST_MARKS = 4;

/** Returns a sentence for each violated rule. If `body` is undefined, only the messages are checked. */
export function messagesBreaches(messages: readonly Json[], body?: Json): readonly string[] {
  const breaches: string[] = [];
  if (messages.length === 0) breaches.push('messages: at least one message is required');
  const ids = new Set<string>();
  messages.forEach((message, at) => {
    const { role } = message;
    const content = blocksIn(message);
    const expected = at % 2 === 0 ? 'user' : 'assistant';
    if (role !== expected) breaches.push(`messages.${at}: roles must alternate, expected ${expected}`);
    if (content.length === 0) breaches.push(`messages.${at}: messages must have non-empty content`);
    const before = blocksIn(messages[at - 1] ?? {});
    breaches.push(...resultBreaches(before, content, at));
    content.forEach((block, place) => {
      breaches.push(...blockBreaches(block, role, ids).map((breach) => `messages.${at}.content.${place}: ${breach}`));
    });
  });
  const last = messages.at(-1);
  if (last?.['role'] === 'assistant') breaches.push('the conversation must end with a user message (no prefill)');
  if (body) breaches.push(...bodyBreaches(messages, body));
  return breaches;
}

function blocksIn(message: Json): readonly Json[] {
  const { content } = message;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? (content as readonly Json[]) : [];
}

/** Checks that the next message begins with exactly one result for each call of a message. */
function resultBreaches(before: readonly Json[], content: readonly Json[], at: number): readonly string[] {
  const breaches: string[] = [];
  const owed = new Set(before.filter(({ type }) => type === 'tool_use').map(({ id }) => id));
  let isBehind = false;
  for (const block of content) {
    if (block['type'] !== 'tool_result') {
      isBehind = true;
      continue;
    }
    const id = block['tool_use_id'];
    if (!owed.delete(id))
      breaches.push(`messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}`);
    if (isBehind) breaches.push(`messages.${at}: \`tool_result\` blocks must come first`);
  }
  for (const id of owed) {
    breaches.push(
      `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${String(id)}`,
    );
  }
  return breaches;
}

function blockBreaches(block: Json, role: unknown, ids: Set<string>): readonly string[] {
  const breaches: string[] = [];
  const { type } = block;
  const isMarked = block['cache_control'] !== undefined;
  switch (type) {
    case 'text':
      if (isBlank(block['text'])) breaches.push('text content blocks must contain non-whitespace text');
      break;
    case 'thinking':
    case 'redacted_thinking':
      if (role !== 'assistant') breaches.push(`${type} of the user`);
      if (isMarked) breaches.push(`${type}.cache_control: Extra inputs are not permitted`);
      if (type === 'thinking' && !block['signature']) breaches.push('thinking.signature: Field required');
      if (type === 'redacted_thinking' && !block['data']) breaches.push('redacted_thinking.data: Field required');
      break;
    case 'tool_use': {
      const id = String(block['id']);
      if (role !== 'assistant') breaches.push('tool_use of the user');
      if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(block['name'])))
        breaches.push('tool_use.name: String should match pattern');
      if (!/^[a-zA-Z0-9_-]+$/.test(id)) breaches.push(`tool_use.id: String should match pattern: ${id}`);
      if (ids.has(id)) breaches.push(`\`tool_use\` ids must be unique: ${id}`);
      ids.add(id);
      if (!isObject(block['input'])) breaches.push('tool_use.input: Input should be a valid dictionary');
      break;
    }
    case 'tool_result':
      if (role !== 'user') breaches.push('tool_result of the assistant');
      if (Array.isArray(block['content'])) {
        for (const part of block['content'] as readonly Json[]) breaches.push(...blockBreaches(part, role, ids));
      }
      break;
    case 'image': {
      const source = block['source'] as Json | undefined;
      const isKnown = source?.['type'] === 'url' ? source['url'] : source?.['media_type'] && source['data'];
      if (!isKnown) breaches.push('image.source: Input should be base64 or url');
      break;
    }
    default:
      breaches.push(`Input tag '${String(type)}' does not match any of the expected tags`);
  }
  return breaches;
}

function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function bodyBreaches(messages: readonly Json[], body: Json): readonly string[] {
  const breaches: string[] = [];
  for (const name of Object.keys(body)) {
    if (!FIELDS.has(name)) breaches.push(`${name}: Extra inputs are not permitted`);
  }
  const maxTokens = body['max_tokens'];
  if (!Number.isInteger(maxTokens) || Number(maxTokens) < 1) breaches.push('max_tokens: Field required');
  const marks = JSON.stringify(body).split('"cache_control":').length - 1;
  if (marks > MOST_MARKS)
    breaches.push(`A maximum of ${MOST_MARKS} blocks with cache_control may be provided. Found ${marks}.`);
  breaches.push(...toolBreaches((body['tools'] ?? []) as readonly Json[]));
  for (const block of (body['system'] ?? []) as readonly Json[]) {
    if (isBlank(block['text'])) breaches.push('system: text content blocks must be non-empty');
  }
  breaches.push(...thinkingBreaches(messages, body));
  return breaches;
}

function toolBreaches(tools: readonly Json[]): readonly string[] {
  const breaches: string[] = [];
  const names = new Set<unknown>();
  for (const { name, input_schema: schema } of tools) {
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(name)))
      breaches.push(`tools: String should match pattern: ${String(name)}`);
    if (names.has(name)) breaches.push(`tools: Tool names must be unique: ${String(name)}`);
    names.add(name);
    const fields = (schema ?? {}) as Json;
    if (fields['type'] !== 'object')
      breaches.push(`tools: input_schema.type of ${String(name)}: Input should be 'object'`);
    for (const key of ['oneOf', 'allOf', 'anyOf']) {
      if (key in fields) breaches.push(`tools: input_schema does not support ${key} at the top level`);
    }
  }
  return breaches;
}

function thinkingBreaches(messages: readonly Json[], body: Json): readonly string[] {
  const thinking = body['thinking'] as Json | undefined;
  const type = thinking?.['type'];
  const last = blocksIn(messages.findLast(({ role }) => role === 'assistant') ?? {});
  const hasThinking = last.some((block) => String(block['type']).endsWith('thinking'));
  if (type === undefined || type === 'disabled') {
    // Models of other services may send reasoning without a request, and need it back.
    return hasThinking && String(body['model']).startsWith('claude')
      ? ['When thinking is disabled, the final assistant message cannot contain `thinking`']
      : [];
  }
  if (type !== 'enabled') return [];
  const budget = Number(thinking?.['budget_tokens']);
  const breaches: string[] = [];
  if (!(budget >= 1024)) breaches.push('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  if (budget >= Number(body['max_tokens'])) breaches.push('`max_tokens` must be greater than `thinking.budget_tokens`');
  const continues = blocksIn(messages.at(-1) ?? {}).some((block) => block['type'] === 'tool_result');
  if (continues && !turnBegins(messages)) {
    breaches.push('Expected `thinking` or `redacted_thinking`, but found `tool_use`');
  }
  return breaches;
}

/** Returns true if the answer with the calls of the last results began with reasoning. */
function turnBegins(messages: readonly Json[]): boolean {
  const isResult = (message: Json | undefined) => blocksIn(message ?? {}).some(({ type }) => type === 'tool_result');
  let at = messages.length - 2;
  while (at >= 2 && isResult(messages[at - 1])) at -= 2;
  return messages.slice(at).some((message) => String(blocksIn(message)[0]?.['type']).endsWith('thinking'));
}
