/** Applies a patch and finds out how the problems in the editor have changed by it. */
import {
  type ApplyResult,
  type CheckedFile,
  type DecidedChange,
  type PatchedFile,
  WorkspaceError,
} from '../../ports.ts';
import { shownPath } from '../files/filePaths.ts';
import { readGuard, readLimitsOf } from '../files/readGuard.ts';
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
  const watch = await problems.port.watch(changes.flatMap(patchedFile));
  try {
    const result = await apply();
    if (result.type !== 'applied') return { result };
    const files = await readableOnly(await watch.settle(signal), context);
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

/** Leaves out the problems of files that the model may not read: messages and source lines quote the file. */
async function readableOnly(files: readonly CheckedFile[], context: ToolContext): Promise<readonly CheckedFile[]> {
  const guard = await readGuard(readLimitsOf(context), context);
  const places = await context.workspace.places(files.map(({ path }) => path));
  return files.map((file) => {
    const place = places.get(file.path);
    const names = place === undefined || place instanceof WorkspaceError ? [] : [place.name, place.target];
    const isReadable = guard([file.path, ...names]) === undefined;
    return isReadable ? file : { ...file, state: 'unchecked', before: [], after: [] };
  });
}
