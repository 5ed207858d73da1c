import * as vscode from 'vscode';
import { assertNever } from '../../core/util/assertNever.ts';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import { visibleName } from '../../protocol/text/escapeInvisible.ts';
import type { InterruptedPatch, RecoveryChoice } from '../../protocol/wire.ts';
import type { RecoverablePatch, PatchSettlement } from './interruptedPatch.ts';
import { afterSearch, openIn, type PatchState, type PatchStates, type Search, withState } from './patchState.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';
import { pickPatch, pickChoice, sentenceOf, settledSentence, showSettlement, waitingFor } from './recoveryMessages.ts';
import { inWorkspace, shownPath } from '../ui/workspacePaths.ts';

/** Maximum files that the panel names; for a patch to more it shows the number. */
const NAMED_FILES = 100;

/**
 * Asks the user to finish or roll back patches that a crash interrupted, until each is decided: in the panel, in a
 * notification, in the status bar, in the palette. The first answer counts for all (design decisions 4 and 11).
 */
export class RecoveryOffer implements Disposable {
  readonly #find: () => Promise<readonly RecoverablePatch[]>;
  readonly #watch: (onSettled: () => void) => Disposable;
  readonly #onChange: () => void;
  readonly #report: (error: unknown) => void;
  readonly #store = new DisposableStore();
  #states: PatchStates = new Map();
  #search: Search = { type: 'none' };
  /** Exists while a patch is open. */
  #watcher: Disposable | undefined;

  /**
   * `watch` calls its listener when another process has settled a patch; used while one is open. `onChange`: `patches` have
   * changed.
   */
  constructor({
    find,
    watch,
    onChange,
    report,
  }: {
    readonly find: () => Promise<readonly RecoverablePatch[]>;
    readonly watch: (onSettled: () => void) => Disposable;
    readonly onChange: () => void;
    readonly report: (error: unknown) => void;
  }) {
    this.#find = find;
    this.#watch = watch;
    this.#onChange = onChange;
    this.#report = report;
    // Another window, or a command line, may have settled a patch since, or left one by a crash of its own.
    this.#store.add(vscode.window.onDidChangeWindowState(({ focused }) => focused && void this.look().catch(report)));
  }

