/** What a person can ask for. Every click and key ends here; nothing here changes the thread (design, "words go down"). */
import type { ErrorAction } from '../src/protocol/policy.ts';
import type { ApprovalDecision } from '../src/protocol/policy.ts';
import type { UserInput } from '../src/protocol/item.ts';
import type { Op } from '../src/protocol/op.ts';
import type { WebviewMessage } from '../src/protocol/wire.ts';
import { post } from './bridge.ts';
import { t } from './l10n.ts';
import {
  composerFocus,
  draft,
  isBeginning,
  isRunning,
  joined,
  shownTurns,
  thread,
  TURN_WINDOW,
  turns,
} from './store.ts';
import { announcement, denying, editedQueue, followsEnd, makingRule } from './view.ts';

export function submit(op: Op): void {
  post({ type: 'op', op });
}

/** Commands the host must have; `wire.ts` lets any `tiller.*` through. */
export type PanelCommand =
  | 'newThread'
  | 'showWaitingThread'
  | 'importThread'
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

/** Sends what stands in the composer: a turn, a word to the running one, or a queued word said better. */
export function sendDraft(): void {
  const text = draft.value.trim();
  if (text === '') return;
  const after = editedQueue.value?.draft ?? '';
  sendText(text);
  setDraft(after);
}

export function sendText(text: string): void {
  const input: UserInput[] = [{ type: 'text', text }];
  const queued = thread.value?.queuedInputs.find(({ id }) => id === editedQueue.value?.id);
  editedQueue.value = null;
  followsEnd.value = true;
  if (thread.value === null) isBeginning.value = true;
  if (queued !== undefined) submit({ type: 'edit_queued', id: queued.id, input });
  else submit(isRunning.value ? { type: 'steer', input } : { type: 'user_turn', input });
}

let draftTimer: ReturnType<typeof setTimeout> | undefined;

/** The host keeps the draft too; it is told when the fingers rest. */
export function setDraft(text: string): void {
  const id = thread.value?.threadId ?? null;
  draft.value = text;
  clearTimeout(draftTimer);
  draftTimer = setTimeout(() => post({ type: 'draft', threadId: id, text }), 250);
}

export function addToDraft(text: string): void {
  setDraft(joined(draft.value, text));
  composerFocus.value++;
}

export function replaceDraft(text: string): void {
  setDraft(text);
  composerFocus.value++;
}

/** What was being written steps aside until the queued message is better, or left as it was. */
export function editQueued(id: string, text: string): void {
  editedQueue.value = { id, draft: editedQueue.value?.draft ?? draft.value };
  replaceDraft(text);
}

export function leaveQueued(): void {
  const after = editedQueue.value?.draft ?? '';
  editedQueue.value = null;
  replaceDraft(after);
}

export function withdrawQueued(id: string): void {
  submit({ type: 'edit_queued', id, input: null });
}

/** Stops the turn and begins the next one with this message; the others that are queued follow it. */
export function sendQueuedNow(id: string): void {
  const queued = thread.value?.queuedInputs ?? [];
  const first = queued.find((message) => message.id === id);
  if (first === undefined) return;
  for (const message of queued) withdrawQueued(message.id);
  stopAndSend([...first.input]);
  for (const { input } of queued.filter((message) => message !== first)) submit({ type: 'steer', input: [...input] });
}

/** The same with what stands in the composer. */
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

/** One answer to each of them. A second click on the same question says nothing. */
export function decide(approvalIds: string | readonly string[], decision: ApprovalDecision): void {
  const open = [approvalIds].flat().filter((id) => !answered.has(id));
  if (open.length === 0) return;
  for (const id of open) answered.add(id);
  denying.value = null;
  makingRule.value = null;
  submit({ type: 'approval', approvalIds: open, decision });
}

/** Another way from this message or answer on; from the end where none is named. */
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

/** The one thing that helps against an error. */
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
      return submit({ type: 'compact' });
    case 'new_thread':
      return runCommand('newThread');
    case 'show_log':
      return runCommand('showLog');
  }
}
