/** Plans how a side copy is brought home: from base, workspace and copy to proposals for each file. Pure. */
import { hunksFrom } from '../patch/hunkAlgebra.ts';
import type { FileChange, ProposedFile } from '../ports.ts';
import type { ProposalChoices } from '../../protocol/policy.ts';
import { baseAfter, differences, type MergedText, mergeThree } from './mergeThree.ts';

/** The content of a path in the base, the workspace or the copy. */
export type CopyContent =
  | { readonly type: 'absent' }
  | {
      readonly type: 'file';
      /** The hash of the bytes. */
      readonly hash: string;
      readonly mode: number;
      /** `null`: it is not text, too long, or not kept. */
      readonly text: string | null;
    }
  /** A link, a folder or a device: it is not brought home. */
  | { readonly type: 'other' };

/** A file that differs between base and copy. */
export interface CopyFile {
  /** Relative to its folder, with the folder's name in front where there are several. */
  readonly name: string;
  /** Absolute, in the workspace. */
  readonly path: string;
  readonly base: CopyContent;
  /** Unsaved text included. */
  readonly home: CopyContent;
  readonly result: CopyContent;
}

/** Other permission bits that the copy has given a file which the workspace has, too. */
export interface ModeChange {
  /** In the workspace. */
  readonly before: number;
  readonly after: number;
  /** The workspace has changed them, too. */
  readonly isConflict: boolean;
}

export type FilePlan =
  /** Shown in the diff, decided hunk by hunk. `merged` is absent where the file is taken or left as a whole. */
  | {
      readonly type: 'proposed';
      readonly file: CopyFile;
      readonly proposal: ProposedFile;
      readonly merged?: MergedText;
      /** Decided apart from the hunks. */
      readonly mode?: ModeChange;
      /** Indices of hunks; of a file without hunks `'file'`. They are left out until the user restores them. */
      readonly conflicts: readonly number[] | 'file';
    }
  /** Not text: taken or left as a whole. */
  | {
      readonly type: 'whole';
      readonly file: CopyFile;
      readonly isConflict: boolean;
      /** Decided apart from the content. */
      readonly mode?: ModeChange;
    }
  /** Only its permission bits differ. */
  | { readonly type: 'mode'; readonly file: CopyFile; readonly mode: ModeChange }
  /** The workspace holds the same already. */
  | { readonly type: 'known'; readonly file: CopyFile }
  | { readonly type: 'impossible'; readonly file: CopyFile };

/** One plan for each file, in the same order. */
export function planBringHome(files: readonly CopyFile[]): readonly FilePlan[] {
  return files.map(planFile);
}

function planFile(file: CopyFile): FilePlan {
  const { base, home, result } = file;
  if (base.type === 'other' || home.type === 'other' || result.type === 'other') return { type: 'impossible', file };
  if (result.type === 'absent') return planDeletion(file, base, home);
  if (home.type === 'absent') return planAddition(file, base, result);
  const mode = modeChange(base, home, result);
  const onlyMode = (): FilePlan => (mode === undefined ? { type: 'known', file } : { type: 'mode', file, mode });
  if (home.hash === result.hash) return onlyMode();
  const isUntouched = base.type === 'file' && base.hash === home.hash;
  if (home.text === null || result.text === null) {
    return { type: 'whole', file, isConflict: !isUntouched, ...(mode === undefined ? {} : { mode }) };
  }
  const baseText = isUntouched ? home.text : base.type === 'file' ? base.text : null;
  const merged = baseText === null ? differences(home.text, result.text) : mergeThree(baseText, home.text, result.text);
  if (merged.hunks.length === 0) return onlyMode();
  const change: FileChange = {
    kind: 'update',
    path: file.path,
    before: home.text,
    after: merged.text,
    hunks: hunksFrom(home.text, merged.text),
    movedTo: null,
    movedOver: null,
  };
  const hunks = merged.hunks.map((hunk) => ({ before: hunk.home, after: hunk.merged, ...conflictOf(hunk.state) }));
  const conflicts = merged.hunks.flatMap(({ state }, index) => (state === 'conflict' ? [index] : []));
  const proposal = { name: file.name, change, hunks };
  return { type: 'proposed', file, proposal, merged, ...(mode === undefined ? {} : { mode }), conflicts };
}

function conflictOf(state: 'clean' | 'conflict'): { isConflict?: true } {
  return state === 'conflict' ? { isConflict: true } : {};
}

