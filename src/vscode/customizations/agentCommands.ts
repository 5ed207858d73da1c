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
  unusedLook,
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

/** "Agents": the list of agents, where those of a workspace are approved and refused. */
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
      ...(state === 'used' ? { icon: 'hubot', word: vscode.l10n.t('Used') } : unusedLook(state)),
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
