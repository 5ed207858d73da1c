/** Threads as a list shows them: read from their rollouts, without taking them up. */
import * as z from 'zod';

/** How the last turn of a thread stands on disk; `open` and `waiting` mean cut unless a process owns the thread. */
export const lastTurnSchema = z.enum(['none', 'open', 'waiting', 'completed', 'failed', 'interrupted', 'crashed']);
export type LastTurn = z.infer<typeof lastTurnSchema>;

export const threadSummarySchema = z.object({
  id: z.string(),
  /** The rollout, relative to TILLER_HOME. */
  path: z.string(),
  /** The name given to it, else the first line of the first message. */
  title: z.string().nullable(),
  /** The beginning of what the person said last. */
  preview: z.string(),
  /** Of the last turn. */
  model: z.string(),
  provider: z.string(),
  originator: z.string(),
  /** Where the last turn worked. */
  cwd: z.string(),
  /** Folders that were open when it began. */
  folders: z.array(z.string()),
  /** `host/path` of the git remote of the folder it began in. */
  remote: z.string().nullable(),
  /** ISO 8601. */
  startedAt: z.string(),
  /** Of the last line. */
  updatedAt: z.string(),
  /** End of the last turn that ended. */
  endedAt: z.string().nullable(),
  turns: z.number(),
  /** Sum over all requests. */
  tokens: z.number(),
  lastTurn: lastTurnSchema,
  forkedFrom: z.string().nullable(),
  /** Of a sub-agent: the thread that started it. Absent in an index that an earlier version has written. */
  parentId: z.string().nullable().default(null),
});
export type ThreadSummary = z.infer<typeof threadSummarySchema>;

/** What a list knows beside the rollout. */
export interface ThreadListEntry extends ThreadSummary {
  /** `running` and `waiting` (for an answer) only while a process owns the thread. */
  readonly status: 'running' | 'waiting' | 'resting';
  /** Its last turn ended after it was last looked at. A thread that no window has shown is not unread. */
  readonly unread: boolean;
  readonly owner: 'nobody' | 'this_process' | 'another_process';
  /** `moved`: the folder it worked in is gone, and one that is open is a clone of the same repository. */
  readonly place: 'here' | 'moved' | 'elsewhere';
}

/** One place in a thread where a text was found. */
export interface ThreadSearchHit {
  readonly threadId: string;
  /** The item to scroll to; `null` when the title matched. */
  readonly itemId: string | null;
  /** One line around the match. */
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

/** Another process that holds a thread. */
export interface ThreadOwner {
  readonly pid: number;
  /** What it is: `vscode` or `cli`. */
  readonly name: string;
  /** ISO 8601. */
  readonly since: string;
}

/** Why a thread can be looked at but not continued. */
export type ReadOnlyReason =
  | { readonly type: 'owned'; readonly owner: ThreadOwner }
  | { readonly type: 'newer_format'; readonly version: number }
  /** Nobody could answer in it. */
  | { readonly type: 'no_model' };
