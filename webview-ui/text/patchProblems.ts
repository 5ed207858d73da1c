/** Describes the problems (diagnostics) that the editor reports after a patch. */
import type { PatchProblems, TurnItemOf } from '../../src/protocol/item.ts';
import { plural, t } from '../l10n.ts';

type Counts = Pick<PatchProblems, 'errors' | 'warnings' | 'fixed'>;

/** Describes counts: `2 new errors, 1 new warning, 1 problem fixed`. Returns `null` if nothing has changed. */
export function problemCounts({ errors, warnings, fixed }: Counts): string | null {
  const parts = [
    errors > 0 && plural(errors, '{0} new error', '{0} new errors'),
    warnings > 0 && plural(warnings, '{0} new warning', '{0} new warnings'),
    fixed > 0 && plural(fixed, '{0} problem fixed', '{0} problems fixed'),
  ].filter((part) => part !== false);
  return parts.length === 0 ? null : parts.join(', ');
}

type Patch = Pick<TurnItemOf<'file_change'>, 'changes' | 'problems'>;

/** The sums of problems after all patches of a turn. `unknown`: the number of files whose last state is not known. */
export type ProblemSums = Counts & { readonly unknown: number };

/** Sums up the problems of a turn's patches. Returns `null` if the editor's problems were read for none of them. */
export function problemsTogether(patches: readonly Patch[]): ProblemSums | null {
  const asked = patches.flatMap(({ changes, problems }) => (problems ? [{ changes, problems }] : []));
  if (asked.length === 0) return null;
  const unknown = new Set<string>();
  const sums = { errors: 0, warnings: 0, fixed: 0 };
  for (const { changes, problems } of asked) {
    for (const { path, movedTo } of changes) unknown.delete(movedTo ?? path);
    for (const path of [...problems.checking, ...problems.unchecked]) unknown.add(path);
    sums.errors += problems.errors;
    sums.warnings += problems.warnings;
    sums.fixed += problems.fixed;
  }
  return { ...sums, unknown: unknown.size };
}

/** One sentence about the problems of the editor after a patch. */
export function problemSentence(sums: ProblemSums): string {
  const { unknown } = sums;
  const parts = [
    problemCounts(sums) ?? (unknown === 0 ? t('no new problems') : null),
    unknown === 0 ? null : plural(unknown, '{0} file not checked for problems', '{0} files not checked for problems'),
  ].filter((part) => part !== null);
  return t('In the editor: {0}.', parts.join('; '));
}
