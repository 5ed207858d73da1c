/** The note to the model about a patch that the user changed before approval. */
import { linesOfHunks, textAfter } from '../../patch/proposalChoices.ts';
import { unifiedDiffOfTexts } from '../../patch/unifiedDiff.ts';
import type { FileReview, ProposalChoices } from '../../../protocol/policy.ts';
import type { FileChange, ProposedFile } from '../../ports.ts';
import { pathsOfChange } from './patchTool.ts';

/** In characters. The model can read the file for the rest. */
const MAX_DIFFERENCE = 4_000;
/** In characters: of each hunk that the user has rejected with a reason. */
const MAX_HUNK = 600;

/**
 * `applied`: the remaining changes of the proposal. `isSecret`: true for a path with secrets: what the user has written there
 * in place of the model's text is not for the model.
 */
export function reviewNote(
  proposal: readonly ProposedFile[],
  review: ProposalChoices,
  applied: readonly FileChange[],
  isSecret: (path: string) => boolean,
): string {
  const isHidden = ({ change }: ProposedFile) => pathsOfChange(change).some(isSecret);
  const differences = proposal.flatMap((file) => {
    const { name, change } = file;
    if (isHidden(file)) return [];
    const now = applied.find(({ path, kind }) => path === change.path && kind === change.kind);
    return now === undefined || change.kind === 'delete' ? [] : [textsOf(name, change, now)];
  });
  const difference = differences.join('');
  const lines = [
    `The user reviewed this patch before it was applied and did not take it as you wrote it: ${review.map((part) => wordOf(part, proposal)).join('; ')}. Respect that: do not do it again another way.`,
  ];
  const hidden = proposal.filter((file) => isHidden(file) && review.some(({ path }) => path === file.name));
  if (hidden.length > 0) {
    lines.push(
      `Of ${hidden.map(({ name }) => name).join(', ')} no line is shown: files with secrets are for the user.`,
    );
  }
  lines.push(...reasonsFor(proposal, review));
  if (difference !== '') lines.push('From what you wrote (-) to what was applied (+):', cut(difference));
  return lines.join('\n');
}

/** The reasons that the user has given, each beside the hunk that it is about. */
export function reasonsFor(proposal: readonly ProposedFile[], review: ProposalChoices): readonly string[] {
  return review.flatMap((part) => {
    const file = proposal.find(({ name }) => name === part.path);
    if (file === undefined) return [];
    const hunks = linesOfHunks(file);
    return (part.reasons ?? []).map(({ hunk, text }) => {
      const lines = hunk === null ? undefined : hunks[hunk];
      if (lines === undefined) return `Why ${part.path} was rejected, in the user's words: ${text}`;
      const changed = [...lines.removed.map((line) => `-${line}`), ...lines.added.map((line) => `+${line}`)];
      return `Why this hunk of ${part.path} was rejected, in the user's words: ${text}\n${cutHunk(changed.map(withFeed).join(''))}`;
    });
  });
}

function withFeed(line: string): string {
  return line.endsWith('\n') ? line : `${line}\n`;
}

function cutHunk(hunk: string): string {
  const text = hunk.trimEnd();
  return text.length <= MAX_HUNK ? text : `${text.slice(0, MAX_HUNK)}\n… cut here.`;
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
