/** A rename of the editor's language extension as changes of files, which are decided about like a patch. */
import { pathsOf } from '../../patch/plan.ts';
import { decidedChanges } from '../../patch/placedChange.ts';
import { hunksFrom } from '../../patch/hunkAlgebra.ts';
import type { FileOperation } from '../../patch/operation.ts';
import { type FileChange, type RenamedFile, type Workspace, WorkspaceError } from '../../ports.ts';
import type { DecidedPlan, LookedUpPlaces, PlanFailure } from '../planPatchIn.ts';
import { renamedText } from './codeEdits.ts';

type Refused = { readonly type: 'refused' };

/** The files of a rename as a patch would name them. */
export function operationsOf(files: readonly RenamedFile[]): readonly FileOperation[] {
  return files.map(({ path, movedTo }) => ({ type: 'update', path, movedTo }));
}

/**
 * Reads the files as they are in the editor and plans the rename of `name` against them. Fails where an edit is for another
 * text. `refuse` is called before anything is read.
 */
export async function planRename<Refusal extends Refused>(
  files: readonly RenamedFile[],
  name: string,
  workspace: Workspace,
  nameOf: (path: string) => string,
  signal: AbortSignal,
  refuse: (places: LookedUpPlaces) => Promise<Refusal | undefined>,
): Promise<DecidedPlan | PlanFailure | Refusal> {
  const places = await workspace.places(pathsOf(operationsOf(files), '/'));
  const refusal = await refuse(places);
  if (refusal !== undefined) return refusal;
  const known = new Map(
    [...places].flatMap(([path, place]) => (place instanceof WorkspaceError ? [] : [[path, place]])),
  );
  const read = await workspace.readPlaces(known, signal);
  const changes: FileChange[] = [];
  for (const { path, movedTo, text: seen, edits } of files) {
    const file = read.get(path);
    if (file === undefined || file instanceof WorkspaceError) {
      return failed('cannot_read', `${nameOf(path)} cannot be read${file === undefined ? '' : `: ${file.message}`}`);
    }
    const before = file.text;
    const edited = seen === undefined || isSameText(seen, before) ? renamedText(before, edits, name) : undefined;
    if (edited?.type !== 'edited') {
      return failed('lines_not_found', `the editor's index of ${nameOf(path)} is older than its text.`);
    }
    const after = edited.text;
    if (movedTo !== null && !isFree(read.get(movedTo))) {
      return failed('cannot_write', `it would move ${nameOf(path)} to ${nameOf(movedTo)}, which exists.`);
    }
    if (after === before && movedTo === null) continue;
    changes.push({ kind: 'update', path, before, after, hunks: hunksFrom(before, after), movedTo, movedOver: null });
  }
  const report = changes.map(({ path }) => ({ kind: 'M' as const, path: nameOf(path) }));
  return { type: 'planned', changes: decidedChanges(changes, known), report, places: known };
}

/** A buffer has one kind of line ends, the disk may have several. */
function isSameText(one: string, other: string): boolean {
  return one.replaceAll(/\r\n?/g, '\n') === other.replaceAll(/\r\n?/g, '\n');
}

function isFree(found: unknown): boolean {
  return found instanceof WorkspaceError && found.code === 'not_found';
}

function failed(category: PlanFailure['category'], message: string): PlanFailure {
  return { type: 'failed', category, message };
}
