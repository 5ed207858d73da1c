/**
 * Further names that a patch may use besides paths relative to the working directory and absolute ones: a `file:`
 * address, and, where several folders are open, a path that starts with the name of one of them, as VS Code shows it.
 * Codex knows only one folder.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PatchOperation } from '../../patch/operation.ts';
import type { Workspace } from '../../ports.ts';

/** An entry of the working directory itself takes precedence. */
export async function inOpenFolders(
  operations: readonly PatchOperation[],
  cwd: string,
  workspace: Pick<Workspace, 'roots' | 'stat'>,
): Promise<readonly PatchOperation[]> {
  return Promise.all(
    operations.map(async (operation): Promise<PatchOperation> => {
      const placed = await placeIn(operation.path, cwd, workspace);
      if (operation.type !== 'update' || operation.movedTo === null) return { ...operation, path: placed };
      return { ...operation, path: placed, movedTo: await placeIn(operation.movedTo, cwd, workspace) };
    }),
  );
}

async function placeIn(written: string, cwd: string, workspace: Pick<Workspace, 'roots' | 'stat'>): Promise<string> {
  if (/^file:\/\//i.test(written)) return pathOfAddress(written);
  const [first = '', ...rest] = written.split(/[\\/]/);
  const named = workspace.roots.filter((root) => path.basename(root) === first && root !== cwd);
  const [folder] = named;
  if (folder === undefined || named.length > 1 || rest.length === 0) return written;
  const existing = await workspace.stat(path.join(cwd, first)).catch(() => undefined);
  return existing === undefined ? path.join(folder, ...rest) : written;
}

/** An address of another machine is returned as it is. */
function pathOfAddress(address: string): string {
  try {
    return fileURLToPath(address);
  } catch {
    return address;
  }
}
