/** "Bring Home": the changes of a side copy in Tiller's own review, against what the editors hold now. */
import * as vscode from 'vscode';
import { contentHash } from '../../core/baseline/contentHash.ts';
import { decidedChanges } from '../../core/patch/placedChange.ts';
import { reviewedChanges } from '../../core/patch/proposalChoices.ts';
import type { FileChange, ProposedFile } from '../../core/ports.ts';
import { WorkspaceError } from '../../core/ports.ts';
import { beginChoices } from '../../core/sideCopies/carryChoices.ts';
import {
  type FileDecision,
  type FilePlan,
  modeOfWhole,
  nextBase,
  planBringHome,
} from '../../core/sideCopies/planBringHome.ts';
import type { CopyChange, SettledFile, SideCopy, SideCopyStore } from '../../core/sideCopies/sideCopy.ts';
import type { Disposable } from '../../core/util/disposable.ts';
import { decodeText, encodeText } from '../../core/util/textBytes.ts';
import type { ProposalChoices } from '../../protocol/policy.ts';
import type { ReviewState } from '../../protocol/review.ts';
import type { ApplyChange } from '../apply/model.ts';
import type { EditorWorkspace } from '../apply/editorWorkspace.ts';
import { contentBytes } from '../workspace/textContent.ts';
import { withoutLinks } from '../ui/escapeUiText.ts';
import { shownPath } from '../ui/workspacePaths.ts';
import { type HomeDeps, type HomeFile, homeFiles } from './homeFiles.ts';
import { leftBehind, tellConflicts, tellInUse } from './homeMessages.ts';
import { type ModeSet, resetModes, setModes } from './homeModes.ts';
import { type PickedAsWhole, pickWholeFiles } from './pickWholeFiles.ts';

/** Files in one review; further ones are taken or left as a whole. */
const MAX_REVIEWED = 300;
/** Of a file that is taken as a whole. */
const MAX_WHOLE_BYTES = 64 * 1024 * 1024;
const ORIGIN = 'side-copy-';
/** Permission bits that the system gives a new file, beside those for writing by others. */
const ORDINARY = 0o644;

/** The diff editors of proposals. */
export interface ReviewTabs {
  propose(
    approvalId: string,
    files: readonly ProposedFile[],
    reviewed: ProposalChoices | undefined,
    options: { readonly takesReasons: false },
  ): void;
  show(approvalId: string, options: { readonly focus: boolean }): Promise<boolean>;
  close(approvalId: string): Promise<void>;
  reviewOf(approvalId: string): ProposalChoices | undefined;
  stateOf(approvalId: string): ReviewState;
}

/** A change without its place. */
type HomeChange = FileChange & Pick<Extract<ApplyChange, { kind: 'add' }>, 'exactly' | 'overBytes'>;

export interface SettledCopy {
  readonly copy: SideCopy;
  readonly what: 'brought_home' | 'undone';
  /** Files of the workspace that were changed by that. Absolute. */
  readonly paths: readonly string[];
}

export interface BringHomeDeps extends HomeDeps {
  readonly store: SideCopyStore;
  readonly workspace: Pick<EditorWorkspace, 'places'>;
  readonly tabs: ReviewTabs;
  /** As a patch that can be undone. */
  readonly apply: (
    changes: readonly ApplyChange[],
    origin: { turnId: string; itemId: string },
  ) => ReturnType<EditorWorkspace['apply']>;
  /** Call with what "Undo Patch" has undone; `restored` are the files, absolute. */
  readonly onUndone: (
    listener: (undone: { readonly id: string; readonly restored: readonly string[] }) => void,
  ) => Disposable;
  /** Something has come home, or was undone. */
  readonly onSettled: (settled: SettledCopy) => void;
  readonly report: (error: unknown) => void;
}

/** A review that waits for the user. */
interface Review {
  readonly copy: SideCopy;
  readonly plans: readonly FilePlan[];
  readonly files: ReadonlyMap<string, HomeFile>;
}

