/**
 * The state of the panel. Only `protocol/threadReducer.ts` folds events into the thread (src/README.md, "What always
 * holds", 3).
 */
import { batch, computed, signal } from '@preact/signals';
import { awaitsUser } from '../src/protocol/approval.ts';
import { type Attachment, draftAfterEdit, type DraftEdit, withReturned } from '../src/protocol/draft.ts';
import type { ApprovalRequest, EventMsgOf, QuestionRequest } from '../src/protocol/event.ts';
import type { Mention } from '../src/protocol/item.ts';
import { proposedPlanOf } from '../src/protocol/proposedPlan.ts';
import type { ReviewState } from '../src/protocol/review.ts';
import {
  type AgentSummary,
  type Denial,
  type ReviewedItem,
  type ProcessState,
  runningInBackground,
  type ThreadState,
  TURN_WINDOW,
} from '../src/protocol/thread.ts';
import { foldPanelEvent, type PanelEvent } from '../src/protocol/threadReducer.ts';
import type {
  AgentRow,
  HostMessage,
  HostMessageOf,
  InterruptedPatch,
  PanelSettings,
  PendingComments,
  PendingReview,
  PromptRow,
  SkillRow,
  SideCopyRow,
  ThreadAccess,
} from '../src/protocol/wire.ts';
import { observe } from './facts.ts';
import { setTexts } from './l10n.ts';
import { activeOf, withAttachments } from './text/attachments.ts';
import { type LastWriters, lastWritersOf, writersIn } from './text/lastWriters.ts';
import { firstWords } from './text/turnFold.ts';

export const thread = signal<ThreadState | null>(null);
export const settings = signal<PanelSettings | null>(null);
/** The parent thread of the shown sub-agent. */
export const parentThread = computed(() => thread.value?.started?.parentId ?? null);
/** The agent as which the shown thread works; `null` for others, and for sub-agents. */
export const threadAgent = computed(() => thread.value?.started?.agent ?? null);
/** The access of this window to the shown thread: the window owns the thread, or may only read it. */
export const access = signal<ThreadAccess>({ type: 'own' });
export const isOwn = computed(() => access.value.type === 'own');
export const draft = signal('');
/**
 * The attachments of the draft. An attachment stays when its name is removed from the text, because an undo may restore
 * the name.
 */
export const attachments = signal<readonly Attachment[]>([]);
/** The selected lines of the active editor. */
export const selection = signal<Mention | null>(null);
/** The user's choice whether to attach the selection. It holds for the selection with this name. */
export const selectionChoice = signal<{ readonly name: string; readonly isAttached: boolean } | null>(null);
export const isSelectionAttached = computed(() => {
  const choice = selectionChoice.value;
  if (choice !== null && choice.name === selection.value?.name) return choice.isAttached;
  return selection.value !== null && settings.value?.attachSelection === true;
});
/** The reason why something could not be attached; cleared by the next change of the draft. */
export const attachProblem = signal<string | null>(null);
/** The attachments that are sent. One that belongs in the text is only sent while the text names it. */
export const activeAttachments = computed(() => activeOf(draft.value, attachments.value));
/** The message that the user edits in the composer; `null` if the draft is a new message. */
export const draftEdit = signal<DraftEdit | null>(null);
/** True while a `resend` has no answer yet. */
export const isResending = signal(false);
/**
 * True while the first message is being sent: a draft that is written before the thread begins belongs to that thread.
 */
export const isBeginning = signal(false);
/** The number of turns that only the host has. */
export const turnsAtHost = signal(0);
export const shownTurns = signal(TURN_WINDOW);
/** The host's last preview of a rule that is being edited. */
export const rulePreview = signal<HostMessageOf<'rule_preview'> | null>(null);
/** The rule that the host suggests for a pending command. */
export const ruleSuggestion = signal<HostMessageOf<'rule_suggestion'> | null>(null);
/** The user's choices in each proposed patch. The host keeps them, because the diff editor changes them, too. */
export const reviews = signal<ReadonlyMap<string, ReviewState>>(new Map());
/** True if the user wants to see all pending requests as one list. */
export const wantsList = signal(false);
/** The user's messages in all threads that were sent before this page was created, newest first. */
export const history = signal<readonly string[]>([]);
/** The skills and prompts of files, as of the last time that the list of commands was opened. */
export const skills = signal<readonly SkillRow[]>([]);
/** The prompts of the running MCP servers. */
export const prompts = signal<readonly PromptRow[]>([]);
/** The side copy in which the shown thread works; `null`: it works in the workspace. */
export const sideCopy = signal<SideCopyRow | null>(null);

