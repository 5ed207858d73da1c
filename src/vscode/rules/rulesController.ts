import * as vscode from 'vscode';
import { explainCommand } from '../../core/policy/decideCommand.ts';
import { explanationOf } from '../../core/policy/explanation.ts';
import type { Ports } from '../../core/ports.ts';
import { applyRuleEdit } from '../../core/rules/ruleEdits.ts';
import type { RulesPlace, RulesStore, ThreadMemory } from '../../core/rules/rulesStore.ts';
import { startsPrograms } from '../../core/tools/gitTrust.ts';
import type { TurnSettings } from '../../protocol/event.ts';
import type { CommandExplanation, RuleEdit, RuleEditResult } from '../../protocol/rules.ts';
import type { RulesPageState } from '../../protocol/rulesWire.ts';
import type { RulesPageDeps } from './rulesPage.ts';
import type { ThreadChange, ShownThread } from '../../core/agent/shownThread.ts';

export interface RulesControllerDeps {
  readonly rules: RulesStore;
  readonly threads: ShownThread;
  /** The settings that commands run under now. */
  readonly current: () => TurnSettings;
  readonly ports: Pick<Ports, 'host' | 'workspace'>;
}

/** The rules that hold in this window: the user's, the workspace folder's and the shown thread's. */
export class RulesController implements RulesPageDeps {
  readonly #deps: RulesControllerDeps;

  constructor(deps: RulesControllerDeps) {
    this.#deps = deps;
  }

  async state(): Promise<RulesPageState> {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const memory = this.#memory;
    return {
      overview: await this.#deps.rules.overview(this.#place, memory),
      workspaceName: folder?.name ?? null,
      workspaceFolder: folder?.uri.fsPath ?? null,
      hasThread: memory !== null,
      trusted: vscode.workspace.isTrusted,
    };
  }

  edit(edit: RuleEdit): Promise<RuleEditResult> {
    const { rules, threads } = this.#deps;
    const memory = this.#memory;
    const thread = memory && { memory, submit: (op: Parameters<ShownThread['submit']>[0]) => void threads.submit(op) };
    return applyRuleEdit(edit, rules, this.#place, thread);
  }

  async explain(command: string): Promise<CommandExplanation> {
    const { current, ports } = this.#deps;
    const { rules } = await this.#deps.rules.inForce(this.#place, this.#memory);
    const { approvalPolicy, sandboxPolicy, box, noSandboxCause, cwd } = current();
    const argv = ['bash', '-c', command];
    const gitStartsPrograms = await startsPrograms(argv, cwd, ports);
    const circumstances = { approvalPolicy, sandboxPolicy, box, noSandboxCause, gitStartsPrograms, rules } as const;
    const { platform } = ports.host;
    return explanationOf(explainCommand({ ...circumstances, sandboxPermissions: 'use_default', platform, argv }));
  }

  get #place(): RulesPlace {
    return { cwd: this.#deps.current().cwd, trusted: vscode.workspace.isTrusted };
  }

  get #memory(): ThreadMemory | null {
    const { state } = this.#deps.threads;
    return state && { threadId: state.threadId, keys: state.approvedKeys, rules: state.approvedRules };
  }
}

/** Returns true if the rules page may show something else after the change. */
export function changesRules(change: ThreadChange): boolean {
  if (change.type === 'switched') return true;
  switch (change.event.msg.type) {
    case 'approval_resolved':
    case 'memory_changed':
    case 'turn_context_changed':
    case 'turn_completed':
    case 'turn_aborted':
      return true;
    case 'item_completed':
      return change.event.msg.item.type === 'command_execution';
    default:
      return false;
  }
}
