/** Applies a patch and finds out how the problems in the editor have changed by it. */
import type { ApplyResult, CheckedFile, DecidedChange, PatchedFile } from '../../ports.ts';
import { shownPath } from '../files/filePaths.ts';
import { refusalsOf } from '../files/readGuard.ts';
import type { ProblemsAfterPatch, ToolContext } from '../handler.ts';
import { type ProblemReport, problemReport } from './problemReport.ts';

/**
 * Settles as `apply` does. Once that has applied the changes, waits until the editor has checked them
 * (`ProblemWatch.settle`), and no longer than the signal.
 */
export async function checkedApply(
  changes: readonly DecidedChange[],
  context: ToolContext,
  apply: () => Promise<ApplyResult>,
): Promise<{ readonly result: ApplyResult; readonly report?: ProblemReport | undefined }> {
  const { problems, signal } = context;
  if (problems === undefined) return { result: await apply() };
  const patched = changes.flatMap(patchedFile);
  const hidden = await hiddenIn(patched, context);
  const watch = await problems.port.watch(patched);
  try {
    const result = await apply();
    if (result.type !== 'applied') return { result };
    const files = await readableOnly(await watch.settle(signal), hidden, context);
    return { result, report: reportOf(files, problems, context) };
  } finally {
    watch.dispose();
  }
}

function reportOf(
  files: readonly CheckedFile[],
  { level }: ProblemsAfterPatch,
  { settings }: ToolContext,
): ProblemReport | undefined {
  return problemReport(files, level, (path) => shownPath(path, settings.cwd));
}

/** None for a deletion: there is no file to check. */
function patchedFile(change: DecidedChange): readonly PatchedFile[] {
  const { path, places } = change;
  const there = { path, place: places.path.target };
  switch (change.kind) {
    case 'delete':
      return [];
    case 'add':
      return [{ ...there, before: change.before === null ? null : there }];
    case 'update':
      return change.movedTo === null || places.movedTo === null
        ? [{ ...there, before: there }]
        : [{ path: change.movedTo, place: places.movedTo.target, before: there }];
  }
}

/** Files of a patch that the model may not read before it: it may move them, or put a file of its own in place of a link. */
async function hiddenIn(patched: readonly PatchedFile[], context: ToolContext): Promise<ReadonlySet<string>> {
  const namesOf = ({ path, before }: PatchedFile) => (before === null ? [path] : [path, before.path]);
  const refusals = await refusalsOf(patched.flatMap(namesOf), context);
  const hidden = patched.filter((file) => namesOf(file).some((name) => refusals.has(name)));
  return new Set(hidden.map(({ path }) => path));
}

/** Leaves out the problems of files that the model may not read, and of `hidden`: messages and source lines quote the file. */
async function readableOnly(
  files: readonly CheckedFile[],
  hidden: ReadonlySet<string>,
  context: ToolContext,
): Promise<readonly CheckedFile[]> {
  const paths = files.map(({ path }) => path);
  const refusals = await refusalsOf(paths, context);
  const isHidden = (path: string) => hidden.has(path) || refusals.has(path);
  return files.map((file) => (isHidden(file.path) ? { ...file, state: 'unchecked', before: [], after: [] } : file));
}
