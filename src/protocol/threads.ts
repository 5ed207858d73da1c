/** Threads for lists: read from their rollouts without resuming them. */
import * as z from 'zod';
import { lazyObject } from './lazyObject.ts';

/**
 * The state of the last turn on disk. `open` and `waiting` mean that the turn was cut off, unless a process owns the
 * thread.
 */
export const lastTurnSchema = z.enum(['none', 'open', 'waiting', 'completed', 'failed', 'interrupted', 'crashed']);
export type LastTurn = z.infer<typeof lastTurnSchema>;

export const threadSummarySchema = lazyObject(() => ({
  id: z.string(),
  /** The rollout, relative to TILLER_HOME. */
  path: z.string(),
  /** The name that the user gave, otherwise a title from the first message with content. */
  title: z.string().nullable(),
  /** The beginning of the user's last message. */
  preview: z.string(),
  /** The model of the last turn. */
  model: z.string(),
  provider: z.string(),
  originator: z.string(),
  /** The working directory of the last turn. */
  cwd: z.string(),
  /** The workspace folders that were open when it started. */
  folders: z.array(z.string()),
  /** `host/path` of the git remote of the folder that it started in. */
  remote: z.string().nullable(),
  /** ISO 8601. */
  startedAt: z.string(),
  /** The time of the last line of the rollout. */
  updatedAt: z.string(),
  /** The end of the last turn that has ended. */
  endedAt: z.string().nullable(),
  turns: z.number(),
  /** The number of tokens of all requests. */
  tokens: z.number(),
  lastTurn: lastTurnSchema,
  forkedFrom: z.string().nullable(),
  /** The parent thread of a sub-agent. Absent in an index written by an earlier version. */
  parentId: z.string().nullable().default(null),
}));
export type ThreadSummary = z.infer<typeof threadSummarySchema>;

/** A thread in a list: its summary, and the state that is not in the rollout. */
export interface ThreadListEntry extends ThreadSummary {
  /** `running` and `waiting` (for an answer) only while a process owns the thread. */
  readonly status: 'running' | 'waiting' | 'resting';
  /**
   * True if its last turn ended after the thread was last displayed. A thread that was never displayed is not unread.
   */
  readonly unread: boolean;
  /** True if the user has pinned the thread. */
  readonly pinned: boolean;
  readonly owner: 'nobody' | 'this_process' | 'another_process';
  /**
   * The place of the thread's folder. `here`: it is open; `moved`: it no longer exists, and an open folder is a clone
   * of the same repository; `elsewhere`: all others.
   */
  readonly place: 'here' | 'moved' | 'elsewhere';
}

/** One match of a text search in a thread. */
export interface ThreadSearchHit {
  readonly threadId: string;
  /** The item to scroll to; `null` when the title matched. */
  readonly itemId: string | null;
  /** The line around the match. */
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

/** The process that owns a thread. */
export interface ThreadOwner {
  readonly pid: number;
  /** The program that owns the thread: `vscode` or `cli`. */
  readonly name: string;
  /** ISO 8601. */
  readonly since: string;
}

/** The reason why a thread can be read but not continued. */
export type ReadOnlyReason =
  | { readonly type: 'owned'; readonly owner: ThreadOwner }
  | { readonly type: 'newer_format'; readonly version: number }
  /** No model is available. */
  | { readonly type: 'no_model' };

/** The place of a thread. `deleted`: in the trash; `gone`: neither in the list nor in the trash. */
export type ThreadWhereabouts = 'listed' | 'deleted' | 'gone';