/** Deleted in the copy. */
function planDeletion(file: CopyFile, base: Known, home: Known): FilePlan {
  if (home.type === 'absent') return { type: 'known', file };
  const isUntouched = base.type === 'file' && base.hash === home.hash;
  if (home.text === null) return { type: 'whole', file, isConflict: !isUntouched };
  const change: FileChange = { kind: 'delete', path: file.path, before: home.text };
  return wholeProposal(file, change, !isUntouched);
}

/** New in the copy, or deleted in the workspace since. */
function planAddition(file: CopyFile, base: Known, result: KnownFile): FilePlan {
  const isConflict = base.type === 'file';
  if (result.text === null) return { type: 'whole', file, isConflict };
  return wholeProposal(file, { kind: 'add', path: file.path, text: result.text, before: null }, isConflict);
}

function wholeProposal(file: CopyFile, change: FileChange, isConflict: boolean): FilePlan {
  const proposal = { name: file.name, change, hunks: [] };
  return { type: 'proposed', file, proposal, conflicts: isConflict ? 'file' : [] };
}

/** `undefined` where the copy has not changed them, or the workspace has them already. */
function modeChange(base: Known, home: KnownFile, result: KnownFile): ModeChange | undefined {
  const isChanged = base.type === 'absent' || base.mode !== result.mode;
  if (!isChanged || home.mode === result.mode) return undefined;
  const isConflict = base.type === 'absent' || base.mode !== home.mode;
  return { before: home.mode, after: result.mode, isConflict };
}

/** The permission bits with which a file that is taken as a whole is written: those of the copy only for a new one. */
export function modeOfWhole({ home, result }: CopyFile): number | undefined {
  if (result.type !== 'file') return undefined;
  return home.type === 'file' ? home.mode : result.mode;
}

type Known = Exclude<CopyContent, { type: 'other' }>;
type KnownFile = Extract<CopyContent, { type: 'file' }>;

/** The choices with which the review begins: conflicts are left out. `undefined` where there are none. */
export function firstChoices(plans: readonly FilePlan[]): ProposalChoices | undefined {
  const choices = plans.flatMap((plan) => {
    if (plan.type !== 'proposed' || plan.conflicts.length === 0) return [];
    const leftOut = plan.conflicts === 'file' ? ('file' as const) : [...plan.conflicts];
    return [{ path: plan.file.name, leftOut }];
  });
  return choices.length === 0 ? undefined : choices;
}

/** The user's decision about one file of the review. */
export interface FileDecision {
  /** The whole file is left as it is. */
  readonly isOut: boolean;
  /** The decision for each hunk; an edited hunk counts as brought home. */
  readonly hunks: readonly ('in' | 'out' | 'edited')[];
  /** The permission bits of the workspace stay as they are. */
  readonly isModeOut?: boolean;
}

export type NextContent =
  /** Nothing of the content came home. */
  | { readonly type: 'unchanged' }
  /** All of it did. */
  | { readonly type: 'result' }
  /** Some of it did. */
  | { readonly type: 'text'; readonly text: string };

export interface NextBase {
  readonly content: NextContent;
  /** The permission bits of the copy are those of the base from now on. */
  readonly takesMode: boolean;
}

const UNCHANGED: NextContent = { type: 'unchanged' };
const RESULT: NextContent = { type: 'result' };

/** The new base of a file after the decision about it is carried out. */
export function nextBase(plan: FilePlan, decision: FileDecision): NextBase {
  const content = nextContent(plan, decision);
  const mode = plan.type === 'known' || plan.type === 'impossible' ? undefined : plan.mode;
  const isWithContent = mode === undefined && content.type !== 'unchanged';
  return { content, takesMode: isWithContent || (mode !== undefined && decision.isModeOut !== true) };
}

function nextContent(plan: FilePlan, decision: FileDecision): NextContent {
  if (plan.type === 'mode') return RESULT;
  if (plan.type !== 'proposed' || plan.merged === undefined) return decision.isOut ? UNCHANGED : RESULT;
  const { base, home, result } = plan.file;
  const { merged } = plan;
  const taken = new Set([...merged.hunks.keys()].filter((index) => !decision.isOut && decision.hunks[index] !== 'out'));
  if (taken.size === merged.hunks.length) return RESULT;
  const isUntouched = base.type === 'file' && home.type === 'file' && base.hash === home.hash;
  const baseText = isUntouched ? home.text : base.type === 'file' ? base.text : null;
  if (baseText === null || result.type !== 'file' || result.text === null) return UNCHANGED;
  if (taken.size === 0 && merged.known.length === 0) return UNCHANGED;
  return { type: 'text', text: baseAfter(baseText, result.text, merged, taken) };
}
