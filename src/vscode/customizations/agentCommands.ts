import * as vscode from 'vscode';
import type { SelectedAgent, SelectedAgents } from '../../core/agentFiles/selectAgents.ts';
import type { AgentRole } from '../../core/tools/agents/agents.ts';
import type { TrustDecision } from '../../core/trust/trust.ts';
import { announceOnce } from '../ui/announceOnce.ts';
import { approveText } from '../ui/approveText.ts';
import { withoutIcons, withoutLinks } from '../ui/escapeUiText.ts';
import {
  decisionItems,
  type ListItem,
  listItem,
  openItem,
  problemItem,
  showList,
  unusedStateLabel,
} from '../ui/proposalList.ts';
import type { ReadOnlyTexts } from '../ui/readOnlyTexts.ts';

export interface AgentCommandDeps {
  readonly current: () => Promise<SelectedAgents>;
  readonly decide: (hash: string, decision: TrustDecision) => Promise<void>;
  readonly builtin: readonly AgentRole[];
  readonly memento: vscode.Memento;
  /** Shows a file before it is approved. */
  readonly texts: Pick<ReadOnlyTexts, 'open'>;
}

/** Proposals that were shown in a notification, by hash. */
const SEEN = 'tiller.seenAgents';

/** "Show Agents": the list of agents, where those of a workspace are approved and refused. */
export class AgentCommands {
  readonly #deps: AgentCommandDeps;

  constructor(deps: AgentCommandDeps) {
    this.#deps = deps;
  }

  async showAgents(): Promise<void> {
    const { agents, problems } = await this.#deps.current();
    const builtin = this.#deps.builtin.map(
      ({ name, description }): ListItem => ({
        label: `$(hubot) ${name}`,
        description: vscode.l10n.t('Built in'),
        detail: withoutIcons(description),
      }),
    );
    const wrong = problems.map((problem) => problemItem(problem));
    await showList([...builtin, ...agents.map((agent) => this.#itemOf(agent)), ...wrong], {
      title: vscode.l10n.t('Agents'),
      placeHolder: vscode.l10n.t('Select an agent of a file to see it, or to approve or refuse it'),
    });
  }

  /**
   * Lets the user pick an agent of a file that is used. The built-in ones work for another agent, not for the user. Resolves to
   * `undefined` when none was picked, or there is none.
   */
  async pick(): Promise<AgentRole | undefined> {
    const used = (await this.#deps.current()).agents.filter(({ state }) => state === 'used');
    if (used.length === 0) {
      const show = vscode.l10n.t('Show Agents');
      const sentence = vscode.l10n.t('No agent file is used: write one, or approve one of this workspace.');
      if ((await vscode.window.showInformationMessage(sentence, show)) === show) await this.showAgents();
      return undefined;
    }
    const rows = used.map((agent) => ({
      role: agent.role,
      ...listItem({
        icon: 'hubot',
        word: agent.role.model ?? '',
        name: agent.role.name,
        source: agent.file.source,
        detail: agent.role.description,
        run: () => {},
      }),
    }));
    const title = vscode.l10n.t('New Thread with Agent');
    const placeHolder = vscode.l10n.t('Select the agent whose instructions, tools and model the thread has');
    const options = { title, placeHolder, matchOnDescription: true, matchOnDetail: true };
    return (await vscode.window.showQuickPick(rows, options))?.role;
  }

  /** Notifies the user once of each agent that a file of the workspace proposes. */
  async announce(): Promise<void> {
    const { agents } = await this.#deps.current();
    const proposed = agents.filter(({ state }) => state === 'proposed');
    await announceOnce(proposed, {
      memento: this.#deps.memento,
      key: SEEN,
      sentence: (first, count) => {
        const file = vscode.workspace.asRelativePath(first.file.source);
        return count === 1
          ? vscode.l10n.t('{0} describes an agent that Tiller does not use until you approve it.', file)
          : vscode.l10n.t(
              '{0} agents of this workspace are not used until you approve them, the first in {1}.',
              count,
              file,
            );
      },
      button: vscode.l10n.t('Show Agents'),
      show: () => this.showAgents(),
    });
  }

  #itemOf(agent: SelectedAgent): ListItem {
    const { role, file, state, notes } = agent;
    return listItem({
      ...(state === 'used' ? { icon: 'hubot', word: vscode.l10n.t('Used') } : unusedStateLabel(state)),
      name: role.name,
      source: file.source,
      detail: [role.description, ...notes].join(' '),
      run: () => this.#act(agent),
    });
  }

  async #approve({ role, file, hash }: SelectedAgent): Promise<void> {
    const question = withoutLinks(vscode.l10n.t('May the model use the agent {0}, as its file says it?', role.name));
    const name = vscode.workspace.asRelativePath(file.source);
    const decision = await approveText({ hash, name, text: file.text ?? '', question }, this.#deps.texts);
    if (decision !== undefined) await this.#deps.decide(hash, decision);
  }

  async #act(agent: SelectedAgent): Promise<void> {
    const { role, file, hash, state } = agent;
    const approve = {
      detail: vscode.l10n.t(
        'Shows the whole file first. The model may use it, until its file changes; what it does is asked about like what the thread does.',
      ),
      run: () => this.#approve(agent),
    };
    const isOpen = file.origin === 'workspace' && state !== 'shadowed';
    const decisions = isOpen
      ? decisionItems({ state, approve, decide: (decision) => this.#deps.decide(hash, decision) })
      : [];
    await showList([...decisions, openItem(file.source)], {
      title: vscode.l10n.t('Agent {0}', role.name),
      placeHolder: role.description,
    });
  }
}
