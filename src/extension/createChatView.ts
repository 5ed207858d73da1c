import type * as vscode from 'vscode';
import type { DisposableStore } from '../core/util/disposable.ts';
import { ChatView, type ChatViewOptions } from '../vscode/chat/chatView.ts';
import { panelSettings } from '../vscode/chat/panelSettings.ts';
import type { Agent } from './createAgent.ts';
import type { Editors } from './createEditors.ts';
import type { Host } from './createHost.ts';
import type { TurnChoices } from './createTurnChoices.ts';

declare const TILLER_VERSION: string;

/** Messages of earlier threads that the composer can recall; one message to the panel holds at most 256 kB. */
const RECALLED_MESSAGES = 1000;
const RECALLED_CHARACTERS = 64 * 1024;

export interface ChatViewDeps
  extends Pick<
    ChatViewOptions,
    'drafts' | 'submit' | 'interrupted' | 'pendingComments' | 'handle' | 'onShown' | 'onGone'
  > {
  readonly choices: TurnChoices;
  /** The ids of the entries in quarantine. */
  readonly quarantined: () => readonly string[];
}

/** The panel, with what it shows of the thread, the settings and the reviews. */
export function createChatView(
  context: vscode.ExtensionContext,
  { log, settings, redactor, tell }: Host,
  { proposalTabs: { proposals }, review }: Editors,
  agent: Agent,
  { choices, quarantined, ...deps }: ChatViewDeps,
  store: DisposableStore,
): ChatView {
  return store.add(
    new ChatView({
      ...deps,
      tell,
      extensionUri: context.extensionUri,
      build: TILLER_VERSION,
      threads: agent.threads,
      history: () => agent.history.recent(RECALLED_MESSAGES, RECALLED_CHARACTERS),
      settings: () =>
        panelSettings(
          settings(),
          agent.current(),
          {
            provider: agent.provider(),
            efforts: agent.efforts(),
            takesImages: agent.takesImages(),
            modelOfMode: choices.lastModels(),
          },
          quarantined(),
        ),
      keys: redactor.registered,
      reviews: () => proposals.approvals.map((id) => proposals.stateOf(id)),
      pendingReview: () => review.summary,
      log: (level, message) => log[level](message),
    }),
  );
}
