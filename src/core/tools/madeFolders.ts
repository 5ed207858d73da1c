import path from 'node:path';
import type { SandboxMechanism } from '../../protocol/policy.ts';
import { PROTECTED_NAMES } from '../sandbox/writableRoots.ts';

/**
 * Of the folders that are new after a command, those that it has made and that stay. In a sandbox none with a protected
 * name is: it is a mount point of the sandbox, which is removed a moment later, or it is moved into quarantine.
 */
export function madeFolders(newFolders: readonly string[], box: SandboxMechanism): readonly string[] {
  return box === 'none' ? newFolders : newFolders.filter((folder) => !PROTECTED_NAMES.includes(path.basename(folder)));
}