  /** The oldest first. */
  get patches(): readonly InterruptedPatch[] {
    return openIn(this.#states).map((state) => {
      const { id, startedAt, changes } = state.patch;
      return {
        id,
        startedAt: startedAt.toISOString(),
        count: changes.length,
        files: changes.slice(0, NAMED_FILES).map(({ path, kind }) => ({ path: shownPath(path), kind })),
        settling: state.type === 'settling' ? state.way : null,
      };
    });
  }

  /** Asks about the patches that are new since the last search. */
  look(): Promise<void> {
    const search = this.#search;
    switch (search.type) {
      case 'none': {
        const done = Promise.resolve().then(() => this.#lookWhileAsked());
        this.#search = { type: 'running', done };
        return done;
      }
      case 'running':
        this.#search = { type: 'repeating', done: search.done };
        return search.done;
      case 'repeating':
        return search.done;
      default:
        return assertNever(search);
    }
  }

  /** Settles the patch and informs the user of the outcome. Does nothing for a patch that is no longer offered. */
  async settle(id: string, way: RecoveryChoice): Promise<void> {
    if (this.#states.get(id)?.type !== 'offered') return;
    // A toast cannot be removed: it stays in the list behind the bell, and shows there that it is too late.
    await vscode.commands.executeCommand('notifications.hideToasts');
    await this.#settle(id, way);
  }

  /** Asks for a patch, and for the choice: the command of the palette. */
  async pick(): Promise<void> {
    await this.look();
    const offered = openIn(this.#states).filter(({ type }) => type === 'offered');
    const patch = await pickPatch(offered.map(({ patch }) => patch));
    const way = patch && (await pickChoice(patch));
    if (way) await this.settle(patch.id, way);
  }

  dispose(): void {
    this.#watcher?.dispose();
    this.#store.dispose();
  }

  async #lookWhileAsked(): Promise<void> {
    try {
      await this.#look();
      while (this.#search.type === 'repeating') {
        this.#search = { type: 'running', done: this.#search.done };
        await this.#look();
      }
    } finally {
      this.#search = { type: 'none' };
    }
  }

  async #look(): Promise<void> {
    const found = await this.#find();
    const before = this.#states;
    this.#update(afterSearch(before, found));
    for (const patch of found) if (!before.has(patch.id)) this.#notify(patch).catch(this.#report);
  }

  /** Notifies as an error: VS Code hides any other notification after some seconds, before the user has decided. */
  async #notify(patch: RecoverablePatch): Promise<void> {
    const putBack = vscode.l10n.t('Roll Back');
    const finish = vscode.l10n.t('Finish');
    const answer = await vscode.window.showErrorMessage(sentenceOf(patch), putBack, finish);
    if (answer === undefined) return;
    // A notification stays behind the bell when the patch is settled.
    const state = this.#states.get(patch.id);
    if (state?.type === 'offered') return this.#settle(patch.id, answer === putBack ? 'roll_back' : 'finish');
    void vscode.window.showInformationMessage(settledSentence(patch, decisionIn(state)));
  }

  async #settle(id: string, way: RecoveryChoice): Promise<void> {
    const state = this.#states.get(id);
    if (state?.type !== 'offered') return;
    const { patch } = state;
    this.#update(withState(this.#states, id, { type: 'settling', patch, way }));
    try {
      const settlement = await carryOut(patch, way);
      if (settlement.type === 'busy') this.#offerAgain(id);
      else {
        const by = settlement.type === 'settled' ? way : settlement.by;
        this.#update(withState(this.#states, id, { type: 'settled', by }));
      }
      showSettlement(settlement, way);
    } catch (error) {
      this.#offerAgain(id);
      this.#report(error);
      void vscode.window.showErrorMessage(withoutLinks(inWorkspace(visibleName(messageOf(error)))));
    }
  }

  /** Offers a patch again whose journal is still there, unless a search has found it gone. */
  #offerAgain(id: string): void {
    const state = this.#states.get(id);
    if (state?.type !== 'settling') return;
    this.#update(withState(this.#states, id, { type: 'offered', patch: state.patch }));
  }

  #update(states: PatchStates): void {
    const before = openIn(this.#states);
    const open = openIn(states);
    this.#states = states;
    if (open.length === before.length && open.every((patch, index) => patch === before[index])) return;
    if (open.length > 0) this.#watcher ??= this.#watch(() => void this.look().catch(this.#report));
    else {
      this.#watcher?.dispose();
      this.#watcher = undefined;
    }
    this.#onChange();
  }
}

/** The choice that was made, as far as it is known. */
function decisionIn(state: PatchState | undefined): Extract<PatchState, { type: 'settled' }>['by'] {
  switch (state?.type) {
    case 'settled':
      return state.by;
    case 'settling':
      return state.way;
    case 'offered':
    case undefined:
      return null;
    default:
      return assertNever(state);
  }
}

/** Waits while another process settles the same patch, and shows it; the user may leave the choice to that process. */
async function carryOut(patch: RecoverablePatch, way: RecoveryChoice): Promise<PatchSettlement> {
  const location = vscode.ProgressLocation.Notification;
  const title = way === 'roll_back' ? vscode.l10n.t('Rolling the patch back…') : vscode.l10n.t('Finishing the patch…');
  return vscode.window.withProgress({ location, title, cancellable: true }, async (progress, token) => {
    const leaving = new AbortController();
    const listener = token.onCancellationRequested(() => leaving.abort());
    try {
      return await patch.settle(way, {
        signal: leaving.signal,
        onWait: (owner) => progress.report({ message: waitingFor(owner) }),
      });
    } finally {
      listener.dispose();
    }
  });
}
