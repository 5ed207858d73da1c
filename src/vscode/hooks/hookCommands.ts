import * as vscode from 'vscode';
import { commandOf, type Hook } from '../../core/hooks/definition.ts';
import type { SelectedHook, SelectedHooks } from '../../core/hooks/selectHooks.ts';
import { assertNever } from '../../core/util/assertNever.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';
import { announceOnce } from '../ui/announceOnce.ts';
import { withoutIcons } from '../ui/escapeUiText.ts';
import { confirmHook, confirmHooks, placeText } from './confirmHook.ts';

export interface HookCommandDeps {
  readonly current: () => Promise<SelectedHooks>;
  readonly decide: (hash: string, accepted: boolean) => Promise<void>;
  readonly memento: vscode.Memento;
}

interface HookItem extends vscode.QuickPickItem {
  readonly run?: () => unknown;
}

/** Proposals that were shown in a notification, by hash. */
const SEEN = 'tiller.seenHooks';

/** "Hooks": the list of hooks, where those of files are approved and refused. */
export class HookCommands {
  readonly #deps: HookCommandDeps;

  constructor(deps: HookCommandDeps) {
    this.#deps = deps;
  }

  async showHooks(): Promise<void> {
    const { hooks, problems, unknownEvents } = await this.#deps.current();
    const items = hooks.map((one) => this.#itemOf(one));
    const wrong = problems.map((problem): HookItem => ({ label: `$(error) ${withoutIcons(problem)}` }));
    const unknown = unknownEvents.map(({ event, source }): HookItem => {
      const label = vscode.l10n.t('$(dash) {0}: Tiller has no such event', withoutIcons(event));
      return { label, description: withoutIcons(vscode.workspace.asRelativePath(source)) };
    });
    const proposed = hooks.filter(({ state }) => state === 'proposed').map(({ hook }) => hook);
    const edit: HookItem = {
      label: vscode.l10n.t('$(gear) Edit the Setting…'),
      run: () => vscode.commands.executeCommand('workbench.action.openSettings', 'tiller.hooks'),
    };
    const all = [...items, ...wrong, ...unknown, ...(proposed.length > 1 ? [this.#all(proposed)] : []), edit];
    const chosen = await vscode.window.showQuickPick(all, {
      title: vscode.l10n.t('Hooks'),
      placeHolder: vscode.l10n.t('Select a hook to approve or refuse it, or to see where it is written'),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    await chosen?.run?.();
  }

  /** Says once for each hook that a file names it. */
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

  #itemOf({ hook, state }: SelectedHook): HookItem {
    const { icon, word } = stateOf(state, hook);
    const { event, matcher, source } = hook;
    const about = matcher === '' || matcher === '*' ? event : `${event} (${inOneLine(matcher)})`;
    return {
      label: `$(${icon}) ${withoutIcons(about)}`,
      description: withoutIcons(
        `${word} · ${hook.origin === 'settings' ? source : vscode.workspace.asRelativePath(source)}`,
      ),
      detail: withoutIcons(inOneLine(commandOf(hook))),
      run: () => this.#act({ hook, state }),
    };
  }

  #all(proposed: readonly Hook[]): HookItem {
    return {
      label: vscode.l10n.t('$(check-all) Approve All {0} Proposed Hooks…', proposed.length),
      run: async () => {
        if (!(await confirmHooks(proposed))) return;
        for (const { hash } of proposed) await this.#deps.decide(hash, true);
      },
    };
  }

  async #act({ hook, state }: SelectedHook): Promise<void> {
    const { hash } = hook;
    const approve: HookItem = {
      label: vscode.l10n.t('$(play) Approve…'),
      detail: placeText(hook),
      run: async () => {
        if (await confirmHook(hook)) await this.#deps.decide(hash, true);
      },
    };
    const refuse: HookItem = {
      label: vscode.l10n.t('$(circle-slash) Refuse'),
      run: () => this.#deps.decide(hash, false),
    };
    const open: HookItem =
      hook.origin === 'settings'
        ? {
            label: vscode.l10n.t('$(gear) Edit the Setting…'),
            run: () => vscode.commands.executeCommand('workbench.action.openSettings', 'tiller.hooks'),
          }
        : { label: vscode.l10n.t('$(go-to-file) Open File'), run: () => openFile(hook.source) };
    const choices =
      hook.origin === 'settings'
        ? [open]
        : [...(state === 'runs' ? [] : [approve]), ...(state === 'refused' ? [] : [refuse]), open];
    const chosen = await vscode.window.showQuickPick(choices, {
      title: vscode.l10n.t('Hook for {0}', hook.event),
      placeHolder: inOneLine(commandOf(hook)),
    });
    await chosen?.run?.();
  }
}

async function openFile(file: string): Promise<void> {
  await vscode.window.showTextDocument(vscode.Uri.file(file));
}

function stateOf(state: SelectedHook['state'], { origin }: Hook): { readonly icon: string; readonly word: string } {
  switch (state) {
    case 'runs':
      return origin === 'settings'
        ? { icon: 'plug', word: vscode.l10n.t('Runs') }
        : { icon: 'plug', word: vscode.l10n.t('Approved, runs') };
    case 'proposed':
      return { icon: 'question', word: vscode.l10n.t('Proposed, does not run') };
    case 'refused':
      return { icon: 'circle-slash', word: vscode.l10n.t('Refused') };
    default:
      return assertNever(state);
  }
}
