/** The actions of the panel's controls. They post messages to the host and do not change the thread. */
import type { ErrorAction } from '../src/protocol/policy.ts';
import type { ApprovalDecision } from '../src/protocol/policy.ts';
import type { QueuedEdit } from '../src/protocol/draft.ts';
import type { UserInput } from '../src/protocol/item.ts';
import type { Op, OpOf } from '../src/protocol/op.ts';
import type { WebviewMessage } from '../src/protocol/wire.ts';
import { post } from './bridge.ts';
import { t } from './l10n.ts';
import {
  composerFocus,
  draft,
  isBeginning,
  isRunning,
  joined,
  queuedEdit,
  queuedInputs,
  shownTurns,
  thread,
  threadId,
  TURN_WINDOW,
  turns,
} from './store.ts';
import { announcement, denying, followsEnd, makingRule } from './view.ts';

export function submit(op: Op): void {
  post({ type: 'op', op });
}

/** Commands that the host must have; `wire.ts` accepts any `tiller.*`. */
export type PanelCommand =
  | 'newThread'
  | 'showWaitingThread'
  | 'importThread'
  | 'openThreadText'
  | 'setApiKey'
  | 'showLog'
  | 'openSettings'
  | 'openWalkthrough'
  | 'openFolder'
  | 'manageTrust'
  | 'startDemo'
  | 'showRules';

export function runCommand(command: PanelCommand): void {
  post({ type: 'run_command', command: `tiller.${command}` });
}

export function pick(what: Extract<WebviewMessage, { type: 'pick' }>['what']): void {
  post({ type: 'pick', what });
}

/** Sends the text in the composer: a new turn, an addition to the running one, or an edit of a queued message. */
export function sendDraft(): void {
  const text = draft.value.trim();
  if (text === '') return;
  const edit = queuedEdit.value;
  if (edit === null) sendText(text);
  else sendEdit(edit.id, text);
  queuedEdit.value = null;
  setDraft(edit?.draft ?? '');
}

export function sendText(text: string): void {
  const input: UserInput[] = [{ type: 'text', text }];
  followsEnd.value = true;
  if (thread.value === null) isBeginning.value = true;
  submit(isRunning.value ? { type: 'steer', input } : { type: 'user_turn', input });
}

/** Attachments of the message are kept. */
function sendEdit(id: string, text: string): void {
  const attached = queuedInputs.value.find((queued) => queued.id === id)?.input ?? [];
  followsEnd.value = true;
  submit({
    type: 'edit_queued',
    id,
    input: [{ type: 'text', text }, ...attached.filter(({ type }) => type !== 'text')],
  });
}

let draftTimer: ReturnType<typeof setTimeout> | undefined;

/** The host keeps the draft, too; it gets it debounced, and at once when an edit begins or ends. */
export function setDraft(text: string): void {
  draft.value = text;
  keepDraft(250);
}

/** Sends the current draft to the host. */
export function keepDraft(afterMs = 0): void {
  const message = { type: 'draft', threadId: threadId.value, text: draft.value, edit: queuedEdit.value } as const;
  clearTimeout(draftTimer);
  if (afterMs === 0) post(message);
  else draftTimer = setTimeout(() => post(message), afterMs);
}

export function addToDraft(text: string): void {
  setDraft(joined(draft.value, text));
  composerFocus.value++;
}

export function replaceDraft(text: string): void {
  setDraft(text);
  composerFocus.value++;
}

/** Loads a queued message into the composer. The draft before it returns after the edit. */
export function editQueued(id: string, text: string): void {
  const before = queuedEdit.value;
  if (before?.id === id) return;
  if (before !== null) submit({ type: 'hold_queued', id: before.id, held: false });
  submit({ type: 'hold_queued', id, held: true });
  showEdit({ id, original: text, draft: before?.draft ?? draft.value }, text);
}

/** Ends the edit; the queued message is not changed. */
export function cancelEdit(): void {
  const edit = queuedEdit.value;
  if (edit === null) return;
  showEdit(null, edit.draft);
  submit({ type: 'hold_queued', id: edit.id, held: false });
}

function showEdit(edit: QueuedEdit | null, text: string): void {
  queuedEdit.value = edit;
  replaceDraft(text);
  keepDraft();
}

export function withdrawQueued(id: string): void {
  const edit = queuedEdit.value;
  if (edit?.id === id) showEdit(null, edit.draft);
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
  const text = draft.value.trim();
  if (text === '') return;
  stopAndSend([{ type: 'text', text }]);
  setDraft('');
}

function stopAndSend(input: UserInput[]): void {
  followsEnd.value = true;
  submit({ type: 'interrupt' });
  submit({ type: 'user_turn', input });
}

const answered = new Set<string>();

/** Answers each of the requests once. A second click on the same request does nothing. */
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

export function interrupt(): void {
  submit({ type: 'interrupt' });
}

export function copyText(text: string): void {
  post({ type: 'copy', text });
  announcement.value = t('Copied');
}

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
