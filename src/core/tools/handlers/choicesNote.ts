/** The note to the model about a patch that the user changed before approval. */
import { textAfter } from '../../patch/proposalChoices.ts';
import { unifiedDiffOfTexts } from '../../patch/unifiedDiff.ts';
import type { FileReview, ProposalChoices } from '../../../protocol/policy.ts';
import type { FileChange, ProposedFile } from '../../ports.ts';

/** In characters. The model can read the file for the rest. */
const MAX_DIFFERENCE = 4_000;

/** `applied`: the changes that were left of the proposal. */
export function reviewNote(
  proposal: readonly ProposedFile[],
  review: ProposalChoices,
  applied: readonly FileChange[],
): string {
  const differences = proposal.flatMap(({ name, change }) => {
    const now = applied.find(({ path, kind }) => path === change.path && kind === change.kind);
    return now === undefined || change.kind === 'delete' ? [] : [textsOf(name, change, now)];
  });
  const difference = differences.join('');
  const lines = [
    `The user reviewed this patch before it landed and did not take it as you wrote it: ${review.map((part) => wordOf(part, proposal)).join('; ')}. Respect that: do not do it again another way.`,
  ];
  if (difference !== '') lines.push('From what you wrote (-) to what landed (+):', cut(difference));
  return lines.join('\n');
}

function textsOf(name: string, proposed: FileChange, now: FileChange): string {
  return unifiedDiffOfTexts(name, textAfter(proposed), textAfter(now));
}

function wordOf(part: FileReview, proposal: readonly ProposedFile[]): string {
  if ('text' in part) return `${part.path} was edited by the user`;
  const count = proposal.find(({ name }) => name === part.path)?.hunks.length ?? 0;
  const { leftOut } = part;
  if (leftOut === 'file') return `${part.path} was rejected and is unchanged`;
  return `${new Set(leftOut).size} of ${count} hunks in ${part.path} rejected`;
}

function cut(difference: string): string {
  const text = difference.trimEnd();
  if (text.length <= MAX_DIFFERENCE) return text;
  return `${text.slice(0, MAX_DIFFERENCE)}\n… cut here; read the files before you edit them again.`;
}
