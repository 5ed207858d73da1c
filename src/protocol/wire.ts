/**
 * The messages between the extension host and its webview.
 *
 * The host sends a snapshot and then every later event; the webview sends ops and requests that only the host can
 * serve. Both include the build id: a webview of another build reloads.
 */
import * as z from 'zod';
import type { ApprovalRequest, QuestionRequest } from './event.ts';
import type { Attachment, DraftEdit } from './draft.ts';
import { type Mention, userInputSchema } from './item.ts';
import type { ModelGroup, ModelOfMode } from './modelMenu.ts';
import { opSchema, type ReasoningEffort, reasoningEffortSchema } from './op.ts';
import {
  type ApprovalPolicy,
  approvalPolicySchema,
  type ApprovalReviewerSetting,
  approvalReviewerSchema,
  chatModeSchema,
  reviewSettingSchema,
  sandboxModeSchema,
  type SandboxMechanism,
  type ChatMode,
  type ReviewSetting,
  type Rule,
  ruleSchema,
  type SandboxPolicy,
} from './policy.ts';
import type { ReviewState } from './review.ts';
import type { RulePreview, RuleSuggestion } from './rules.ts';
import type { Settings } from './settings.ts';
import type { AgentSummary, ThreadState } from './thread.ts';
import type { PanelEvent } from './threadReducer.ts';
import type { ReadOnlyReason } from './threads.ts';
import { lazyObject, lazyVariant } from './lazyObject.ts';

/** Settings and facts that the panel shows in addition to the thread. */
export interface PanelSettings {
  readonly model: string | null;
  /** The id of the provider of the next turn. */
  readonly provider: string;
  /** The servers of the settings, by id, that have a name for display. */
  readonly providers: Readonly<Record<string, { readonly name?: string | undefined }>>;
  /** The model and the effort that come with a mode: those of its last turn. */
  readonly modelOfMode: Readonly<Partial<Record<ChatMode, ModelOfMode>>>;
  /** The efforts that the model takes, the lowest first; `null` when it takes none. */
  readonly efforts: readonly ReasoningEffort[] | null;
  /** Nothing is known of the model: the server may refuse an effort. */
  readonly areEffortsGuessed: boolean;
  /** The effort of the next turn; `null`: the model's default. */
  readonly effort: ReasoningEffort | null;
  readonly mode: ChatMode | null;
  readonly approvalPolicy: ApprovalPolicy;
  readonly sandboxPolicy: SandboxPolicy;
  readonly box: SandboxMechanism;
  /** The reason why no sandbox is available although the policy requires one. */
  readonly noSandboxCause?: string | undefined;
  /** Ids of quarantined files that can be restored. */
  readonly quarantined: readonly string[];
  readonly review: ReviewSetting;
  readonly reviewer: ApprovalReviewerSetting;
  readonly fontSize: number | null;
  readonly fontFamily: string | null;
  /** True when the user has turned on raw reasoning. */
  readonly showRawReasoning: boolean | null;
  /** True if the model of the next turn accepts images. */
  readonly takesImages: boolean;
  /** The selection is sent with each message, unless it is removed. */
  readonly attachSelection: boolean;
  readonly sendKey: Settings['sendKey'];
  readonly trusted: boolean;
  readonly hasWorkspace: boolean;
  /** True shows "demo (scripted)" wherever the embedded model appears (design decision 3). */
  readonly demo: boolean;
  /** The address under which the page may load pictures of the workspace; absent without trust. */
  readonly imageRoot?: string;
  /** The folder's name, for the empty state. */
  readonly workspaceName?: string;
  /** A task that the empty state offers with one click; set with the demo model. */
  readonly demoTask?: string;
}

/** The access to the shown thread. `taken`: another window has just taken it over from this one. */
export type ThreadAccess =
  | { readonly type: 'own' }
  | { readonly type: 'read_only'; readonly reason: ReadOnlyReason['type']; readonly taken: boolean };

