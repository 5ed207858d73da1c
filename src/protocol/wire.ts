/**
 * The wire between the extension host and its webview.
 *
 * Down come a snapshot and then every later event; up go ops and requests that only the host can fulfil. Both ends carry
 * the build id: a webview of another build reloads itself instead of guessing.
 */
import * as z from 'zod';
import type { QueuedEdit } from './draft.ts';
import { opSchema } from './op.ts';
import {
  type ApprovalPolicy,
  type SandboxMechanism,
  type ChatMode,
  type ReviewSetting,
  type Rule,
  ruleSchema,
  type SandboxPolicy,
} from './policy.ts';
import type { ReviewState } from './review.ts';
import type { RulePreview } from './rules.ts';
import type { PanelEvent, ThreadState } from './thread.ts';
import type { ReadOnlyReason } from './threads.ts';

/** What the panel needs to know beside the thread. */
export interface PanelSettings {
  readonly model: string | null;
  readonly models: readonly { readonly id: string; readonly label: string; readonly detail?: string }[];
  readonly mode: ChatMode | null;
  readonly approvalPolicy: ApprovalPolicy;
  readonly sandboxPolicy: SandboxPolicy;
  readonly box: SandboxMechanism;
  /** Why there is none where the policy wants one. */
  readonly noBoxCause?: string | undefined;
  /** What was moved out of the workspace and can be put back. */
  readonly quarantined: readonly string[];
  readonly review: ReviewSetting;
  readonly fontSize: number | null;
  readonly fontFamily: string | null;
  /** Raw reasoning is shown only where the person asked for it. */
  readonly showRawReasoning: boolean;
  readonly trusted: boolean;
  readonly hasWorkspace: boolean;
  /** "demo (scripted)" wherever the embedded model shows (design decision 3). */
  readonly demo: boolean;
  /** The folder's name, for the empty state. */
  readonly workspaceName?: string;
  /** Offered in the empty state with one click; set with the demo model. */
  readonly demoTask?: string;
}

/** What may be done with the thread that is shown. `taken`: another window has just taken it from this one. */
export type ThreadAccess =
  | { readonly type: 'own' }
  | { readonly type: 'read_only'; readonly reason: ReadOnlyReason['type']; readonly taken: boolean };

/** One line of the list of threads. */
export interface ThreadRow {
  readonly id: string;
  readonly title: string | null;
  /** `unread`: it ended while another one was shown. */
  readonly status: 'waiting' | 'running' | 'unread' | 'idle';
  /** What it waits for, or the words that were searched for, with some around them. */
  readonly note: string | null;
  /** ISO 8601. */
  readonly updatedAt: string;
  readonly model: string;
  /** Over all its requests. */
  readonly tokens: number;
  /** The folder's name. */
  readonly place: string;
}

const recoveryChoiceSchema = z.enum(['put_back', 'finish']);
/** Every file as it was before a patch that was interrupted, or as the patch wanted it. */
export type RecoveryChoice = z.infer<typeof recoveryChoiceSchema>;

/** A patch that a crash left half landed: the person says what becomes of it (design decision 4). */
export interface InterruptedPatch {
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Of all its files; `files` may be the first of them. */
  readonly count: number;
  readonly files: readonly { readonly path: string; readonly kind: 'add' | 'update' | 'delete' }[];
  /** What was decided and is being done. */
  readonly settling: RecoveryChoice | null;
}

/** Sent by the host. Trusted by the webview: both are of one build. */
export type HostMessage =
  | {
      readonly type: 'snapshot';
      readonly build: string;
      readonly thread: ThreadState | null;
      /** Earlier turns that were left out; asked for with `load_earlier`. */
      readonly earlierTurns: number;
      readonly access: ThreadAccess;
      readonly draft: string;
      /** The queued message that `draft` is an edit of. */
      readonly edit: QueuedEdit | null;
      readonly settings: PanelSettings;
      /** Translated texts by their English original. */
      readonly texts: Readonly<Record<string, string>>;
    }
  | { readonly type: 'events'; readonly build: string; readonly events: readonly PanelEvent[] }
  | { readonly type: 'settings'; readonly build: string; readonly settings: PanelSettings }
  | {
      readonly type: 'earlier';
      readonly build: string;
      readonly turns: ThreadState['turns'];
      readonly earlierTurns: number;
    }
  /** A part of the list that was asked for: the first replaces what was shown. */
  | {
      readonly type: 'threads';
      readonly build: string;
      readonly rows: readonly ThreadRow[];
      readonly isFirst: boolean;
      readonly isLast: boolean;
    }
  /** Threads that are not shown and wait for the person, or run. */
  | { readonly type: 'elsewhere'; readonly build: string; readonly waiting: number; readonly running: number }
  /** All of them, the oldest first; they belong to no thread. */
  | { readonly type: 'interrupted'; readonly build: string; readonly patches: readonly InterruptedPatch[] }
  /** What was said in any thread, newest first, for the composer to bring back. */
  | { readonly type: 'history'; readonly build: string; readonly texts: readonly string[] }
  /** What has landed and waits for the person's word. */
  | { readonly type: 'review'; readonly build: string; readonly review: PendingReview }
  /** It is in the bin; said to a list that is open, which offers to take it back. */
  | {
      readonly type: 'thread_deleted';
      readonly build: string;
      readonly threadId: string;
      readonly title: string | null;
    }
  /** Opens the list of threads, or begins to rename one in it. */
  | { readonly type: 'show_threads'; readonly build: string; readonly rename?: string }
  | { readonly type: 'insert_text'; readonly build: string; readonly text: string }
  | { readonly type: 'focus_composer'; readonly build: string }
  /** The answer to `preview_rule`. */
  | {
      readonly type: 'rule_preview';
      readonly build: string;
      readonly approvalId: string;
      readonly rule: Rule;
      readonly preview: RulePreview;
    }
  /** What was chosen so far of a patch that waits, here or in its diff. */
  | { readonly type: 'patch_review'; readonly build: string; readonly review: ReviewState }
  /** All that waits, as one list. */
  | { readonly type: 'show_waiting'; readonly build: string };

