import type { DisposableStore } from '../core/util/disposable.ts';
import type { ChatView } from '../vscode/chat/chatView.ts';
import type { MessageSender } from '../vscode/chat/messageSender.ts';
import { PlanCommands } from '../vscode/plans/planCommands.ts';
import { PlanDocuments } from '../vscode/plans/planDocuments.ts';
import { provideKeptDocuments } from '../vscode/undo/keptDocuments.ts';
import { RevertCommands } from '../vscode/undo/revertCommands.ts';
import type { Agent } from './createAgent.ts';
import type { TurnChoices } from './createTurnChoices.ts';

/** Commands about the turns of a thread: to revert what they have changed, and to run the plans that they have proposed. */
export interface TurnCommands {
  readonly reverts: RevertCommands;
  readonly plans: PlanCommands;
}

export interface TurnCommandsDeps {
  readonly view: ChatView;
  readonly sender: MessageSender;
  readonly choices: Pick<TurnChoices, 'hasModel' | 'leavePlanMode'>;
  /** Absolute. */
  readonly planFolder: string;
}

/** Creates the commands, and shows kept contents of files as documents of VS Code. */
export function createTurnCommands(
  { threads, service, ports }: Agent,
  { view, sender, choices, planFolder }: TurnCommandsDeps,
  store: DisposableStore,
): TurnCommands {
  if (ports.baseline !== undefined) store.add(provideKeptDocuments(ports.baseline));
  const reverts = new RevertCommands({
    threads,
    live: service.live,
    giveBack: (input, threadId) => view.giveBack(input, threadId),
    hasModel: choices.hasModel,
    send: (input, target) => sender.submit({ type: 'user_turn', input: [...input] }, target),
  });
  const plans = store.add(
    new PlanCommands({
      threads,
      documents: new PlanDocuments(planFolder),
      leavePlanMode: choices.leavePlanMode,
      send: async (text, target) =>
        void (await sender.send({ type: 'user_turn', input: [{ type: 'text', text }] }, target)),
    }),
  );
  return { reverts, plans };
}