interface Settled {
  readonly copy: SideCopy;
  /** Whose base has moved. */
  readonly files: readonly CopyChange[];
  /** Files of the workspace that were changed. */
  readonly paths: readonly string[];
  /** Files of the patch that "Undo Patch" knows. */
  readonly patched: readonly string[];
  /** Permission bits that were changed, which no patch has. */
  readonly modes: readonly ModeSet[];
}

export class BringHome {
  readonly #deps: BringHomeDeps;
  readonly #reviews = new Map<string, Review>();
  /** By the id of the patch that "Undo Patch" knows. */
  readonly #settled = new Map<string, Settled>();
  #count = 0;
  readonly #listener: Disposable;

  constructor(deps: BringHomeDeps) {
    this.#deps = deps;
    this.#listener = deps.onUndone(({ id, restored }) => void this.#undone(id, restored).catch(deps.report));
  }

  dispose(): void {
    this.#listener.dispose();
  }

  /** Whether this is the review of a side copy. */
  has(approvalId: string): boolean {
    return this.#reviews.has(approvalId);
  }

  /** Shows what the copy has changed. Nothing is written before the user approves. */
  async open(copy: SideCopy): Promise<void> {
    const review = await this.#read(copy);
    if (review === undefined) return;
    const id = idOf(copy);
    const before = this.#reviews.get(id);
    const proposals = proposalsOf(review);
    const earlier = before && { plans: before.plans, choices: this.#deps.tabs.reviewOf(id) };
    const choices = beginChoices(review.plans, earlier);
    if (proposals.length === 0 && !review.plans.some(isChoosable)) return this.#nothingLeft(review);
    this.#reviews.set(id, review);
    if (proposals.length === 0) return this.approve(id);
    this.#deps.tabs.propose(id, proposals, choices, { takesReasons: false });
    await this.#deps.tabs.show(id, { focus: true });
    tellConflicts(review.plans, choices);
  }

  /** Applies what the user has left of the review, all of it or nothing. */
  async approve(approvalId: string): Promise<void> {
    const review = this.#reviews.get(approvalId);
    if (review === undefined) return;
    let again: string | undefined;
    const isAlone = await this.#deps.store.alone(review.copy.id, async () => {
      again = await this.#approve(approvalId, review);
    });
    if (!isAlone) tellInUse();
    // Outside the lock, which an approval without a review takes again.
    if (again !== undefined) await this.#again(review, again);
  }

  /** Call when the copy is removed. */
  async forget(copy: SideCopy): Promise<void> {
    if (this.has(idOf(copy))) await this.leave(idOf(copy));
  }

  /** Closes the review; the changes stay in the copy. */
  async leave(approvalId: string): Promise<void> {
    this.#reviews.delete(approvalId);
    await this.#deps.tabs.close(approvalId);
  }

  /** `undefined` when the user cancels. */
  async #read(copy: SideCopy): Promise<Review | undefined> {
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Comparing the side copy with the workspace'),
      cancellable: true,
    };
    return vscode.window.withProgress(options, async (_progress, token) => {
      const cancel = new AbortController();
      token.onCancellationRequested(() => cancel.abort());
      try {
        const { changes, isPartial } = await this.#deps.store.losses(copy.id, cancel.signal);
        if (isPartial) {
          const sentence = vscode.l10n.t('The side copy has more than 200,000 files: not all of them were compared.');
          void vscode.window.showWarningMessage(sentence);
        }
        const files = await homeFiles(copy, changes, this.#deps, cancel.signal);
        const plans = planBringHome(files).map((plan, index) => (index < MAX_REVIEWED ? plan : asWhole(plan)));
        return { copy, plans, files: new Map(files.map((file) => [file.path, file])) };
      } catch (error) {
        if (cancel.signal.aborted) return undefined;
        throw error;
      }
    });
  }

  /** A sentence for the user where nothing was changed and the review must be shown again. */
  async #approve(approvalId: string, review: Review): Promise<string | undefined> {
    const { tabs, workspace } = this.#deps;
    const picked = await pickWholeFiles(review.plans);
    if (picked === undefined || !this.has(approvalId)) return undefined;
    // The choices in the tabs are those of another review.
    if (this.#reviews.get(approvalId) !== review)
      return vscode.l10n.t('The side copy was compared again while the list was open. Nothing was changed.');
    const states = new Map(tabs.stateOf(approvalId).files.map((state) => [state.path, state]));
    const texts = reviewedChanges(proposalsOf(review), tabs.reviewOf(approvalId) ?? []);
    const wholeChanges = await Promise.all([...picked.files].map((plan) => this.#wholeChange(plan, review)));
    const missing = wholeChanges.find((change) => typeof change === 'string');
    if (missing !== undefined) {
      void vscode.window.showWarningMessage(withoutLinks(missing));
      return undefined;
    }
    const all = [
      ...texts.map((change) => asSeen(change, review)),
      ...wholeChanges.filter((change) => typeof change !== 'string'),
    ];
    if (all.length + picked.modes.size === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('No changes are selected to bring home.'));
      return undefined;
    }
    const places = await workspace.places(all.map(({ path }) => path));
    const found = [...places].flatMap(([path, place]) =>
      place instanceof WorkspaceError ? [] : [[path, place] as const],
    );
    if (found.length < places.size) return vscode.l10n.t('A folder of the workspace is gone, or is a link now.');
    const itemId = `${ORIGIN}${review.copy.id}-${++this.#count}`;
    const origin = { turnId: itemId, itemId };
    const result = all.length === 0 ? undefined : await this.#deps.apply(decidedChanges(all, new Map(found)), origin);
    if (result?.type === 'stale') {
      return vscode.l10n.t(
        'These files changed at the same moment: {0}. Nothing was changed.',
        result.paths.map(shownPath).join(', '),
      );
    }
    if (result?.type === 'failed') {
      void vscode.window.showErrorMessage(withoutLinks(result.message));
      return undefined;
    }
    const modes = await setModes(picked.modes, this.#deps);
    const decisions = new Map(
      review.plans.map((plan): [FilePlan, FileDecision] => [plan, decisionOn(plan, states, picked, modes)]),
    );
    const settled = await settledFiles(decisions, review);
    await this.#deps.store.settle(review.copy.id, settled);
    const { copy, plans } = review;
    const brought = plans.filter((plan) => isAnythingHome(plan, nextBase(plan, decisions.get(plan) ?? OUT)));
    const paths = brought.map(({ file }) => file.path);
    this.#settled.set(itemId, {
      copy,
      files: settled.map(({ change }) => change),
      paths,
      patched: all.map((one) => one.path),
      modes,
    });
    await this.leave(approvalId);
    this.#deps.onSettled({ copy, what: 'brought_home', paths });
    const left = plans.filter((plan) => isAnythingLeft(nextBase(plan, decisions.get(plan) ?? OUT)));
    this.#tellDone(copy, [brought.length, left.length], { itemId, isPatch: result !== undefined });
    return undefined;
  }

  /** The same review with what the workspace holds now. */
  async #again(review: Review, sentence: string): Promise<void> {
    void vscode.window.showWarningMessage(withoutLinks(sentence));
    await this.open(review.copy);
  }

  /** All that the copy changed is in the workspace already, for example after a crash had cut off the end of `#approve`. */
  async #nothingLeft(review: Review): Promise<void> {
    const known = review.plans.filter(({ type }) => type === 'known');
    const impossible = review.plans.filter(({ type }) => type === 'impossible');
    const files = known.flatMap(({ file }) => review.files.get(file.path) ?? []);
    const settled = files.map(({ change }) => ({ change, base: { type: 'result' as const } }));
    if (!(await this.#deps.store.alone(review.copy.id, () => this.#deps.store.settle(review.copy.id, settled)))) {
      return tellInUse();
    }
    this.#deps.onSettled({ copy: review.copy, what: 'brought_home', paths: known.map(({ file }) => file.path) });
    const sentence = vscode.l10n.t('The side copy has no changes to bring home.');
    void vscode.window.showInformationMessage([sentence, ...leftBehind(impossible)].join(' '));
  }

  /** A sentence for the user where the copy was changed since. */
  async #wholeChange(plan: FilePlan, { files }: Review): Promise<HomeChange | string> {
    const { file } = plan;
    const { found } = files.get(file.path) ?? {};
    const changed = vscode.l10n.t('{0} was changed in the side copy in the meantime. Bring it home again.', file.name);
    const discards = found?.isDirty === true ? { discardsUnsaved: true } : {};
    const before = found?.content?.text ?? null;
    if (file.result.type === 'absent') return { kind: 'delete', path: file.path, before, ...discards };
    const copy = files.get(file.path)?.change.copy ?? '';
    const bytes = await this.#deps.store.content(copy, MAX_WHOLE_BYTES);
    if (bytes === undefined) return vscode.l10n.t('{0} is larger than 64 MiB: copy it yourself.', file.name);
    if (file.result.type !== 'file' || contentHash(bytes) !== file.result.hash) return changed;
    const text = decodeText(bytes)?.text ?? null;
    const exactly = { text, bytes, mode: modeOfWhole(file), linkTarget: undefined };
    const over = before === null && found?.disk !== undefined ? { overBytes: found.disk.bytes } : {};
    return { kind: 'add', path: file.path, text: text ?? '', before, exactly, ...over, ...discards };
  }

  /** `isPatch`: more than permission bits came home, which "Undo Patch" knows. */
  #tellDone(
    copy: SideCopy,
    [brought, left]: readonly [brought: number, left: number],
    { itemId, isPatch }: { readonly itemId: string; readonly isPatch: boolean },
  ): void {
    const done =
      brought === 1 ? vscode.l10n.t('Brought home 1 file.') : vscode.l10n.t('Brought home {0} files.', brought);
    const rest =
      left === 1
        ? vscode.l10n.t('Changes of 1 file are left in the side copy.')
        : vscode.l10n.t('Changes of {0} files are left in the side copy.', left);
    const undo = isPatch ? vscode.l10n.t('Undo Patch') : vscode.l10n.t('Undo');
    const remove = vscode.l10n.t('Remove Side Copy');
    const [sentence, buttons] = left === 0 ? [done, [undo, remove]] : [`${done} ${rest}`, [undo]];
    void vscode.window.showInformationMessage(sentence, ...buttons).then((chosen) => {
      if (chosen === undo) {
        return isPatch ? vscode.commands.executeCommand('tiller.undoPatch', itemId) : this.#undone(itemId);
      }
      return chosen === remove ? vscode.commands.executeCommand('tiller.removeSideCopy', copy.id) : undefined;
    }, this.#deps.report);
  }

  /**
   * What came home was undone there: the copy offers it again. Files that no patch has, such as those with other
   * permission bits alone, are undone with the last file of their patch.
   */
  async #undone(id: string, restored: readonly string[] = []): Promise<void> {
    const settled = this.#settled.get(id);
    if (settled === undefined) return;
    const { copy, files, paths, modes } = settled;
    const patched = settled.patched.filter((file) => !restored.includes(file));
    const isBack = (file: string) => patched.length === 0 || restored.includes(file);
    const isAlone = await this.#deps.store.alone(copy.id, async () => {
      await resetModes(
        modes.filter(({ path }) => isBack(path)),
        this.#deps,
      );
      await this.#deps.store.unsettle(
        copy.id,
        files.filter(({ home }) => isBack(home)),
      );
    });
    if (!isAlone) return tellInUse();
    if (patched.length === 0) this.#settled.delete(id);
    else {
      this.#settled.set(id, {
        copy,
        patched,
        files: files.filter(({ home }) => !isBack(home)),
        paths: paths.filter((file) => !isBack(file)),
        modes: modes.filter(({ path }) => !isBack(path)),
      });
    }
    this.#deps.onSettled({ copy, what: 'undone', paths: paths.filter(isBack) });
  }
}

