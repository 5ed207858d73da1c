/** A repository in a folder of a test. Git runs, VS Code's extension for it is imitated. */
import { execFileSync } from 'node:child_process';
import * as vscode from 'vscode';
import type { GitCommit, Repository } from '../../../src/vscode/workspace/gitChanges.ts';
import type { EditorPlace } from './editorPlace.ts';

/** The part of the API of VS Code's git extension that is used, with the commands that it runs. */
export function repositoryAt(root: vscode.Uri): Repository {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root.fsPath, encoding: 'utf8' });
  const uris = (names: string) =>
    names
      .split('\n')
      .filter((name) => name !== '')
      .map((name) => vscode.Uri.joinPath(root, name))
      .map((uri) => ({ uri, originalUri: uri }));
  const commit = (ref: string): GitCommit => {
    const [hash = '', parents = '', message = ''] = git('log', '-1', '--format=%H%n%P%n%B', ref).split(/\n([^\n]*)\n/);
    return { hash, message, parents: parents.split(' ').filter((one) => one !== '') };
  };
  return {
    rootUri: root,
    inputBox: { value: '' },
    state: {
      HEAD: { name: git('branch', '--show-current').trim() },
      indexChanges: uris(git('diff', '--cached', '--name-only')),
      workingTreeChanges: uris(git('diff', '--name-only')),
      untrackedChanges: uris(git('ls-files', '--others', '--exclude-standard')),
    },
    diffWithHEAD: async (file) => git('diff', 'HEAD', '--', file),
    diff: async (cached) => git('diff', ...(cached ? ['--cached'] : [])),
    diffWith: (async (ref: string, file?: string) =>
      file === undefined
        ? uris(git('diff', '--name-only', ref))
        : git('diff', ref, '--', file)) as Repository['diffWith'],
    diffBetween: (async (from: string, to: string, file?: string) =>
      file === undefined
        ? uris(git('diff', '--name-only', `${from}...${to}`))
        : git('diff', `${from}...${to}`, '--', file)) as Repository['diffBetween'],
    // It fails where there is none, and VS Code's extension returns nothing then.
    getMergeBase: async (one, other) => {
      try {
        return git('merge-base', one, other).trim();
      } catch {
        return undefined;
      }
    },
    getBranches: async ({ remote }) =>
      remote
        ? []
        : git('branch', '--format=%(refname:short)')
            .trim()
            .split('\n')
            .map((name) => ({ name })),
    getCommit: async (ref) => commit(ref),
    log: async () => git('log', '--format=%H').trim().split('\n').map(commit),
  };
}

/** `main` with a.txt and .env, `work` with a commit to a.txt, and uncommitted changes of all files and a new one. */
export function makeRepository(here: EditorPlace): vscode.Uri {
  const { root } = here;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: root, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  here.write('a.txt', 'one\n');
  here.write('.env', 'KEY=secret-1\n');
  git('add', '-A');
  git('commit', '-qm', 'Begin');
  git('checkout', '-qb', 'work');
  here.write('a.txt', 'one\ntwo\n');
  git('commit', '-qam', 'Add two\n\nBecause.');
  here.write('a.txt', 'one\ntwo\nthree\n');
  here.write('.env', 'KEY=secret-2\n');
  here.write('new.txt', 'new\n');
  return vscode.Uri.file(root);
}
