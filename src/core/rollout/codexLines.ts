/** The lines of a Codex rollout, as far as Tiller uses them (codex-behaviour.md §10). */
import * as z from 'zod';
import { type ResponseItem, responseItemSchema } from '../../protocol/responseItem.ts';
import { lazyLooseObject } from '../../protocol/lazyObject.ts';

const metaSchema = lazyLooseObject(() => ({
  id: z.string(),
  cwd: z.string().optional(),
  timestamp: z.string().optional(),
  model_provider: z.string().nullish(),
  git: z.looseObject({ repository_url: z.string().nullish(), branch: z.string().nullish() }).nullish(),
}));
export type CodexMeta = z.infer<typeof metaSchema>;

const usageSchema = lazyLooseObject(() => ({
  input_tokens: z.number(),
  cached_input_tokens: z.number().default(0),
  output_tokens: z.number(),
  reasoning_output_tokens: z.number().default(0),
  total_tokens: z.number(),
}));
const turnContextSchema = lazyLooseObject(() => ({ cwd: z.string().optional(), model: z.string().optional() }));
const compactedSchema = lazyLooseObject(() => ({
  message: z.string(),
  replacement_history: z.array(z.unknown()).nullish(),
}));
const tokenCountSchema = lazyLooseObject(() => ({
  info: z.looseObject({
    total_token_usage: usageSchema,
    last_token_usage: usageSchema,
    model_context_window: z.number().nullish(),
  }),
}));

export type CodexLine =
  | { readonly type: 'meta'; readonly at: string; readonly meta: CodexMeta }
  | { readonly type: 'context'; readonly at: string; readonly context: z.infer<typeof turnContextSchema> }
  | { readonly type: 'item'; readonly at: string; readonly item: ResponseItem }
  | {
      readonly type: 'compacted';
      readonly at: string;
      readonly message: string;
      readonly history: ResponseItem[] | null;
    }
  | { readonly type: 'tokens'; readonly at: string; readonly info: z.infer<typeof tokenCountSchema>['info'] }
  | { readonly type: 'aborted'; readonly at: string }
  /** Repeated in another line, or only relevant to Codex. */
  | { readonly type: 'other' };

/**
 * Returns `undefined` for a line that cannot be read. Files of 2025 contain items without an envelope; those are read
 * too.
 */
export function readCodexLine(text: string): CodexLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const line = z.looseObject({
    timestamp: z.string().default(''),
    type: z.string().default(''),
    payload: z.unknown().optional(),
  });
  const parsed = line.safeParse(value);
  if (!parsed.success) return undefined;
  const { timestamp: at, type, payload } = parsed.data;
  if (payload === undefined) return readBare(value, at);
  switch (type) {
    case 'session_meta': {
      const meta = metaSchema.safeParse(payload);
      return meta.success ? { type: 'meta', at: at || (meta.data.timestamp ?? ''), meta: meta.data } : undefined;
    }
    case 'turn_context': {
      const context = turnContextSchema.safeParse(payload);
      return context.success ? { type: 'context', at, context: context.data } : undefined;
    }
    case 'response_item':
      return readItem(payload, at);
    case 'compacted': {
      const compacted = compactedSchema.safeParse(payload);
      if (!compacted.success) return undefined;
      const { message, replacement_history: history } = compacted.data;
      return {
        type: 'compacted',
        at,
        message,
        history: history ? history.flatMap((item) => itemOf(item) ?? []) : null,
      };
    }
    case 'event_msg':
      return readEvent(payload, at);
    default:
      return { type: 'other' };
  }
}

function readBare(value: unknown, at: string): CodexLine | undefined {
  const meta = metaSchema.safeParse(value);
  if (meta.success && !('type' in meta.data)) return { type: 'meta', at, meta: meta.data };
  return typeof value === 'object' && value !== null && 'type' in value ? readItem(value, at) : { type: 'other' };
}

function readEvent(payload: unknown, at: string): CodexLine {
  const event = z.looseObject({ type: z.string() }).safeParse(payload);
  if (event.data?.type === 'turn_aborted') return { type: 'aborted', at };
  const tokens = event.data?.type === 'token_count' ? tokenCountSchema.safeParse(payload) : undefined;
  return tokens?.success ? { type: 'tokens', at, info: tokens.data.info } : { type: 'other' };
}

/** Returns `undefined` for an item of a known type in an unknown form, because then content is missing. */
function readItem(payload: unknown, at: string): CodexLine | undefined {
  const item = itemOf(payload);
  if (item !== undefined) return { type: 'item', at, item };
  return knownItemSchema.safeParse(payload).success ? undefined : { type: 'other' };
}

const knownItemSchema = lazyLooseObject(() => ({
  type: z.enum(responseItemSchema.options.map((option) => option.shape.type.value)),
}));

/** An output of 2025 may be an object that contains the text. */
function itemOf(payload: unknown): ResponseItem | undefined {
  const wrapped = z.looseObject({ output: z.looseObject({ content: z.string() }) }).safeParse(payload);
  const item = wrapped.success ? { ...wrapped.data, output: wrapped.data.output.content } : payload;
  return responseItemSchema.safeParse(item).data;
}