/** A row of the thread list. */
export interface ThreadRow {
  readonly id: string;
  readonly title: string | null;
  /** `unread`: it ended while another thread was shown. `failed`: its last turn did, whether it was seen or not. */
  readonly status: 'waiting' | 'running' | 'unread' | 'failed' | 'idle';
  /** The pending request of the thread, or the reason why it cannot continue. */
  readonly note: string | null;
  /** The match of the search with the text around it. */
  readonly found?: { readonly before: string; readonly match: string; readonly after: string };
  readonly isPinned: boolean;
  /** ISO 8601. */
  readonly updatedAt: string;
  readonly model: string;
  /** The folder's name. */
  readonly place: string;
}

/** A sub-agent of the shown thread. Its last message, which may be long, is in the thread that has started it. */
export interface AgentRow extends Omit<AgentSummary, 'lastMessage'> {
  /** 0: the shown thread has started it. */
  readonly depth: number;
  /** It can be stopped, and asks here. */
  readonly isLive: boolean;
  /** Files that differ in its side copy; absent while they are counted, and where it has none. */
  readonly changedInCopy?: number;
  /** The current activity or the last message of the agent, in one line; may be empty. */
  readonly line: string;
  readonly approvals: readonly ApprovalRequest[];
  readonly questions: readonly QuestionRequest[];
}

/** The side copy in which the shown thread works. */
export interface SideCopyRow {
  readonly id: string;
  /** Files whose changes have not come home; `null` while they are counted. */
  readonly changed: number | null;
}

const recoveryChoiceSchema = z.enum(['roll_back', 'finish']);
/** `roll_back`: roll back to every file as it was before the interrupted patch; `finish`: complete the patch. */
export type RecoveryChoice = z.infer<typeof recoveryChoiceSchema>;

/** An interrupted patch: the user decides how to recover it (design decision 4). */
export interface InterruptedPatch {
  readonly id: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The number of all its files; `files` may be only the first of them. */
  readonly count: number;
  readonly files: readonly { readonly path: string; readonly kind: 'add' | 'update' | 'delete' }[];
  /** The choice that is being carried out. */
  readonly settling: RecoveryChoice | null;
}

/** A row of the list that opens at an `@` in the composer. */
export interface MentionRow {
  readonly mention: Mention;
  readonly label: string;
  /** The folder, the number of problems …; may be empty. */
  readonly detail: string;
  /** Indices of the matched characters of the label. */
  readonly positions: readonly number[];
  /** The reason why the file cannot be attached. */
  readonly refused?: string;
}

/** A prompt of an MCP server, which the composer offers as `/server:name`. */
export interface PromptRow {
  readonly server: string;
  readonly name: string;
  /** The server's description; may be empty. */
  readonly help: string;
}

/** A skill or a prompt of a file, which the composer offers as `/name`. */
export interface SkillRow {
  readonly kind: 'skill' | 'prompt';
  readonly name: string;
  readonly help: string;
  /** The text shown after the name, such as `[file]`; may be empty. */
  readonly hint: string;
  /** The user has to approve it first. */
  readonly isProposed: boolean;
}

