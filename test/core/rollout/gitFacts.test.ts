import { expect, test } from 'vitest';
import { readGitFacts } from '../../../src/core/rollout/gitFacts.ts';
import { gitFoldersOf } from '../../../src/core/util/gitRoot.ts';
import { MemoryWorkspace } from '../../support/memoryWorkspace.ts';

const OUTER = {
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/config': '[remote "origin"]\n\turl = git@host:me/it.git\n',
};

test.each([
  ['itself', { 'sub/.git/HEAD': 'ref: refs/heads/own\n' }, { branch: 'own' }],
  ['the repository around it where its .git is empty', { 'sub/.git/x': '' }, { branch: 'main', remote: 'host/me/it' }],
  [
    'a worktree',
    { 'sub/.git': 'gitdir: ../.git/worktrees/w\n', '.git/worktrees/w/HEAD': 'ref: refs/heads/w\n' },
    { branch: 'w' },
  ],
])('a folder belongs to %s', async (_, more, facts) => {
  const workspace = new MemoryWorkspace({ ...OUTER, ...more });
  expect(await readGitFacts(workspace, '/work/sub')).toEqual(facts);
});

test('the git folder of a worktree is its own, also for a folder below it', async () => {
  const worktree = { 'sub/.git': 'gitdir: ../.git/worktrees/w\n', '.git/worktrees/w/commondir': '../..\n' };
  const workspace = new MemoryWorkspace({ ...OUTER, ...worktree, 'sub/deep/a.txt': '' });
  const own = { own: '/work/.git/worktrees/w', common: '/work/.git' };
  expect(await gitFoldersOf('/work/sub/deep', workspace)).toEqual(own);
  expect(await gitFoldersOf('/work', workspace)).toEqual({ own: '/work/.git', common: '/work/.git' });
  expect(await gitFoldersOf('/elsewhere', workspace)).toBe(undefined);
});