/** Applied changes of all threads that are pending in review. */
export const review = signal<PendingReview>({ changes: 0, fileCount: 0, files: [] });
/** Comments on lines that are not sent. */
export const pendingComments = signal<PendingComments>({ count: 0, files: 0 });
/** Interrupted patches of all threads. */
const interrupted = signal<readonly InterruptedPatch[]>([]);
/** Counts the requests to focus the composer. */
export const composerFocus = signal(0);

// The parts of the thread as signals of their own: a view of one part is not rendered again when others change.
export const threadId = computed(() => thread.value?.threadId ?? null);
export const turns = computed(() => thread.value?.turns ?? []);
export const visibleTurns = computed(() => turns.value.slice(-shownTurns.value));
export const hiddenTurns = computed(() => turns.value.length - visibleTurns.value.length + turnsAtHost.value);
/** The user's messages, newest first, without duplicates: those of this thread, then those of all others. */
export const userMessages = computed(() => {
  const here = turns.value.map(firstWords).filter((text) => text !== '');
  return [...new Set([...here.toReversed(), ...history.value])];
});
export const title = computed(() => thread.value?.title ?? null);
export const cwd = computed(() => thread.value?.settings?.cwd ?? thread.value?.started?.cwd);
/** The provider that the thread began with. */
export const startedProvider = computed(() => thread.value?.started?.provider);
export const plan = computed(() => thread.value?.plan ?? null);
/** The plan that the user can edit and run. */
export const proposedPlan = computed(() => (thread.value === null ? null : proposedPlanOf(thread.value)));
export const proposedPlanId = computed(() => proposedPlan.value?.itemId ?? null);
export const tokenCount = computed(() => thread.value?.tokens ?? null);
export const queuedInputs = computed(() => thread.value?.queuedInputs ?? []);
export const threadWarnings = computed(() => thread.value?.warnings ?? []);
export const threadError = computed(() => thread.value?.error ?? null);
export const effort = computed(() => thread.value?.settings?.effort ?? null);
export const activeTurnId = computed(() => thread.value?.activeTurnId ?? null);
export const isRunning = computed(() => activeTurnId.value !== null);

/** The item of the last compaction that was not undone, while it can be undone. */
export const undoableCompaction = computed(() => {
  if (isRunning.value || !isOwn.value) return null;
  const items = turns.value.flatMap((turn) => turn.items.filter(({ type }) => type === 'compaction'));
  const last = items.findLast((item) => item.type === 'compaction' && item.status === 'completed' && !item.undone);
  return last?.id ?? null;
});

/**
 * Returns the turns that going back to before this message removes; empty if the message began none of the loaded
 * turns.
 */
export function turnsFrom(itemId: string): ThreadState['turns'] {
  const index = turns.value.findIndex(({ items: [first] }) => first?.id === itemId && first.type === 'user_message');
  return index < 0 ? [] : turns.value.slice(index);
}

/** The id of the last turn: only its error offers an action. */
export const lastTurnId = computed(() => turns.value.at(-1)?.id ?? null);

/** A pending request or an interrupted patch. */
export type Waiting =
  | { readonly type: 'approval'; readonly id: string; readonly request: ApprovalRequest }
  | { readonly type: 'question'; readonly id: string; readonly request: QuestionRequest }
  | { readonly type: 'interrupted'; readonly id: string; readonly patch: InterruptedPatch };

