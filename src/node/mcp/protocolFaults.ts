/** Messages of a server that do not follow JSON-RPC or MCP: repaired where the meaning is clear, else put in a sentence. */
import * as z from 'zod';

/** JSON-RPC: an internal error. */
const INTERNAL_ERROR = -32_603;

type Message = Readonly<Record<string, unknown>>;

/**
 * A message as the SDK takes it, which drops a response that is not valid, so that its call would wait until the time-out. `null`
 * beside the other of `result` and `error` is left out; what cannot be read is an error that says so.
 */
export function readableResponse(message: Message): Message {
  if (!('id' in message) || 'method' in message || (!('result' in message) && !('error' in message))) return message;
  const { result, error, ...rest } = message;
  if (error === undefined || error === null) {
    return isObject(result) ? { ...rest, result } : failed(rest, 'Its answer is not an object.');
  }
  const quoted = () => `It failed: ${JSON.stringify(error).slice(0, MAX_QUOTED)}`;
  if (!isObject(error)) return failed(rest, quoted());
  const { code, message: text, ...data } = error;
  const said = typeof text === 'string' ? text : quoted();
  return { ...rest, error: { ...data, code: Number.isInteger(code) ? code : INTERNAL_ERROR, message: said } };
}

/** Characters of an error that are quoted. */
const MAX_QUOTED = 500;

function failed(rest: Message, message: string): Message {
  return { ...rest, error: { code: INTERNAL_ERROR, message } };
}

function isObject(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly errors?: readonly (readonly Issue[])[] | undefined;
}

const issueSchema: z.ZodType<Issue> = z.object({
  path: z.array(z.union([z.string(), z.number()])),
  message: z.string(),
  errors: z.array(z.array(z.lazy(() => issueSchema))).optional(),
});

/** Replaces the issues of zod, which the SDK prints as JSON over many lines, by the first one as a clause. */
export function inOneSentence(message: string): string {
  const [, before = '', json = ''] = /^([^[]*)(\[\s*\{[\s\S]*\}\s*\])$/.exec(message) ?? [];
  const [issue] = issuesIn(json);
  if (issue === undefined) return message;
  const { path, message: what } = mostTelling(issue);
  const start = before === '' ? 'Its answer does not follow the protocol: ' : before;
  return `${start}${path.length > 0 ? `${path.join('.')}: ` : ''}${what}.`;
}

function issuesIn(json: string): readonly Issue[] {
  if (json === '') return [];
  try {
    return z.array(issueSchema).catch([]).parse(JSON.parse(json));
  } catch {
    return [];
  }
}

/** Returns the first issue of the form of a union that has the right type, so that only a part of it is wrong. */
function mostTelling(issue: Issue): Pick<Issue, 'path' | 'message'> {
  const forms = issue.errors ?? [];
  const [first] = forms.find((form) => form.every(({ path }) => path[0] !== 'type')) ?? [];
  if (first === undefined) return issue;
  const { path, message } = mostTelling(first);
  return { path: [...issue.path, ...path], message };
}
