/** Errors as servers describe them in an answer. */
import * as z from 'zod';
import { lazyObject } from '../../protocol/lazyObject.ts';
import { isJsonObject, parseJson } from '../util/json.ts';

const serverErrorSchema = lazyObject(() => ({
  code: z.union([z.string(), z.number()]).nullish().catch(undefined),
  type: z.string().nullish().catch(undefined),
  message: z.string().nullish().catch(undefined),
  param: z.string().nullish().catch(undefined),
  resets_at: z.number().nullish().catch(undefined),
  resets_in_seconds: z.number().nullish().catch(undefined),
}));
export type ServerError = z.infer<typeof serverErrorSchema>;

/**
 * The error in a JSON document of any of the shapes that servers use: `{error: {…}}`, `{error: "…"}`, `{message}`,
 * `{detail}`, `{errors: […]}`, `{base_resp: {status_code, status_msg}}`, or one of these as the only element of a list;
 * an empty one when there is none.
 */
export function serverErrorIn(answer: unknown): ServerError {
  const document: unknown = Array.isArray(answer) ? answer[0] : answer;
  if (typeof document === 'string') return { message: plainWords(document) };
  if (!isJsonObject(document)) return {};
  const { error, errors, detail } = document;
  if (typeof error === 'string') {
    return { ...serverErrorIn({ ...document, error: undefined }), message: plainWords(error) };
  }
  const inner: unknown = error ?? (Array.isArray(errors) ? errors[0] : undefined);
  if (isJsonObject(inner)) return readError(inner);
  const { base_resp } = document;
  if (isJsonObject(base_resp)) return readError({ code: base_resp['status_code'], message: base_resp['status_msg'] });
  const own = readError(document);
  if (own.message || detail === undefined) return own;
  return { ...own, message: typeof detail === 'string' ? detail : JSON.stringify(detail) };
}

/** Some gateways have the list of a validator as the message. */
function readError(error: Readonly<Record<string, unknown>>): ServerError {
  const { message } = error;
  const isList = typeof message === 'object' && message !== null;
  return withCause(serverErrorSchema.parse(isList ? { ...error, message: JSON.stringify(message) } : error), error);
}

/** OpenRouter says only “Provider returned error”; the answer of the server behind it is in `metadata.raw`. */
function withCause(error: ServerError, { metadata }: Readonly<Record<string, unknown>>): ServerError {
  const raw = isJsonObject(metadata) ? metadata['raw'] : undefined;
  if (typeof raw !== 'string' || raw === '') return error;
  const cause = serverErrorIn(parseJson(raw) ?? raw);
  const type = error.type ?? (typeof cause.code === 'string' ? cause.code : cause.type);
  return { ...error, type, message: [error.message, cause.message ?? raw].filter(Boolean).join(': ') };
}

const MARKUP = /^\s*<(?:!doctype|\?xml|html|head|body|title|center|h\d|p|pre)\b/i;

/** The visible text, if it is a page of HTML. */
export function plainWords(text: string): string {
  if (!MARKUP.test(text)) return text;
  const page = text.slice(0, LONGEST_PAGE);
  const [, title] = /<title[^<>]*>([^<]+)/i.exec(page) ?? [];
  const body = page.replaceAll(/<(script|style)\b[^<>]*>[^<]*|<[^<>]*>/gi, ' ');
  return (title ?? body).replaceAll(/\s+/g, ' ').trim();
}

/** True for text that begins like HTML or XML, as neither JSON nor an event stream does. */
export function isPage(text: string): boolean {
  return /^\s*</.test(text);
}

const LONGEST_PAGE = 10_000;
