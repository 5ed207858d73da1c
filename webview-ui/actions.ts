/** The actions of the panel's controls. They post messages to the host and do not change the thread. */
import type { ErrorAction } from '../src/protocol/policy.ts';
import type { ApprovalDecision } from '../src/protocol/policy.ts';
import { type Attachment, attachmentsOf, partImages, type DraftEdit } from '../src/protocol/draft.ts';
import type { UserInput } from '../src/protocol/item.ts';
import type { Op, OpOf } from '../src/protocol/op.ts';
import type { WebviewMessage } from '../src/protocol/wire.ts';
import { batch } from '@preact/signals';
import { textOfInput, TURN_WINDOW } from '../src/protocol/thread.ts';
import { post } from './bridge.ts';
import { t } from './l10n.ts';
import {
  activeAttachments,
  attachments,
  attachProblem,
  composerFocus,
  draft,
  isBeginning,
  isResending,
  isRunning,
  isSelectionAttached,
  joined,
  draftEdit,
  queuedInputs,
  selection,
  shownTurns,
  thread,
  threadId,
  turnsFrom,
  turns,
} from './store.ts';
import { keyOf, thingOf, withAttachments } from './text/attachments.ts';
import { announcement, denying, followsEnd, makingRule, offersCommand } from './view.ts';

/** Submits an op for the shown thread. If the thread is not live, the host first starts or opens it. */
export function submit(op: Op): void {
  post({ type: 'op', op });
}

/**
 * The commands that the panel runs. `wire.ts` accepts any name `tiller.*`; the host must have a command for each of
 * these.
 */
export type PanelCommand =
  | 'newThread'
  | 'startInSideCopy'
  | 'sideCopies'
  | 'bringHome'
  | 'showWaitingThread'
  | 'importThread'
  | 'openThreadText'
  | 'openInEditor'
  | 'openInWindow'
  | 'setApiKey'
  | 'showLog'
  | 'openSettings'
  | 'openWalkthrough'
  | 'openFolder'
  | 'manageTrust'
  | 'startDemo'
  | 'showRules'
  | 'openPlan'
  | 'runPlan'
  | 'undoTurn'
  | 'redoTurn'
  | 'rewind'
  | 'comments.show'
  | 'comments.send'
  | 'comments.discard'
  | 'review.next'
  | 'review.showAll'
  | 'review.keepAll'
  | 'review.undoAll'
  | 'threads'
  | 'newThreadWithAgent'
  | 'renameThread'
  | 'forkThread'
  | 'exportThread'
  | 'deleteThread'
  | 'backgroundProcesses'
  | 'showAudit'
  | 'testConnection'
  | 'showAbilities'
  | 'showUsage'
  | 'reportIssue'
  | 'mcpServers'
  | 'showAgents'
  | 'showHooks'
  | 'chooseTools'
  | 'showMemories'
  | 'showSkills';

/** Runs a command of VS Code, by its name without `tiller.`. */
export function runCommand(command: PanelCommand): void {
  post({ type: 'run_command', command: `tiller.${command}` });
}

/** Opens one of VS Code's own pickers; what the user chooses arrives as settings. */
export function pick(what: Extract<WebviewMessage, { type: 'pick' }>['what']): void {
  post({ type: 'pick', what });
}

/** Asks the host to set a provider up again: its key, its address, its model. */
export function setUpProvider(provider: string): void {
  post({ type: 'set_up_provider', provider });
}

/** Sends the text in the composer: a new turn, an addition to the running one, or an edit of a message. */
export function sendDraft(): void {
  const input = draftInput();
  if (input.length === 0) return;
  const edit = draftEdit.value;
  followsEnd.value = true;
  if (edit?.type === 'sent') {
    // The draft stays until the host confirms that the message was sent: the user may cancel, or the host may be unable
    // to take the thread back.
    keepDraft();
    return resend(edit.id, input, edit.restoresFiles);
  }
  draftEdit.value = null;
  setDraft(edit?.draft ?? '', edit?.attachments ?? [], 0);
  if (edit === null) sendInput(input);
  else submit({ type: 'edit_queued', id: edit.id, input });
}

/** Returns true if the draft contains text or attachments to send. */
export function hasDraft(): boolean {
  return draft.value.trim() !== '' || activeAttachments.value.length > 0;
}

/** Returns the text in the composer, then its attachments; empty for an empty draft. */
function draftInput(): UserInput[] {
  const text = draft.value.trim();
  const parts: UserInput[] = activeAttachments.value.map(({ part }) => part);
  const { value: selected } = selection;
  // The selection is only sent along with a message; it is not a message by itself.
  const isMessage = text !== '' || parts.length > 0;
  const isNamed = parts.some(
    (part) => part.type === 'mention' && selected !== null && thingOf(part) === thingOf(selected),
  );
  if (selected !== null && isSelectionAttached.value && isMessage && !isNamed) parts.push(selected);
  return text === '' ? parts : [{ type: 'text', text }, ...parts];
}

/** Sends a text as a message. The draft is not changed. */
export function sendText(text: string): void {
  sendInput([{ type: 'text', text }]);
}

