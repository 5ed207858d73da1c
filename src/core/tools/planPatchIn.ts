import type { PatchOperation } from '../patch/operation.ts';
import { type PatchPlan, pathsOf, planPatch } from '../patch/plan.ts';
import type { FileSnapshot } from '../patch/workingTree.ts';
import { type Workspace, WorkspaceError } from '../ports.ts';

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