/** Sub-agents of the thread. */
export const agentRows = signal<readonly AgentRow[]>([]);
const asked = computed(() => {
  const own = thread.value?.approvals ?? [];
  const ofAgents = agentRows.value.flatMap((agent) => agent.approvals);
  return ofAgents.length === 0 ? own : [...own, ...ofAgents];
});
/** The pending approvals; empty if another window owns the thread, because they are answered there. */
export const approvals = computed(() => (isOwn.value ? asked.value : []));
/** True if approvals are shown as one list, which needs at least two. */
export const answersTogether = computed(() => wantsList.value && approvals.value.length > 1);
const questions = computed((): readonly QuestionRequest[] => {
  if (!isOwn.value) return [];
  return [...(thread.value?.questions ?? []), ...agentRows.value.flatMap((agent) => agent.questions)];
});
/** The pending requests of the thread. */
export const threadWaits = computed((): readonly Waiting[] => [
  ...approvals.value.map((request) => ({ type: 'approval' as const, id: request.approvalId, request })),
  ...questions.value.map((request) => ({ type: 'question' as const, id: request.questionId, request })),
]);
/** Interrupted patches come first: later requests may be about the same files. */
export const waiting = computed((): readonly Waiting[] => [
  ...interrupted.value.map((patch) => ({ type: 'interrupted' as const, id: patch.id, patch })),
  ...threadWaits.value,
]);
/** The ids of items whose call waits for an approval. */
export const waitingItems = computed(
  () => new Set(asked.value.flatMap(({ itemId, alsoItems = [] }) => [itemId, ...alsoItems])),
);
const agents = computed(() => new Map((thread.value?.agents ?? []).map((agent) => [agent.agentId, agent] as const)));
/** Returns the summary of a sub-agent that the shown thread has started. */
export function agentOf(agentId: string): AgentSummary | undefined {
  return agents.value.get(agentId);
}
/** True if a single request is pending, so that its card describes it. */
export const isOnlyRequest = computed(() => isOwn.value && waitingItems.value.size === 1);
const denials = computed(
  () => new Map(turns.value.flatMap((turn) => turn.denials.map((denial) => [denial.itemId, denial] as const))),
);
/** True while a model reviews the request about an item. */
export function isInReview(itemId: string): boolean {
  return approvals.value.some((request) => request.itemId === itemId && !awaitsUser(request));
}
const reviewed = computed(
  () => new Map(turns.value.flatMap((turn) => (turn.reviewed ?? []).map((item) => [item.itemId, item] as const))),
);
/** The model that has approved an item for the user, with its sentence. */
export function reviewedBy(itemId: string): ReviewedItem | undefined {
  return reviewed.value.get(itemId);
}

/** Returns the source and the message of an item's denial. */
export function denialOf(itemId: string): Denial | undefined {
  return denials.value.get(itemId);
}

/** Returns the diff of a proposed patch. Its item is in the running turn of the thread or of one of its agents. */
export function pendingDiff(itemId: string): string {
  const ofAgent = agentRows.value.flatMap((agent) => agent.approvals).find((request) => request.itemId === itemId);
  if (ofAgent !== undefined) return ofAgent.diff ?? '';
  const items = turns.value.at(-1)?.items ?? [];
  const item = items.find(({ id }) => id === itemId);
  return item?.type === 'file_change' ? item.diff : '';
}

export const processes = computed(() => thread.value?.processes ?? []);

let inBackground: readonly ProcessState[] = [];
/** The running processes whose calls have returned. The array keeps its identity until one of them changes. */
export const backgroundProcesses = computed(() => {
  const now = thread.value === null ? [] : runningInBackground(thread.value);
  const isSame = now.length === inBackground.length && now.every((process, index) => process === inBackground[index]);
  if (!isSame) inBackground = now;
  return inBackground;
});

let writers: ReturnType<typeof writersIn> = [];
let writersByPath: LastWriters = new Map();
/** The last command or patch that changed each file. The map keeps its identity until an entry changes. */
export const lastWriters = computed(() => {
  const now = writersIn(turns.value);
  const isSame = now.length === writers.length && now.every((item, index) => item === writers[index]);
  if (!isSame) writersByPath = lastWritersOf(now);
  writers = now;
  return writersByPath;
});
/** Absolute paths of the files with changes that are pending in review. */
export const pathsInReview = computed(() => new Set(review.value.files.map(({ path }) => path)));

/** Returns a command's output up to the end of its call. Output after that belongs to the process. */
export function outputOfItem(itemId: string): string {
  const item = turns.value.flatMap(({ items }) => items).findLast(({ id }) => id === itemId);
  return item?.type === 'command_execution' ? item.output : '';
}

/** Handles a host message in one batch, so that views are updated once per message. */
export function receive(message: HostMessage): void {
  batch(() => {
    take(message);
    // Once all requests are answered, later ones are shown one at a time again.
    if (approvals.peek().length === 0) wantsList.value = false;
  });
}

function take(message: HostMessage): void {
  switch (message.type) {
    case 'snapshot':
      takeSnapshot(message);
      break;
    case 'draft':
      draft.value = message.draft;
      attachments.value = message.attachments;
      draftEdit.value = message.edit;
      break;
    case 'events':
      thread.value = foldAll(thread.value, message.events);
      break;
    case 'settings':
      settings.value = message.settings;
      break;
    case 'earlier':
      addEarlier(message.turns, message.earlierTurns);
      break;
    case 'insert_text':
      insertText(message);
      break;
    case 'resent':
      endResending(message);
      break;
    case 'focus_composer':
      composerFocus.value++;
      break;
    case 'rule_preview':
      rulePreview.value = message;
      break;
    case 'rule_suggestion':
      ruleSuggestion.value = message;
      break;
    case 'proposal_choices':
      takeReview(message.review);
      break;
    case 'history':
      history.value = message.texts;
      break;
    case 'agents':
      agentRows.value = message.rows;
      break;
    case 'skills':
      skills.value = message.rows;
      break;
    case 'prompts':
      prompts.value = message.rows;
      break;
    case 'interrupted':
      interrupted.value = message.patches;
      break;
    case 'comments':
      pendingComments.value = message.pending;
      break;
    case 'side_copy':
      sideCopy.value = message.row;
      break;
    case 'review':
      review.value = message.review;
      break;
    case 'threads':
    case 'elsewhere':
    case 'show_threads':
    case 'thread_deleted':
      // Handled in threads/store.ts.
      break;
    case 'mentions_found':
    case 'models':
    case 'image_file':
      // Handled in composer/.
      break;
    case 'selection':
      selection.value = message.mention;
      break;
    case 'focus_back':
      // Handled in app/keepFocus.ts.
      break;
    case 'show_waiting':
      wantsList.value = true;
      break;
    default:
      message satisfies never;
  }
}

