/** Edits of the person that a patch would take away with a file, and their word about them (design decision 5). */
import type { ApprovalDecision } from '../../../protocol/policy.ts';
import { type FileChange, type FilePlaces, type TextFile, type Workspace, WorkspaceError } from '../../ports.ts';

/** The files among those that are deleted, moved or written over that hold edits the person has not saved. */
export async function unsavedEditsLost(
  changes: readonly FileChange[],
  places: FilePlaces,
  workspace: Workspace,
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const files = new Set(changes.flatMap(replacedBy));
  const read = await workspace.readPlaces(new Map([...places].filter(([path]) => files.has(path))), signal);
  // What cannot be read has no unsaved text.
  const isDirty = (file: TextFile | WorkspaceError) => !(file instanceof WorkspaceError) && file.dirty;
  return new Set([...read].filter(([, file]) => isDirty(file)).map(([path]) => path));
}

export function isDiscarding(change: FileChange, discards: ReadonlySet<string>): boolean {
  return replacedBy(change).some((file) => discards.has(file));
}

/** The changes with the person's word on those that they named. `shown`: a path as the question named it. */
export function withAgreement<Change extends FileChange>(
  changes: readonly Change[],
  answer: ApprovalDecision | null,
  shown: (path: string) => string,
): readonly Change[] {
  const agreed = new Set(discardingIn(answer));
  if (agreed.size === 0) return changes;
  return changes.map((change) => (agreed.has(shown(change.path)) ? { ...change, discardsUnsaved: true } : change));
}

/** What stands at these paths is gone from there afterwards; an update in place keeps what the person typed. */
function replacedBy(change: FileChange): readonly string[] {
  if (change.kind !== 'update') return [change.path];
  return change.movedTo === null ? [] : [change.path, change.movedTo];
}

function discardingIn(answer: ApprovalDecision | null): readonly string[] {
  if (answer === null || typeof answer === 'string') return [];
  if ('approved_discarding' in answer) return answer.approved_discarding.paths;
  return 'approved_reviewed' in answer ? (answer.approved_reviewed.discarding ?? []) : [];
}