const OUT: FileDecision = { isOut: true, hunks: [] };

function idOf({ id }: SideCopy): string {
  return `${ORIGIN}${id}`;
}

function proposalsOf({ plans }: Review): readonly ProposedFile[] {
  return plans.flatMap((plan) => (plan.type === 'proposed' ? [plan.proposal] : []));
}

function isChoosable({ type }: FilePlan): boolean {
  return type === 'proposed' || type === 'whole' || type === 'mode';
}

function isAnythingHome(plan: FilePlan, { content, takesMode }: ReturnType<typeof nextBase>): boolean {
  if (plan.type === 'known') return false;
  return plan.type === 'mode' ? takesMode : content.type !== 'unchanged' || takesMode;
}

function isAnythingLeft({ content, takesMode }: ReturnType<typeof nextBase>): boolean {
  return content.type !== 'result' || !takesMode;
}

function asWhole(plan: FilePlan): FilePlan {
  if (plan.type !== 'proposed') return plan;
  const { file, mode } = plan;
  const isUntouched =
    file.home.type === file.base.type &&
    (file.home.type !== 'file' || (file.base.type === 'file' && file.home.hash === file.base.hash));
  return { type: 'whole', file, isConflict: !isUntouched, ...(mode === undefined ? {} : { mode }) };
}

