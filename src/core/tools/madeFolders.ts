import path from 'node:path';
import type { SandboxMechanism } from '../../protocol/policy.ts';
import type { KeptFolder } from '../ports.ts';
import { PROTECTED_NAMES } from '../sandbox/writableRoots.ts';

/**
 * Returns those of the new folders that the command has made and that stay. In a sandbox none with a protected name is:
 * it is a mount point of the sandbox, which is removed a moment later, or it is moved into quarantine.
 */
export function madeFolders(newFolders: readonly string[], box: SandboxMechanism): readonly string[] {
  return box === 'none' ? newFolders : newFolders.filter((folder) => !PROTECTED_NAMES.includes(path.basename(folder)));
}

/** Returns the folders without those that may have been a mount point of another command's sandbox. */
export function removedFolders(goneFolders: readonly KeptFolder[]): KeptFolder[] {
  return goneFolders.filter((folder) => !PROTECTED_NAMES.includes(path.basename(folder.path)));
}