function takeSnapshot(message: HostMessageOf<'snapshot'>): void {
  setTexts(message.texts);
  thread.value = message.thread;
  turnsAtHost.value = message.earlierTurns;
  shownTurns.value = TURN_WINDOW;
  settings.value = message.settings;
  access.value = message.access;
  if (!begins(message)) {
    draft.value = message.draft;
    attachments.value = message.attachments;
  }
  draftEdit.value = message.edit;
  // The rows of the new thread's agents follow in another message.
  agentRows.value = [];
  isResending.value = false;
  isBeginning.value = false;
}

/**
 * Adds the text to the draft. While a sent message is edited, a returned message is added to the draft that comes back
 * after the edit.
 */
function insertText({ text, attachments: added = [], isUnsent, isReturned }: HostMessageOf<'insert_text'>): void {
  if (isUnsent) isBeginning.value = false;
  const edit = draftEdit.value;
  if (isReturned && edit?.type === 'sent') {
    draftEdit.value = withReturned(edit, text, added);
    return;
  }
  if (text !== '') draft.value = joined(draft.value, text);
  attachments.value = withAttachments(attachments.value, added);
  composerFocus.value++;
}

/** Restores the draft from before the edit once the edited message was sent. */
function endResending({ isSent, itemId }: HostMessageOf<'resent'>): void {
  isResending.value = false;
  const edit = draftEdit.value;
  if (!isSent || edit?.type !== 'sent' || edit.id !== itemId) return;
  draft.value = edit.draft;
  attachments.value = edit.attachments ?? [];
  draftEdit.value = null;
}

/**
 * Returns true if the snapshot shows the thread that the first message started, for which the host has no draft yet.
 */
export function begins({ thread, draft, attachments }: HostMessageOf<'snapshot'>): boolean {
  return isBeginning.value && thread !== null && draft === '' && attachments.length === 0;
}

function takeReview(review: ReviewState): void {
  const next = new Map(reviews.value);
  if (review.files.length === 0) next.delete(review.approvalId);
  else next.set(review.approvalId, review);
  reviews.value = next;
}

function foldAll(state: ThreadState | null, events: readonly PanelEvent[]): ThreadState | null {
  if (state === null) return null;
  let next = state;
  for (const event of events) {
    if ('seq' in event) observe(event);
    if (event.msg.type === 'input_dequeued') endEdit(event.msg);
    next = foldPanelEvent(next, event);
  }
  return next;
}

/** Ends the edit of a message that has left the queue. The host changes its copy of the draft in the same way. */
function endEdit({ id, reason }: EventMsgOf<'input_dequeued'>): void {
  const edit = draftEdit.value;
  if (edit?.type !== 'queued' || edit.id !== id) return;
  draftEdit.value = null;
  draft.value = draftAfterEdit(draft.value, edit, reason);
  attachments.value = withAttachments(edit.attachments ?? [], reason === 'dropped' ? attachments.value : []);
}

/** Adds turns from before the snapshot. They have ended, so they need no events. */
function addEarlier(earlier: ThreadState['turns'], earlierTurns: number): void {
  if (thread.value === null) return;
  const known = new Set(thread.value.turns.map((turn) => turn.id));
  const added = earlier.filter((turn) => !known.has(turn.id));
  thread.value = { ...thread.value, turns: [...added, ...thread.value.turns] };
  turnsAtHost.value = earlierTurns;
  shownTurns.value += added.length;
}

/** Appends a text to the draft: several lines on a new line, otherwise after a space. */
export function joined(text: string, addition: string): string {
  if (text === '' || /\s$/.test(text)) return text + addition;
  return addition.includes('\n') ? `${text}\n${addition}` : `${text} ${addition}`;
}