/** Sends a message that does not come from the composer: a new turn, or an addition to the running one. */
export function sendInput(input: UserInput[]): void {
  followsEnd.value = true;
  // A message that was sent just before may be about to start its turn.
  const mayRun = isRunning.value || isBeginning.value;
  if (thread.value === null) isBeginning.value = true;
  submit(mayRun ? { type: 'steer', input } : { type: 'user_turn', input });
}

/**
 * Takes the thread back to before a message and sends `input` in its place; if `input` is `null`, sends the same
 * message.
 */
export function resend(itemId: string, input: UserInput[] | null, restoresFiles: boolean): void {
  if (isResending.value) return;
  isResending.value = true;
  followsEnd.value = true;
  post({ type: 'resend', itemId, input, restoresFiles });
}

/** The key of the thread and of the draft's images that the host already has, so that images are not sent again. */
let keptImages = '\n\n\n\n';
let draftTimer: ReturnType<typeof setTimeout> | undefined;

/** The number of draft changes in this page, and the thread of the last one. */
let lastChange: { readonly threadId: string | null; readonly count: number } = { threadId: null, count: 0 };

/**
 * Returns true if this page has changed the draft of this thread after the host's copy, whose change count is
 * `draftCount`.
 */
export function isDraftNewer(threadId: string | null, draftCount: number): boolean {
  return lastChange.threadId === threadId && lastChange.count > draftCount;
}

/** Milliseconds without a change of the draft until it is sent to the host. */
const DEBOUNCE_MS = 250;

/**
 * Sets the draft. The host keeps a copy and sends it to the thread's other page. The copy is sent debounced; it is sent
 * at once when an edit begins or ends, and before a message is sent, because the page may be closed right afterwards
 * and the other page would then keep the old text.
 */
export function setDraft(
  text: string,
  attached: readonly Attachment[] = attachments.value,
  afterMs: number = DEBOUNCE_MS,
): void {
  batch(() => {
    draft.value = text;
    attachments.value = attached;
    attachProblem.value = null;
  });
  keepDraft(afterMs);
}

/**
 * Attaches files and selections that the user adds. Unlike `setDraft` it keeps the shown reason why another part of the
 * same drop or paste was refused.
 */
export function attach(added: readonly Attachment[]): void {
  attachments.value = withAttachments(attachments.value, added);
  keepDraft(DEBOUNCE_MS);
}

/** Sends the current draft to the host. */
export function keepDraft(afterMs = 0): void {
  const { parts, images } = partImages({ edit: draftEdit.value, attachments: attachments.value });
  const keys = [images.draft, images.edit].map((all) => all.map(keyOf).join('\n'));
  const key = [threadId.value, ...keys].join('\n\n');
  lastChange = { threadId: threadId.value, count: lastChange.count + 1 };
  const message = { type: 'draft', ...lastChange, text: draft.value, ...parts } as const;
  const keep = () => {
    post({ ...message, images: key === keptImages ? null : images });
    keptImages = key;
  };
  clearTimeout(draftTimer);
  if (afterMs === 0) keep();
  else draftTimer = setTimeout(keep, afterMs);
}

/**
 * Assigns the text that the user wrote while the first message was being sent to the thread that this message started,
 * also in the host.
 */
export function moveDraftToThread(): void {
  lastChange = { threadId: null, count: lastChange.count + 1 };
  post({ type: 'draft', ...lastChange, text: '', edit: null, attachments: [], images: { draft: [], edit: [] } });
  keepDraft();
}

/** Appends a text to the draft, and focuses the composer. */
export function addToDraft(text: string): void {
  setDraft(joined(draft.value, text));
  composerFocus.value++;
}

/** Replaces the draft and its attachments, and focuses the composer. */
export function replaceDraft(text: string, attached: readonly Attachment[] = []): void {
  setDraft(text, attached);
  composerFocus.value++;
}

/**
 * Writes a suggestion that the user has selected into the composer. If it is a command, the list of its values opens.
 */
export function suggestDraft(text: string): void {
  offersCommand.current = text.startsWith('/');
  replaceDraft(text);
}

/** Loads a queued message into the composer. The present draft is restored after the edit. */
export function editQueued(id: string, input: readonly UserInput[]): void {
  const text = textOfInput(input);
  if (draftEdit.value?.id === id) return;
  submit({ type: 'hold_queued', id, held: true });
  showEdit({ type: 'queued', id, original: text, ...beforeEdit() }, text, attachmentsOf(input));
}

/**
 * Loads a message that began a turn into the composer. Sending it takes the thread back to before that turn. After a
 * compaction the thread cannot go back: then the text is loaded as a new message.
 */
export function editSent(id: string, input: readonly UserInput[]): void {
  const text = textOfInput(input);
  if (draftEdit.value?.id === id) return void composerFocus.value++;
  if (canGoBack(id)) {
    const edit = { type: 'sent' as const, id, original: text, restoresFiles: false };
    return showEdit({ ...edit, ...beforeEdit() }, text, attachmentsOf(input));
  }
  replaceDraft(text, attachmentsOf(input));
  attachProblem.value = t('The thread was compacted since this message: sent now, it is a new one.');
}

