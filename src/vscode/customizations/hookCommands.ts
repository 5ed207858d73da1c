import * as vscode from 'vscode';
import { commandOf, type Hook } from '../../core/hooks/definition.ts';
import type { SelectedHook, SelectedHooks } from '../../core/hooks/selectHooks.ts';
import type { TrustDecision } from '../../core/trust/trust.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';
import { announceOnce } from '../ui/announceOnce.ts';
import { withoutIcons } from '../ui/escapeUiText.ts';
import {
  decisionItems,
  type ListItem,
  listItem,
  openItem,
  problemItem,
  settingItem,
  showList,
  unusedStateLabel,
} from '../ui/proposalList.ts';
import { confirmHook, confirmHooks, placeText } from './confirmHook.ts';

export interface HookCommandDeps {
  readonly current: () => Promise<SelectedHooks>;
  readonly decide: (hash: string, decision: TrustDecision) => Promise<void>;
  readonly memento: vscode.Memento;
}

/** Proposals that were shown in a notification, by hash. */
const SEEN = 'tiller.seenHooks';
const SETTING = 'tiller.hooks';

/** "Show Hooks": the list of hooks, where those of files are approved and refused. */
export class HookCommands {
  readonly #deps: HookCommandDeps;

  constructor(deps: HookCommandDeps) {
    this.#deps = deps;
  }

  async showHooks(): Promise<void> {
    const { hooks, problems, unknownEvents } = await this.#deps.current();
    const items = hooks.map((hook) => this.#itemOf(hook));
    const wrong = problems.map((problem) => problemItem(problem));
    const unknown = unknownEvents.map(({ event, source }): ListItem => {
      const label = vscode.l10n.t('$(dash) {0}: Tiller has no such event', withoutIcons(event));
      return { label, description: withoutIcons(vscode.workspace.asRelativePath(source)) };
    });
    const proposed = hooks.filter(({ state }) => state === 'proposed').map(({ hook }) => hook);
    const all = proposed.length > 1 ? [this.#all(proposed)] : [];
    await showList([...items, ...wrong, ...unknown, ...all, settingItem(SETTING)], {
      title: vscode.l10n.t('Hooks'),
      placeHolder: vscode.l10n.t('Select a hook to approve or refuse it, or to see where it is written'),
    });
  }

  /** Notifies the user of each hook that a file names, once. */
  async announce({ hooks }: SelectedHooks): Promise<void> {
    const proposed = hooks.filter(({ state }) => state === 'proposed').map(({ hook }) => hook);
    await announceOnce(proposed, {
      memento: this.#deps.memento,
      key: SEEN,
      sentence: (first, count) => {
        const what = inOneLine(commandOf(first));
        const file = vscode.workspace.asRelativePath(first.source);
        return count === 1
          ? vscode.l10n.t('{0} names a hook that Tiller does not run until you approve it: {1}', file, what)
          : vscode.l10n.t('{0} hooks do not run until you approve them, the first in {1}: {2}', count, file, what);
      },
      button: vscode.l10n.t('Show Hooks'),
      show: () => this.showHooks(),
    });
  }

  #itemOf({ hook, state }: SelectedHook): ListItem {
    const { event, matcher, source, origin } = hook;
    const word = origin === 'settings' ? vscode.l10n.t('Runs') : vscode.l10n.t('Approved, runs');
    return listItem({
      ...(state === 'runs' ? { icon: 'plug', word } : unusedStateLabel(state)),
      name: matcher === '' || matcher === '*' ? event : `${event} (${inOneLine(matcher)})`,
      source,
      detail: commandOf(hook),
      run: () => this.#act({ hook, state }),
    });
  }

  #all(proposed: readonly Hook[]): ListItem {
    return {
      label: vscode.l10n.t('$(check-all) Approve All {0} Proposed Hooks…', proposed.length),
      run: async () => {
        if (!(await confirmHooks(proposed))) return;
        for (const { hash } of proposed) await this.#deps.decide(hash, 'approved');
      },
    };
  }

  async #act({ hook, state }: SelectedHook): Promise<void> {
    const { hash, origin, source } = hook;
    const approve = {
      detail: placeText(hook),
      run: async () => {
        if (await confirmHook(hook)) await this.#deps.decide(hash, 'approved');
      },
    };
    const decide = (decision: TrustDecision) => this.#deps.decide(hash, decision);
    const items =
      origin === 'settings'
        ? [settingItem(SETTING)]
        : [...decisionItems({ state: state === 'runs' ? 'used' : state, approve, decide }), openItem(source)];
    await showList(items, { title: vscode.l10n.t('Hook for {0}', hook.event), placeHolder: commandOf(hook) });
  }
}
