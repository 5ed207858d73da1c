import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/util/disposable.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import type { ThreadOwner } from '../../protocol/threads.ts';
import { visibleName } from '../../protocol/text/escapeInvisible.ts';
import type { InterruptedPatch, RecoveryChoice } from '../../protocol/wire.ts';
import type { RecoverablePatch, PatchSettlement } from './interruptedPatch.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';
import { pickPatch, pickChoice, sentenceOf, settledSentence, showSettlement, waitingFor } from './recoveryMessages.ts';
import { inWorkspace, shownPath } from '../ui/workspacePaths.ts';

interface Waiting {
  readonly patch: RecoverablePatch;
  readonly settling: RecoveryChoice | null;
}

/** Files that the panel names; a patch to more says how many there are. */
const NAMED_FILES = 100;

/**
 * Asks what is to become of patches that a crash left half landed, until it is decided: in the panel, in a notification,
 * in the status bar, in the palette. Whichever is answered first answers for all (design decisions 4 and 11).
 */
export class RecoveryOffer implements Disposable {
  readonly #find: () => Promise<readonly RecoverablePatch[]>;
  readonly #watch: (onSettled: () => void) => Disposable;
  readonly #onChange: () => void;
  readonly #report: (error: unknown) => void;
  readonly #store = new DisposableStore();
  /** How, or by whom else; `null`: that is not known. */
  readonly #decided = new Map<string, RecoveryChoice | ThreadOwner | null>();
  #waiting: readonly Waiting[] = [];
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #watcher: Disposable | undefined;

  /** `watch`: hears of what is settled elsewhere, while anything waits. `onChange`: `patches` are others now. */
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
    // Another window, or a command line, may have settled one meanwhile, or died in one itself.
    this.#store.add(vscode.window.onDidChangeWindowState(({ focused }) => focused && void this.look().catch(report)));
  }

  /** The oldest first. */
  get patches(): readonly InterruptedPatch[] {
    return this.#waiting.map(({ patch: { id, startedAt, changes }, settling }) => ({
      id,
      startedAt: startedAt.toISOString(),
      count: changes.length,
      files: changes.slice(0, NAMED_FILES).map(({ path, kind }) => ({ path: shownPath(path), kind })),
      settling,
    }));
  }

  /** Asks about those that are new, and about none that is settled. */
  look(): Promise<void> {
    this.#lookAgain = true;
    this.#looking ??= this.#lookUntilSeen().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  /** Says how it went. What is no longer there to be decided is left alone. */
  async settle(id: string, way: RecoveryChoice): Promise<void> {
    if (this.#open(id) === undefined) return;
    // A toast cannot be taken back: it stays in the list behind the bell, and says there that it is too late.
    await vscode.commands.executeCommand('notifications.hideToasts');
    await this.#settle(id, way);
  }

  /** For the palette: which patch, and what to do with it. */
  async pick(): Promise<void> {
    await this.look();
    const patch = await pickPatch(this.#waiting.filter(({ settling }) => settling === null).map(({ patch }) => patch));
    const way = patch && (await pickChoice(patch));
    if (way) await this.settle(patch.id, way);
  }

  dispose(): void {
    this.#watcher?.dispose();
    this.#store.dispose();
  }

  /** What happens during a look may have escaped it. */
  async #lookUntilSeen(): Promise<void> {
    while (this.#lookAgain) {
      this.#lookAgain = false;
      await this.#look();
    }
  }

  async #look(): Promise<void> {
    const found = await this.#find();
    const known = new Map(this.#waiting.map((waiting) => [waiting.patch.id, waiting]));
    const open = found.filter(({ id }) => !this.#decided.has(id));
    this.#set(open.map((patch) => known.get(patch.id) ?? { patch, settling: null }));
    for (const patch of open) if (!known.has(patch.id)) this.#notify(patch).catch(this.#report);
  }

  /** As an error: VS Code hides any other notification after some seconds, while nobody has decided anything. */
  async #notify(patch: RecoverablePatch): Promise<void> {
    const putBack = vscode.l10n.t('Roll Back');
    const finish = vscode.l10n.t('Finish');
    const answer = await vscode.window.showErrorMessage(sentenceOf(patch), putBack, finish);
    if (answer === undefined) return;
    // Behind the bell it outlives the question.
    if (this.#open(patch.id) === undefined) {
      void vscode.window.showInformationMessage(settledSentence(patch, this.#decisionOn(patch.id)));
    } else await this.#settle(patch.id, answer === putBack ? 'put_back' : 'finish');
  }

  /** To be decided, and not being carried out already. */
  #open(id: string): RecoverablePatch | undefined {
    return this.#waiting.find(({ patch, settling }) => patch.id === id && settling === null)?.patch;
  }

  /** What was decided here, or is being carried out, or who else has decided; `null` where that is not known. */
  #decisionOn(id: string): RecoveryChoice | ThreadOwner | null {
    return this.#decided.get(id) ?? this.#waiting.find(({ patch }) => patch.id === id)?.settling ?? null;
  }

  async #settle(id: string, way: RecoveryChoice): Promise<void> {
    const patch = this.#open(id);
    if (patch === undefined) return;
    this.#set(this.#waiting.map((waiting) => (waiting.patch === patch ? { patch, settling: way } : waiting)));
    try {
      const settlement = await carryOut(patch, way);
      if (settlement.type === 'busy') this.#ask(id);
      else {
        this.#decided.set(id, settlement.type === 'settled' ? way : settlement.by);
        this.#set(this.#waiting.filter((waiting) => waiting.patch.id !== id));
      }
      showSettlement(settlement, way);
    } catch (error) {
      this.#ask(id);
      this.#report(error);
      void vscode.window.showErrorMessage(withoutLinks(inWorkspace(visibleName(messageOf(error)))));
    }
  }

  /** It waits as before: the journal is there. */
  #ask(id: string): void {
    this.#set(this.#waiting.map((waiting) => (waiting.patch.id === id ? { ...waiting, settling: null } : waiting)));
  }

  #set(waiting: readonly Waiting[]): void {
    const isSame =
      waiting.length === this.#waiting.length && waiting.every((one, index) => one === this.#waiting[index]);
    if (isSame) return;
    this.#waiting = waiting;
    if (waiting.length > 0) this.#watcher ??= this.#watch(() => void this.look().catch(this.#report));
    else {
      this.#watcher?.dispose();
      this.#watcher = undefined;
    }
    this.#onChange();
  }
}

/** Waits for whoever else decides the same patch, and says so; the person may leave it to them. */
async function carryOut(patch: RecoverablePatch, way: RecoveryChoice): Promise<PatchSettlement> {
  const location = vscode.ProgressLocation.Notification;
  const title = way === 'put_back' ? vscode.l10n.t('Rolling the patch back…') : vscode.l10n.t('Finishing the patch…');
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