function decisionOn(
  plan: FilePlan,
  states: ReadonlyMap<string, FileDecision>,
  picked: PickedAsWhole,
  modes: readonly ModeSet[],
): FileDecision {
  const isModeOut = !modes.some(({ path }) => path === plan.file.path);
  switch (plan.type) {
    case 'proposed':
      return { ...(states.get(plan.file.name) ?? OUT), isModeOut };
    case 'whole':
      return { isOut: !picked.files.has(plan), hunks: [], isModeOut };
    case 'mode':
      return { isOut: false, hunks: [], isModeOut };
    case 'known':
      return { isOut: false, hunks: [] };
    case 'impossible':
      return OUT;
  }
}

/** The user saw the unsaved text in the review, and a new file gets the permissions that it has in the copy. */
function asSeen(change: FileChange, { files }: Review): HomeChange {
  const file = files.get(change.path);
  const discards = change.kind !== 'update' && file?.found?.isDirty === true ? { discardsUnsaved: true } : {};
  if (change.kind !== 'add' || file?.result.type !== 'file' || (file.result.mode & 0o755) === ORDINARY)
    return { ...change, ...discards };
  const mark = file.resultContent?.hasByteOrderMark ?? false;
  const bytes = encodeText(change.text, mark);
  const { mode } = file.result;
  return { ...change, ...discards, exactly: { text: change.text, bytes, mode, linkTarget: undefined } };
}

async function settledFiles(
  decisions: ReadonlyMap<FilePlan, FileDecision>,
  { files }: Review,
): Promise<readonly SettledFile[]> {
  const settled: SettledFile[] = [];
  for (const [plan, decision] of decisions) {
    const file = files.get(plan.file.path);
    const { content, takesMode } = nextBase(plan, decision);
    if (file === undefined || (content.type === 'unchanged' && !takesMode)) continue;
    const { change, resultContent, base, home } = file;
    const own = base.type === 'file' ? base.mode : home.type === 'file' ? home.mode : undefined;
    const mode = takesMode || own === undefined ? {} : { mode: own };
    if (content.type === 'result') settled.push({ change, base: { type: 'result' }, ...mode });
    else if (content.type === 'unchanged') settled.push({ change, base: { type: 'base' }, ...mode });
    else if (resultContent !== undefined) {
      const bytes = await contentBytes({ ...resultContent, text: content.text });
      settled.push({ change, base: { type: 'bytes', bytes }, ...mode });
    }
  }
  return settled;
}