/** A message of the host to the panel, before the build id is added. */
export type PanelUpdate =
  | {
      readonly type: 'snapshot';
      readonly thread: ThreadState | null;
      /** The number of earlier turns that were left out; `load_earlier` requests them. */
      readonly earlierTurns: number;
      readonly access: ThreadAccess;
      readonly draft: string;
      readonly attachments: readonly Attachment[];
      /** The message that `draft` is an edit of. */
      readonly edit: DraftEdit | null;
      /** The draft was changed last in the other page: it is newer than the one that this page has kept. */
      readonly isDraftOfOther?: boolean;
      readonly draftCount: number;
      readonly settings: PanelSettings;
      /** Translated texts by their English original. */
      readonly texts: Readonly<Record<string, string>>;
    }
  | { readonly type: 'events'; readonly events: readonly PanelEvent[] }
  /**
   * The user has changed the draft in the other page that shows the panel. `draftCount`: the `count` of the last `draft`
   * message of this page before it; 0 if there was none since the page was loaded.
   */
  | {
      readonly type: 'draft';
      readonly draftCount: number;
      readonly draft: string;
      readonly attachments: readonly Attachment[];
      readonly edit: DraftEdit | null;
    }
  | { readonly type: 'settings'; readonly settings: PanelSettings }
  | { readonly type: 'earlier'; readonly turns: ThreadState['turns']; readonly earlierTurns: number }
  /** A part of the requested list: the first one replaces the previous list. */
  | {
      readonly type: 'threads';
      readonly rows: readonly ThreadRow[];
      readonly isFirst: boolean;
      readonly isLast: boolean;
    }
  /** The numbers of threads that are not shown and wait for the user, or run. */
  | { readonly type: 'elsewhere'; readonly waiting: number; readonly running: number }
  /** All sub-agents of the shown thread, each before its own. */
  | { readonly type: 'agents'; readonly rows: readonly AgentRow[] }
  /** `null`: the shown thread works in the workspace. */
  | { readonly type: 'side_copy'; readonly row: SideCopyRow | null }
  /** All interrupted patches, oldest first; they belong to no thread. */
  | { readonly type: 'interrupted'; readonly patches: readonly InterruptedPatch[] }
  /** The user's messages of all threads, newest first, for the composer's history. */
  | { readonly type: 'history'; readonly texts: readonly string[] }
  /** Applied changes that wait for the user's decision. */
  | { readonly type: 'review'; readonly review: PendingReview }
  /** Comments on lines that are not sent. */
  | { readonly type: 'comments'; readonly pending: PendingComments }
  /** The thread is in the trash; sent to an open list, which offers to restore it. */
  | { readonly type: 'thread_deleted'; readonly threadId: string; readonly title: string | null }
  /** Opens the list of threads, or starts renaming one in it. */
  | { readonly type: 'show_threads'; readonly rename?: string }
  /**
   * Adds to the draft. `isUnsent`: a message that was submitted and is not sent. `isReturned`: a message that comes back
   * from the host, which belongs to the draft behind an edit of a sent message.
   */
  | {
      readonly type: 'insert_text';
      readonly text: string;
      readonly attachments?: readonly Attachment[];
      readonly isUnsent?: true;
      readonly isReturned?: true;
    }
  /** The answer to `resend`. */
  | { readonly type: 'resent'; readonly itemId: string; readonly isSent: boolean }
  /** The selected lines of the active editor; `null` where nothing is selected. */
  | { readonly type: 'selection'; readonly mention: Mention | null }
  /** An image file that the user attaches: the page makes it small enough. `data`: base64. */
  | { readonly type: 'image_file'; readonly name: string; readonly mediaType: string; readonly data: string }
  /** A part of the answer to `find_mentions`: the first one replaces the rows of the query before it. */
  | {
      readonly type: 'mentions_found';
      readonly id: number;
      readonly rows: readonly MentionRow[];
      readonly isLast: boolean;
    }
  /** A part of the answer to `list_models`: it replaces the groups of the same providers, and with a new `id` all groups. */
  | { readonly type: 'models'; readonly id: number; readonly groups: readonly ModelGroup[] }
  | { readonly type: 'focus_composer' }
  /** Focuses the control that had the focus last, else the composer. */
  | { readonly type: 'focus_back' }
  /** All prompts of the MCP servers that run. */
  | { readonly type: 'prompts'; readonly rows: readonly PromptRow[] }
  /** The answer to `list_skills`. */
  | { readonly type: 'skills'; readonly rows: readonly SkillRow[] }
  /** The answer to `preview_rule`. */
  | { readonly type: 'rule_preview'; readonly approvalId: string; readonly rule: Rule; readonly preview: RulePreview }
  /** The answer to `suggest_rule`, if there is a rule to suggest. */
  | { readonly type: 'rule_suggestion'; readonly approvalId: string; readonly suggestion: RuleSuggestion }
  /** The current choices on a pending patch, made here or in its diff. */
  | { readonly type: 'proposal_choices'; readonly review: ReviewState }
  /** Shows all pending requests as one list. */
  | { readonly type: 'show_waiting' };

