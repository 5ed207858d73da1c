/**
 * Where commands and patches may write under a policy (codex-behaviour.md §6.2), besides the thread's temporary folder
 * (temporary.ts). Reading is unrestricted.
 */
import path from 'node:path';
import type { SandboxPolicy } from '../../protocol/policy.ts';
import type { Host, WritableRoot } from '../ports.ts';

/**
 * Names that stay read-only inside writable folders: whoever writes them decides what git, an editor or an agent runs
 * next.
 */
export const PROTECTED_NAMES: readonly string[] = [
  '.git',
  '.vscode',
  '.tiller',
  '.codex',
  '.agents',
  '.claude',
  '.idea',
  '.devcontainer',
];

export type WritableRoots =
  | { readonly type: 'everything' }
  /** None at all under `read-only`. */
  | { readonly type: 'roots'; readonly roots: readonly WritableRoot[] };

export interface Surroundings {
  /** Absolute. */
  readonly cwd: string;
  readonly platform: Host['platform'];
}

/** The working directory and the listed folders, each once. */
export function writableRoots(policy: SandboxPolicy, surroundings: Surroundings): WritableRoots {
  switch (policy.type) {
    case 'danger-full-access':
    case 'external-sandbox':
      return { type: 'everything' };
    case 'read-only':
      return { type: 'roots', roots: [] };
    case 'workspace-write':
      return { type: 'roots', roots: workspaceRoots(policy, surroundings) };
  }
}

function workspaceRoots(
  policy: SandboxPolicy & { type: 'workspace-write' },
  surroundings: Surroundings,
): WritableRoot[] {
  const { cwd, platform } = surroundings;
  const paths = platform === 'win32' ? path.win32 : path.posix;
  const folders = [cwd, ...policy.writableRoots]
    .filter((folder) => paths.isAbsolute(folder))
    .map((folder) => paths.resolve(folder));
  return [...new Set(folders)].map((folder) => ({
    path: folder,
    protectedPaths: PROTECTED_NAMES.map((name) => paths.join(folder, name)),
  }));
}
