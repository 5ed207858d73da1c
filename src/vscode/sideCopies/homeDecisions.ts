/** The outcome of a review: the changes that came home, and the content of the copy's base from then on. */
import { type FileDecision, type FilePlan, type NextBase, nextBase } from '../../core/sideCopies/planBringHome.ts';
import type { SettledFile } from '../../core/sideCopies/sideCopy.ts';
import { contentBytes } from '../workspace/textContent.ts';
import type { HomeFile } from './homeFiles.ts';
import type { ModeSet } from './homeModes.ts';
import type { Review } from './homeReview.ts';
import type { PickedAsWhole } from './pickWholeFiles.ts';

const OUT: FileDecision = { isOut: true, hunks: [] };

/** The decisions of the user. */
export interface HomeDecisions {
  /** Decisions about texts that were reviewed, by the name of the file. */
  readonly states: ReadonlyMap<string, FileDecision>;
  readonly picked: PickedAsWhole;
  /** Permission bits that were set. */
  readonly modes: readonly ModeSet[];
}

export interface HomeOutcome {
  readonly settled: readonly SettledFile[];
  /** Files with changes that came home and that the workspace did not have before. */
  readonly brought: readonly FilePlan[];
  /** Files with changes that stay in the copy. */
  readonly left: readonly FilePlan[];
}

/** Call when the changes were applied. Rejects where a text cannot be encoded. */
export async function outcomeOf({ plans, files }: Review, decisions: HomeDecisions): Promise<HomeOutcome> {
  const settled: SettledFile[] = [];
  const brought: FilePlan[] = [];
  const left: FilePlan[] = [];
  for (const plan of plans) {
    const base = nextBase(plan, decisionOn(plan, decisions));
    if (isAnythingHome(plan, base)) brought.push(plan);
    if (isAnythingLeft(base)) left.push(plan);
    const file = files.get(plan.file.path);
    const outcome = file && (await settledFile(file, base));
    if (outcome !== undefined) settled.push(outcome);
  }
  return { settled, brought, left };
}

function decisionOn(plan: FilePlan, { states, picked, modes }: HomeDecisions): FileDecision {
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

function isAnythingHome(plan: FilePlan, { content, takesMode }: NextBase): boolean {
  if (plan.type === 'known') return false;
  return plan.type === 'mode' ? takesMode : content.type !== 'unchanged' || takesMode;
}

function isAnythingLeft({ content, takesMode }: NextBase): boolean {
  return content.type !== 'result' || !takesMode;
}

/** `undefined` where the base stays as it is. */
async function settledFile(
  { change, resultContent, base, home }: HomeFile,
  { content, takesMode }: NextBase,
): Promise<SettledFile | undefined> {
  const own = base.type === 'file' ? base.mode : home.type === 'file' ? home.mode : undefined;
  const mode = takesMode || own === undefined ? {} : { mode: own };
  switch (content.type) {
    case 'result':
      return { change, base: { type: 'result' }, ...mode };
    case 'unchanged':
      return takesMode ? { change, base: { type: 'base' }, ...mode } : undefined;
    case 'text': {
      if (resultContent === undefined) return undefined;
      const bytes = await contentBytes({ ...resultContent, text: content.text });
      return { change, base: { type: 'bytes', bytes }, ...mode };
    }
  }
}