/** Sent by the host. Trusted by the webview, because both are of one build. */
export type HostMessage = PanelUpdate & { readonly build: string };

/** The message of one type. */
export type HostMessageOf<Type extends HostMessage['type']> = Extract<HostMessage, { type: Type }>;

/** Comments of the user on lines that are not sent, and in how many files they are. */
export interface PendingComments {
  readonly count: number;
  readonly files: number;
}

/** Applied changes that wait for Keep or Undo. */
export interface PendingReview {
  readonly changes: number;
  readonly fileCount: number;
  /** The first files, because messages are limited in size. */
  readonly files: readonly PendingReviewFile[];
}

export interface PendingReviewFile {
  /** The path that `review_file` uses. */
  readonly path: string;
  /** The name for display. */
  readonly name: string;
  readonly kind: 'edited' | 'added' | 'moved' | 'deleted';
  readonly changes: number;
}

const attachmentSchema: z.ZodType<Attachment> = lazyObject(() => ({
  part: userInputSchema.refine((part) => part.type !== 'text') as z.ZodType<Attachment['part']>,
  inText: z.boolean(),
}));

/** Checks messages of the page, and the files that keep the images of drafts. */
export const draftImagesSchema = lazyObject(() => ({
  draft: z.array(attachmentSchema).readonly(),
  edit: z.array(attachmentSchema).readonly(),
}));

const editShape = {
  id: z.string(),
  original: z.string(),
  draft: z.string(),
  attachments: z.array(attachmentSchema).readonly().optional(),
};

const draftEditSchema: z.ZodType<DraftEdit> = z.discriminatedUnion('type', [
  lazyVariant('queued', () => ({ ...editShape })),
  lazyVariant('sent', () => ({ ...editShape, restoresFiles: z.boolean() })),
]);

