/**
 * The lines of a rollout: one thread on disk, append-only JSONL (codex-behaviour.md §10).
 *
 * Line 1 contains the format. Readers skip unknown types, so a newer Tiller may add some.
 */
import * as z from 'zod';
import { eventMsgSchema, turnSettingsSchema } from '../../protocol/event.ts';
import { responseItemSchema } from '../../protocol/responseItem.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

export const ROLLOUT_FORMAT = 'tiller-rollout';
export const ROLLOUT_VERSION = 1;

export const sessionMetaSchema = lazyObject(() => ({
  format: z.literal(ROLLOUT_FORMAT),
  version: z.number().int(),
  id: z.string(),
  /** ISO 8601 of the thread's start. */
  timestamp: z.string(),
  cwd: z.string(),
  originator: z.enum(['vscode', 'cli', 'sub_agent']),
  tiller_version: z.string(),
  model: z.string(),
  provider: z.string(),
  instructions: z.string(),
  forked_from_id: z.string().optional(),
  /** The parent thread of a sub-agent. */
  parent_id: z.string().optional(),
  /**
   * The restrictions that a sub-agent, or a root thread that works as an agent, was started with, so that it has the same when
   * it is opened again.
   */
  agent: z
    .object({
      role: z.string(),
      /** The names of its tools; absent: those of its parent. */
      tools: z.array(z.string()).optional(),
      /** Names that are taken away from these; `*` takes all. */
      without: z.array(z.string()).optional(),
      /** Its commands and patches change no file. */
      read_only: z.boolean().optional(),
    })
    .optional(),
  /** The id of the imported thread: `codex:<id>`. */
  imported_from: z.string().optional(),
  /** The workspace folders that were open. */
  workspace_folders: z.array(z.string()).optional(),
  git: z
    .object({ branch: z.string().optional(), commit: z.string().optional(), remote: z.string().optional() })
    .optional(),
}));
export type SessionMeta = z.infer<typeof sessionMetaSchema>;

/** An event without the fields that the line and the thread already contain. */
export const recordedEventSchema = lazyObject(() => ({
  turnId: z.string().nullable(),
  submissionId: z.string().nullable(),
  msg: eventMsgSchema,
}));
export type RecordedEvent = z.infer<typeof recordedEventSchema>;

export const compactedSchema = lazyObject(() => ({
  /** The summary. */
  message: z.string(),
  /**
   * The `compaction` item: the line takes effect when that item is completed, so that a crash between the two leaves the
   * history as it was. Absent in imported threads, where it takes effect at once.
   */
  item_id: z.string().optional(),
  replacement_history: z.array(responseItemSchema),
}));
export type Compacted = z.infer<typeof compactedSchema>;

export type RolloutEntry =
  | { readonly type: 'session_meta'; readonly payload: SessionMeta }
  | { readonly type: 'turn_context'; readonly payload: z.infer<typeof turnSettingsSchema> }
  | { readonly type: 'response_item'; readonly payload: z.infer<typeof responseItemSchema> }
  | { readonly type: 'event_msg'; readonly payload: RecordedEvent }
  | { readonly type: 'compacted'; readonly payload: Compacted };

export const payloadSchemas = {
  session_meta: sessionMetaSchema,
  turn_context: turnSettingsSchema,
  response_item: responseItemSchema,
  event_msg: recordedEventSchema,
  compacted: compactedSchema,
} as const satisfies Record<RolloutEntry['type'], z.ZodType>;
