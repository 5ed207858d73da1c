/** Unsaved edits of the user that a patch would discard, and the user's agreement to it (design decision 5). */
import type { ApprovalDecision } from '../../../protocol/policy.ts';
import { type FileChange, type FilePlaces, type TextFile, type Workspace, WorkspaceError } from '../../ports.ts';

/** The deleted, moved or overwritten files that have unsaved edits of the user. */
export async function unsavedEditsLost(
  changes: readonly FileChange[],
  places: FilePlaces,
  workspace: Workspace,
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const files = new Set(changes.flatMap(replacedBy));
  const read = await workspace.readPlaces(new Map([...places].filter(([path]) => files.has(path))), signal);
  // A file that cannot be read has no unsaved text.
  const isDirty = (file: TextFile | WorkspaceError) => !(file instanceof WorkspaceError) && file.dirty;
  return new Set([...read].filter(([, file]) => isDirty(file)).map(([path]) => path));
}

/** True for a change that replaces a file whose unsaved edits the user gives up. `discards`: absolute paths. */
export function isDiscarding(change: FileChange, discards: ReadonlySet<string>): boolean {
  return replacedBy(change).some((file) => discards.has(file));
}

/** Marks the changes that the user agreed to. `shown`: a path as the approval card shows it. */
export function withAgreement<Change extends FileChange>(
  changes: readonly Change[],
  answer: ApprovalDecision | null,
  shown: (path: string) => string,
): readonly Change[] {
  const agreed = new Set(discardingIn(answer));
  if (agreed.size === 0) return changes;
  return changes.map((change) => (agreed.has(shown(change.path)) ? { ...change, discardsUnsaved: true } : change));
}

/** Paths whose text is lost by the change; an update in place keeps unsaved edits. */
function replacedBy(change: FileChange): readonly string[] {
  if (change.kind !== 'update') return [change.path];
  return change.movedTo === null ? [] : [change.path, change.movedTo];
}

function discardingIn(answer: ApprovalDecision | null): readonly string[] {
  if (answer === null || typeof answer === 'string') return [];
  if ('approved_discarding' in answer) return answer.approved_discarding.paths;
  return 'approved_reviewed' in answer ? (answer.approved_reviewed.discarding ?? []) : [];
}
