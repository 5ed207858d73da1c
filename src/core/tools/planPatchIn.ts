import type { PatchOperation } from '../patch/operation.ts';
import { type PatchPlan, pathsOf, planPatch } from '../patch/plan.ts';
import { rebaseChange } from '../patch/review.ts';
import type { FileSnapshot } from '../patch/workingTree.ts';
import { type FileChange, type Workspace, WorkspaceError } from '../ports.ts';

/** Reads what a patch names, buffers first, and plans it. Touches nothing. */
export async function planPatchIn(
  workspace: Workspace,
  operations: readonly PatchOperation[],
  cwd: string,
  signal?: AbortSignal,
): Promise<PatchPlan> {
  const files = new Map<string, FileSnapshot>();
  const read = async (file: string) => files.set(file, await snapshot(workspace, file, signal));
  await Promise.all(pathsOf(operations, cwd).map(read));
  return planPatch(operations, cwd, files);
}

/** The same changes for the files as they are now; `undefined` when one of them would be another change. */
export async function rebaseIn(
  workspace: Workspace,
  changes: readonly FileChange[],
  signal?: AbortSignal,
): Promise<readonly FileChange[] | undefined> {
  const rebased = await Promise.all(
    changes.map(async (change) => {
      const now = await snapshot(workspace, change.path, signal);
      const target = change.kind === 'update' ? change.movedTo : null;
      return rebaseChange(change, now, target === null ? undefined : await snapshot(workspace, target, signal));
    }),
  );
  return rebased.every((change) => change !== undefined) ? rebased : undefined;
}

async function snapshot(workspace: Workspace, file: string, signal?: AbortSignal): Promise<FileSnapshot> {
  try {
    return { type: 'text', text: (await workspace.read(file, signal)).text };
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error;
    if (error.code === 'not_found') return { type: 'missing' };
    if (error.code === 'is_directory') return { type: 'directory' };
    if (error.code === 'not_text') return { type: 'not_text' };
    return { type: 'unreadable', message: reasonOf(error) };
  }
}

/** The sentence as a part of another one that has named the path already. */
function reasonOf({ message, path }: WorkspaceError): string {
  const reason = message.startsWith(`${path} `) ? `it ${message.slice(path.length + 1)}` : message;
  return reason.replace(/\.$/, '');
}
