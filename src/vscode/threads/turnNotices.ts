import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import type { LiveThreads, ThreadUpdate } from '../../core/agent/liveThreads.ts';
import { isSubAgent } from '../../core/agent/threadActivity.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';
import type { Settings } from '../../protocol/settings.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';

/** Characters of the agent's last message in a notification. */
const MESSAGE_LENGTH = 160;

interface TurnNoticesDeps {
  readonly live: Pick<LiveThreads, 'onEvent'>;
  readonly settings: () => Pick<Settings, 'notifications.turnEnd'>;
  readonly showThread: (threadId: string) => void;
}

/** True while this window has the focus. */
export function isWindowFocused(): boolean {
  return vscode.window.state.focused;
}

/** Notifies the user that a turn has ended, by itself or by an error, while another window or program has the focus. */
export class TurnNotices implements Disposable {
  readonly #deps: TurnNoticesDeps;
  readonly #store = new DisposableStore();

  constructor(deps: TurnNoticesDeps) {
    this.#deps = deps;
    this.#store.add(deps.live.onEvent((update) => this.#take(update)));
  }

  dispose(): void {
    this.#store.dispose();
  }

  #take(update: ThreadUpdate): void {
    if (isWindowFocused() || this.#deps.settings()['notifications.turnEnd'] === 'never') return;
    const sentence = sentenceOf(update);
    if (sentence !== undefined) void this.#notify(sentence, update.state.threadId);
  }

  async #notify(sentence: string, threadId: string): Promise<void> {
    const show = vscode.l10n.t('Show');
    if ((await vscode.window.showInformationMessage(sentence, show)) === show) this.#deps.showThread(threadId);
  }
}

function sentenceOf({ event: { msg, turnId }, state }: ThreadUpdate): string | undefined {
  if (isSubAgent(state)) return undefined;
  const title = withoutLinks(state.title ?? vscode.l10n.t('Untitled'));
  if (msg.type === 'turn_completed') {
    const message = withoutLinks(inOneLine(msg.lastMessage ?? '', MESSAGE_LENGTH));
    return message === ''
      ? vscode.l10n.t('“{0}” is done.', title)
      : vscode.l10n.t('“{0}” is done: {1}', title, message);
  }
  if (msg.type !== 'turn_aborted' || msg.reason !== 'failed') return undefined;
  const error = state.turns.findLast(({ id }) => id === turnId)?.error?.message ?? '';
  return vscode.l10n.t('“{0}” has stopped: {1}', title, withoutLinks(inOneLine(error, MESSAGE_LENGTH)));
}

/** Notifies the user that the program of the setting `notify` could not be started, with the way to the setting. */
export async function warnOfNotifyProgram(reason: string): Promise<void> {
  const open = vscode.l10n.t('Open Settings');
  const sentence = vscode.l10n.t('The program of the setting “notify” was not started. {0}', withoutLinks(reason));
  if ((await vscode.window.showWarningMessage(sentence, open)) === open) {
    await vscode.commands.executeCommand('tiller.openSettings');
  }
}
