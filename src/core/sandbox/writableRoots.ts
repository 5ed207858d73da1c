/**
 * The folders in which commands and patches may write under a policy (codex-behaviour.md §6.2), besides the thread's
 * temporary folder (temporary.ts). Reading is unrestricted.
 */
import path from 'node:path';
import type { SandboxPolicy } from '../../protocol/policy.ts';
import type { Host, WritableRoot } from '../ports.ts';

/**
 * While a folder of this name is beside `.vscode`, VS Code's Explorer shows neither of them (`files.exclude` in
 * package.json). So the mount points of a sandbox are not seen there (docs/decisions/0016).
 */
export const EXPLORER_MARK = '.tiller-sandbox';

/**
 * Names that stay read-only inside writable folders, because their content decides what git, an editor, an agent, a
 * shell or a build server runs next, or what the Explorer hides.
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
  '.devcontainer.json',
  '.cursor',
  '.mcp.json',
  '.envrc',
  '.husky',
  EXPLORER_MARK,
];

/** Also protected: names in a folder of a certain name, written `folder/name`. */
const PROTECTED_IN_FOLDER: readonly string[] = ['.github/workflows', '.github/hooks'];
/** Also protected: every name with this ending. */
export const PROTECTED_ENDING = '.code-workspace';

/** All protected names as patterns of `WritableScope`. */
export const PROTECTED_PATTERNS: readonly string[] = [
  ...PROTECTED_NAMES,
  ...PROTECTED_IN_FOLDER,
  `*${PROTECTED_ENDING}`,
];

/** True when a name in a folder (given by its own name) is protected. */
export function isProtectedEntry(name: string, folder: string): boolean {
  if (PROTECTED_NAMES.includes(name) || name.endsWith(PROTECTED_ENDING)) return true;
  return PROTECTED_IN_FOLDER.includes(`${folder}/${name}`);
}

export type WritableRoots =
  | { readonly type: 'everything' }
  /** Empty under `read-only`. */
  | { readonly type: 'roots'; readonly roots: readonly WritableRoot[] };

export interface Surroundings {
  /** Absolute. */
  readonly cwd: string;
  readonly platform: Host['platform'];
}

/** The working directory and the listed folders, without duplicates. */
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
    protectedPaths: [...PROTECTED_NAMES, ...PROTECTED_IN_FOLDER].map((name) => paths.join(folder, name)),
  }));
}
