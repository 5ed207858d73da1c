import type * as vscode from 'vscode';
import type { MessageTarget } from '../core/agent/shownThread.ts';
import { isSubAgent } from '../core/agent/threadActivity.ts';
import type { DisposableStore } from '../core/util/disposable.ts';
import type { TurnOverrides } from '../protocol/op.ts';
import type { ChatMode, SandboxMode } from '../protocol/policy.ts';
import { ModeMemory, type RememberedModel } from '../vscode/chat/modeMemory.ts';
import { modeOverrides } from '../vscode/chat/modeOverrides.ts';
import { MODES } from '../vscode/chat/modes.ts';
import type { PanelRequestDeps } from '../vscode/chat/panelRequests.ts';
import { ModelChoice } from '../vscode/models/modelChoice.ts';
import type { UsedModels } from '../vscode/models/usedModels.ts';
import type { Agent } from './createAgent.ts';
import type { Host } from './createHost.ts';

/** The user's choices for the next turns: model, mode and permissions. */
export interface TurnChoices extends Pick<PanelRequestDeps, 'policyOf' | 'lastModel'> {
  readonly model: ModelChoice;
  /** Resolves to true if there is a model for the next turn; asks the user to select one where there is none. */
  readonly hasModel: () => Promise<boolean>;
  /** The model that was used last in each mode. */
  readonly lastModels: () => Readonly<Partial<Record<ChatMode, RememberedModel>>>;
  /** For the shown thread and new ones. */
  readonly override: (overrides: TurnOverrides) => Promise<void>;
  /** Changes a thread from Plan to Agent mode. */
  readonly leavePlanMode: (target: MessageTarget) => Promise<void>;
}

/** `onChange`: called when a choice has changed the settings of the next turn. */
export function createTurnChoices(
  context: vscode.ExtensionContext,
  { settings, report, tell }: Host,
  { threads, factory, sideCopies, current, hasProvider }: Agent,
  { used, onChange }: { readonly used: UsedModels; readonly onChange: () => void },
  store: DisposableStore,
): TurnChoices {
  const modes = new ModeMemory(context.globalState);
  const model = new ModelChoice({ settings, used, tell, report });
  const lastModel = (mode: ChatMode) => {
    const last = modes.of(mode);
    return last && hasProvider(last.provider) ? last : undefined;
  };
  const policyOf = (mode: SandboxMode) => factory.policyOf(mode, sideCopies.foldersAround(current().cwd));
  /** For new threads, too. */
  const choose = (overrides: TurnOverrides) => {
    factory.choose(overrides);
    if (overrides.provider !== undefined && overrides.model !== undefined) {
      model.choose(overrides.provider, overrides.model);
    }
  };
  store.add(
    threads.onEvent(({ event: { msg }, state }) => {
      // The model of an agent was not chosen for the mode.
      if (msg.type !== 'turn_started' || isSubAgent(state) || state.started?.agent !== undefined) return;
      const provider = msg.settings.provider ?? threads.state?.started?.provider;
      if (provider === undefined) return;
      modes.note(msg.settings, provider).then(undefined, report);
      used.note(provider, msg.settings.model).then(undefined, report);
    }),
  );
  return {
    model,
    hasModel: () => model.ensure(() => current().model),
    lastModel,
    lastModels: () => Object.fromEntries(MODES.map(({ mode }) => [mode, lastModel(mode)])),
    policyOf,
    override: async (overrides) => {
      choose(overrides);
      if (threads.state) await threads.submit({ type: 'override_turn_context', ...overrides });
      onChange();
    },
    leavePlanMode: async (target) => {
      const overrides = modeOverrides('agent', policyOf, lastModel) ?? {};
      choose(overrides);
      // The mode is that of this thread only: others begin with the mode of the settings.
      factory.forgetMode();
      await threads.send({ type: 'override_turn_context', ...overrides }, target);
      onChange();
    },
  };
}