/** Sent by the webview; the host validates it first. */
export const webviewMessageSchema = z.discriminatedUnion('type', [
  lazyVariant('ready', () => ({ build: z.string() })),
  lazyVariant('op', () => ({ op: opSchema })),
  /** Asks for the commands that a rule for the pending command would cover. */
  lazyVariant('preview_rule', () => ({ approvalId: z.string(), rule: ruleSchema })),
  /** Asks for a rule that would answer the pending command and would have answered earlier approvals. */
  lazyVariant('suggest_rule', () => ({ approvalId: z.string() })),
  /** Leaves a hunk of a pending patch out, or includes it again; `null` means the whole file. */
  lazyVariant('choose_hunk', () => ({
    approvalId: z.string(),
    path: z.string(),
    hunk: z.int().nonnegative().nullable(),
    wanted: z.enum(['in', 'out']),
  })),
  /** Sets why a hunk, or for `null` the whole file, is rejected; an empty text removes the reason. */
  lazyVariant('explain_hunk', () => ({
    approvalId: z.string(),
    path: z.string(),
    hunk: z.int().nonnegative().nullable(),
    reason: z.string(),
  })),
  /** `threadId` is `null` for the thread that the next message starts. */
  lazyVariant('draft', () => ({
    /** The number of changes of the draft in this page since it was loaded. */
    count: z.int().positive(),
    threadId: z.string().nullable(),
    text: z.string(),
    /** Without images, like the attachments. */
    edit: draftEditSchema.nullable(),
    attachments: z.array(attachmentSchema).readonly(),
    /** `null`: the same as before; they are large. */
    images: draftImagesSchema.nullable(),
  })),
  /** Requests the mentions that match this name; a later request, or `close_mentions`, cancels it. */
  lazyVariant('find_mentions', () => ({ id: z.int().nonnegative(), query: z.string().max(200) })),
  lazyVariant('close_mentions', () => ({})),
  /** Requests the skills and prompts of files. */
  lazyVariant('list_skills', () => ({})),
  /** Asks for the arguments of a prompt of an MCP server, and adds its text to the draft. */
  lazyVariant('use_prompt', () => ({ server: z.string(), name: z.string() })),
  /** Attaches files that were dropped on the composer. */
  lazyVariant('attach_uris', () => ({ uris: z.array(z.string()).max(1_000) })),
  /**
   * Attaches the text of a dropped file whose place is not known. The panel attaches it only when `insert_text` returns
   * it: a draft, which is on disk, must not have the text of a file that may not be read. `id`: of this name and text.
   */
  lazyVariant('attach_copy', () => ({ name: z.string(), id: z.string(), text: z.string() })),
  lazyVariant('load_earlier', () => ({ before: z.string() })),
  /** Opens the proposed or applied change of one item, of one file of it, or of a whole turn. */
  lazyVariant('open_diff', () => ({ itemId: z.string(), path: z.string().optional() })),
  lazyVariant('open_file', () => ({
    path: z.string(),
    line: z.number().int().positive().optional(),
    /** The text from this line on as it was: where it is now is shown. */
    quote: z.string().optional(),
  })),
  /** Sends a finding of a review as a message that has it fixed, and marks it as sent once that is done. */
  lazyVariant('fix_finding', () => ({ itemId: z.string(), findingId: z.string() })),
  /** Into the composer, with the lines where they are now. */
  lazyVariant('quote_finding', () => ({ itemId: z.string(), findingId: z.string() })),
  /** Shows VS Code's list of problems. */
  lazyVariant('show_problems', () => ({})),
  /** Requests the list; it is sent again after each change until `close_threads`. */
  lazyVariant('list_threads', () => ({ scope: z.enum(['workspace', 'all']), query: z.string() })),
  lazyVariant('close_threads', () => ({})),
  lazyVariant('open_thread', () => ({ threadId: z.string() })),
  /** Interrupts a sub-agent, and leaves its parent running. */
  lazyVariant('stop_agent', () => ({ threadId: z.string() })),
  /** Reviews the changes of a sub-agent in its side copy. */
  lazyVariant('bring_home', () => ({ threadId: z.string() })),
  lazyVariant('rename_thread', () => ({
    threadId: z.string(),
    title: z.string().trim().min(1).max(200),
  })),
  lazyVariant('pin_thread', () => ({ threadId: z.string(), isPinned: z.boolean() })),
  lazyVariant('delete_thread', () => ({ threadId: z.string() })),
  lazyVariant('restore_thread', () => ({ threadId: z.string() })),
  /** Forks the shown thread at an item, or at its end. */
  lazyVariant('fork_thread', () => ({ itemId: z.string().nullable() })),
  /** Asks the window that owns the thread to hand it over. */
  lazyVariant('take_over', () => ({})),
  /** A page of the web, or a mail: no command, no file, and no program by a scheme of its own. */
  lazyVariant('open_link', () => ({ url: z.string().regex(/^(?:https?|mailto):/i) })),
  lazyVariant('copy', () => ({ text: z.string() })),
  lazyVariant('run_command', () => ({ command: z.string().regex(/^tiller\.[A-Za-z.]+$/) })),
  lazyVariant('pick', () => ({
    what: z.enum(['model', 'openai', 'anthropic', 'local', 'endpoint', 'context']),
  })),
  /** Requests the models of all providers that are set up; a later request, or `close_models`, cancels it. */
  lazyVariant('list_models', () => ({ id: z.int().nonnegative() })),
  lazyVariant('close_models', () => ({})),
  /** Sets a provider up again that does not list its models: its key, its address, its model. */
  lazyVariant('set_up_provider', () => ({ provider: z.string() })),
  /** Sets the options of the composer's menus, for the shown thread and those started from now on. */
  lazyVariant('choose', () => ({
    what: z.discriminatedUnion('type', [
      z.object({ type: z.literal('model'), provider: z.string().min(1), model: z.string().min(1) }),
      z.object({ type: z.literal('mode'), mode: chatModeSchema }),
      z.object({ type: z.literal('sandbox'), mode: sandboxModeSchema }),
      z.object({ type: z.literal('effort'), effort: reasoningEffortSchema.nullable() }),
      z.object({ type: z.literal('approvals'), policy: approvalPolicySchema }),
      /** The setting `tiller.review`, for all threads and windows. */
      z.object({ type: z.literal('review'), review: reviewSettingSchema }),
      /** The setting `tiller.approvals.reviewer`, likewise. */
      z.object({ type: z.literal('reviewer'), reviewer: approvalReviewerSchema }),
    ]),
  })),
  /** Opens the whole output of a command from the log on disk. */
  lazyVariant('open_output', () => ({ itemId: z.string() })),
  /** Opens a process as a terminal of VS Code, to watch it and type into it. */
  lazyVariant('open_terminal', () => ({ processId: z.string() })),
  lazyVariant('review_file', () => ({ path: z.string(), what: z.enum(['keep', 'undo', 'open']) })),
  /** Shows the changes of an undo of a turn, a redo or a rewind to a message, and applies them once the user agrees. */
  lazyVariant('revert', () => ({
    what: z.discriminatedUnion('type', [
      z.object({ type: z.literal('undo'), turnId: z.string() }),
      z.object({ type: z.literal('redo') }),
      z.object({ type: z.literal('rewind'), itemId: z.string() }),
    ]),
  })),
  /**
   * Goes back to before a message that began a turn, and sends `input` in its place; `null`: the same message. A
   * running turn is stopped. `restoresFiles`: the changes since are shown, and reverted once the user agrees. Answered
   * by `resent`.
   */
  lazyVariant('resend', () => ({
    itemId: z.string(),
    input: z.array(userInputSchema).min(1).nullable(),
    restoresFiles: z.boolean(),
  })),
  /** Keeps or undoes the pending changes of one command. */
  lazyVariant('review_command', () => ({ itemId: z.string(), what: z.enum(['keep', 'undo']) })),
  /** Starts a review of changes by an agent. The user selects the branch or commit. */
  lazyVariant('review_changes', () => ({
    what: z.enum(['uncommitted', 'branch', 'commit']),
    /** The instructions for the reviewer; may be empty. */
    instructions: z.string(),
  })),
  lazyVariant('restore', () => ({ quarantineId: z.string() })),
  lazyVariant('settle_patch', () => ({ patchId: z.string(), way: recoveryChoiceSchema })),
  /** Inserts a code block into the active editor at the cursor. */
  lazyVariant('insert_code', () => ({ text: z.string() })),
  /** `language`: a name, an alias or a file extension; may be unknown or empty. */
  lazyVariant('new_file', () => ({ text: z.string(), language: z.string() })),
  /** Puts commands into a terminal; a single line is not run. */
  lazyVariant('insert_into_terminal', () => ({ text: z.string().min(1) })),
  /** Draws a Mermaid diagram in VS Code's Markdown preview. */
  lazyVariant('preview_diagram', () => ({ text: z.string() })),
  /** Previews a diff in git format as changes of files, which the user applies. */
  lazyVariant('apply_code', () => ({ text: z.string() })),
  lazyVariant('log', () => ({ level: z.enum(['warn', 'error']), message: z.string() })),
]);
export type WebviewMessage = z.infer<typeof webviewMessageSchema>;

/** A request of the panel to revert changes. */
export type RevertTarget = Extract<WebviewMessage, { type: 'revert' }>['what'];

/** A message that the user sends again, changed or not. */
export type ResendRequest = Omit<Extract<WebviewMessage, { type: 'resend' }>, 'type'>;

/** The threads that the panel's list requests. */
export type ThreadQuery = Pick<Extract<WebviewMessage, { type: 'list_threads' }>, 'scope' | 'query'>;