/** Returns true if the thread can go back to before this message: not if its history was replaced since. */
export function canGoBack(itemId: string): boolean {
  const gone = turnsFrom(itemId);
  const isCompacted = gone.some(({ items }) =>
    items.some((item) => item.type === 'compaction' && item.status === 'completed'),
  );
  return gone.length > 0 && !isCompacted;
}

/** Returns the draft to restore after an edit. Cancels an edit in progress. */
function beforeEdit(): Pick<DraftEdit, 'draft' | 'attachments'> {
  const before = draftEdit.value;
  if (before === null) return { draft: draft.value, attachments: attachments.value };
  release(before);
  return { draft: before.draft, attachments: before.attachments };
}

function release(edit: DraftEdit): void {
  if (edit.type === 'queued') submit({ type: 'hold_queued', id: edit.id, held: false });
}

/** Chooses for the sent message under edit whether sending it undoes what its turns have changed. */
export function restoreFilesToo(restoresFiles: boolean): void {
  const edit = draftEdit.value;
  if (edit?.type !== 'sent') return;
  draftEdit.value = { ...edit, restoresFiles };
  keepDraft();
}

/** Ends the edit; the message is not changed. */
export function cancelEdit(): void {
  const edit = draftEdit.value;
  if (edit === null) return;
  showEdit(null, edit.draft, edit.attachments);
  release(edit);
}

function showEdit(edit: DraftEdit | null, text: string, attached: readonly Attachment[] = []): void {
  draftEdit.value = edit;
  replaceDraft(text, attached);
  keepDraft();
}

/** Removes a queued message. If the message is being edited, the draft from before the edit is restored. */
export function withdrawQueued(id: string): void {
  const edit = draftEdit.value;
  if (edit?.id === id) showEdit(null, edit.draft, edit.attachments);
  submit({ type: 'edit_queued', id, input: null });
}

/** Stops the turn and starts the next one with this message, followed by the other queued ones. */
export function sendQueuedNow(id: string): void {
  const first = queuedInputs.value.find((message) => message.id === id);
  if (first === undefined) return;
  // A message that is being edited stays queued until its edit is sent.
  const others = queuedInputs.value.filter((message) => message !== first && !message.held);
  for (const message of [first, ...others]) withdrawQueued(message.id);
  stopAndSend([...first.input]);
  for (const { input } of others) submit({ type: 'steer', input: [...input] });
}

/** Stops the turn and starts the next one with the draft. */
export function stopAndSendDraft(): void {
  const input = draftInput();
  if (input.length === 0) return;
  setDraft('', [], 0);
  stopAndSend(input);
}

function stopAndSend(input: UserInput[]): void {
  followsEnd.value = true;
  submit({ type: 'interrupt' });
  submit({ type: 'user_turn', input });
}

const answered = new Set<string>();

/** Answers each of the requests once. A second click on the same request has no effect. */
export function decide(approvalIds: string | readonly string[], decision: ApprovalDecision): void {
  const open = [approvalIds].flat().filter((id) => !answered.has(id));
  if (open.length === 0) return;
  for (const id of open) answered.add(id);
  denying.value = null;
  makingRule.value = null;
  submit({ type: 'approval', approvalIds: open, decision });
}

/** The first answer to a question. Later ones are ignored, as in `decide`. */
export function answerQuestion(op: OpOf<'user_input_answer' | 'elicitation_answer'>): void {
  if (answered.has(op.questionId)) return;
  answered.add(op.questionId);
  submit(op);
}

/** Forks the thread after this message or answer; after the last one when `itemId` is `null`. */
export function fork(itemId: string | null): void {
  post({ type: 'fork_thread', itemId });
}

/** Stops the turn that runs in the shown thread. */
export function interrupt(): void {
  submit({ type: 'interrupt' });
}

/** Copies a text to the clipboard. The host writes it, because the page may have no access to the clipboard. */
export function copyText(text: string): void {
  post({ type: 'copy', text });
  announcement.value = t('Copied');
}

/** Shows earlier turns: those that the page already has, otherwise asks the host for them. */
export function loadEarlier(): void {
  const [oldest] = turns.value;
  if (turns.value.length > shownTurns.value) shownTurns.value += TURN_WINDOW;
  else if (oldest !== undefined) post({ type: 'load_earlier', before: oldest.id });
}

/** Carries out the action that an error offers. */
export function actOnError(action: ErrorAction): void {
  switch (action) {
    case 'set_api_key':
      return runCommand('setApiKey');
    case 'select_model':
      return pick('model');
    case 'check_settings':
      return runCommand('openSettings');
    case 'check_network':
    case 'retry':
      return submit({ type: 'retry' });
    case 'compact':
      return submit({ type: 'compact', continueTurn: true });
    case 'new_thread':
      return runCommand('newThread');
    case 'show_log':
      return runCommand('showLog');
  }
}