/** Changes that have landed and wait for Keep or Undo. */
export interface PendingReview {
  readonly changes: number;
  readonly fileCount: number;
  /** The first ones: a message is never large. */
  readonly files: readonly PendingReviewFile[];
}

export interface PendingReviewFile {
  /** What a `review_file` names it by. */
  readonly path: string;
  /** As a person knows it. */
  readonly name: string;
  readonly kind: 'edited' | 'added' | 'moved' | 'deleted';
  readonly changes: number;
}

/** Sent by the webview; parsed by the host before anything is done with it. */
export const webviewMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), build: z.string() }),
  z.object({ type: z.literal('op'), op: opSchema }),
  /** What would a rule cover of the command that waits? */
  z.object({ type: z.literal('preview_rule'), approvalId: z.string(), rule: ruleSchema }),
  /** Takes a hunk of a patch that waits out of it, or back in; `null` is the whole file. */
  z.object({
    type: z.literal('choose_hunk'),
    approvalId: z.string(),
    path: z.string(),
    hunk: z.int().nonnegative().nullable(),
    wanted: z.enum(['in', 'out']),
  }),
  /** `null` is the thread that the next message begins. */
  z.object({
    type: z.literal('draft'),
    threadId: z.string().nullable(),
    text: z.string(),
    edit: z.object({ id: z.string(), original: z.string(), draft: z.string() }).nullable(),
  }),
  z.object({ type: z.literal('load_earlier'), before: z.string() }),
  /** Opens the proposed or landed change of one item, of one file of it, or of a whole turn. */
  z.object({ type: z.literal('open_diff'), itemId: z.string(), path: z.string().optional() }),
  z.object({ type: z.literal('open_file'), path: z.string(), line: z.number().int().positive().optional() }),
  /** Sent again whenever something in the list changes, until `close_threads`. */
  z.object({ type: z.literal('list_threads'), scope: z.enum(['workspace', 'all']), query: z.string() }),
  z.object({ type: z.literal('close_threads') }),
  z.object({ type: z.literal('open_thread'), threadId: z.string() }),
  z.object({ type: z.literal('rename_thread'), threadId: z.string(), title: z.string().trim().min(1).max(200) }),
  z.object({ type: z.literal('delete_thread'), threadId: z.string() }),
  z.object({ type: z.literal('restore_thread'), threadId: z.string() }),
  /** Goes another way from an item of the thread that is shown, or from its end. */
  z.object({ type: z.literal('fork_thread'), itemId: z.string().nullable() }),
  /** Asks the window that has the thread to give it up. */
  z.object({ type: z.literal('take_over') }),
  z.object({ type: z.literal('open_link'), url: z.string() }),
  z.object({ type: z.literal('copy'), text: z.string() }),
  z.object({ type: z.literal('run_command'), command: z.string().regex(/^tiller\.[A-Za-z.]+$/) }),
  z.object({
    type: z.literal('pick'),
    what: z.enum(['model', 'openai', 'endpoint', 'mode', 'effort', 'box', 'context']),
  }),
  /** The whole output of a command, from the log on disk. */
  z.object({ type: z.literal('open_output'), itemId: z.string() }),
  /** A process as a terminal of VS Code's own, to watch and to type. */
  z.object({ type: z.literal('open_terminal'), processId: z.string() }),
  z.object({ type: z.literal('review_file'), path: z.string(), what: z.enum(['keep', 'undo', 'open']) }),
  z.object({ type: z.literal('put_back'), quarantineId: z.string() }),
  z.object({ type: z.literal('settle_patch'), patchId: z.string(), way: recoveryChoiceSchema }),
  /** A code block into the active editor, at the cursor. */
  z.object({ type: z.literal('insert_code'), text: z.string() }),
  z.object({ type: z.literal('log'), level: z.enum(['warn', 'error']), message: z.string() }),
]);
export type WebviewMessage = z.infer<typeof webviewMessageSchema>;

/** A message to the panel before the build id is added. */
export type PanelUpdate = HostMessage extends infer Message
  ? Message extends unknown
    ? Omit<Message, 'build'>
    : never
  : never;

/** Which threads the panel's list asks for. */
export type ThreadQuery = Pick<Extract<WebviewMessage, { type: 'list_threads' }>, 'scope' | 'query'>;
