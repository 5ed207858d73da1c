import { describe, expect, it } from 'vitest';
import { readingStartsPrograms } from '../../../src/core/tools/gitTrust.ts';
import { MemoryWorkspace } from '../../support/memoryWorkspace.ts';

const HOSTILE = '[diff]\n\texternal = ./run-me\n';
const starts = (
  files: Record<string, string>,
  commands: readonly (readonly string[])[] = [['git', 'status']],
  cwd = '/work',
) => readingStartsPrograms(commands, cwd, new MemoryWorkspace(files));

describe('git only reads', () => {
  it('where its repository names no program, and where there is none', async () => {
    expect(await starts({})).toBe(false);
    expect(
      await starts({ '.git/config': '[core]\n\tbare = false\n[user]\n\tname = Me\n[remote "o"]\n\turl = x\n' }),
    ).toBe(false);
  });

  it.each([
    HOSTILE,
    '[diff "x"]\n command = a',
    '[diff "x"]\n textconv = a',
    '[filter "x"]\n clean = a',
    '[FILTER "x"] Process = a',
    '[include]\n path = a',
    '[includeIf "gitdir:/"]\n path = a',
    // As git parses it: a comment ends with its line, and a line may have two headers.
    '[diff]\n# a comment \\\nexternal = a',
    '[x] [diff] external = a',
    '[diff]\nx = a\\\\\nexternal = a',
    // Programs that formats, merges, submodules and partial clones let git start.
    '[gpg] program = a\n[format] pretty = %G?',
    '[gpg "ssh"] program = a\n[pretty] x = %GK',
    '[merge "x"]\n driver = a',
    '[diff]\n submodule = diff',
    '[extensions] partialClone = o\n[remote "o"] uploadPack = a',
    '[format]\n pretty = x',
    '[pretty] x = %GK',
    '[branch]\n sort = signature',
    '[core]\n alternateRefsCommand = a',
    // A partial clone, whose missing objects are fetched when they are read.
    '[remote "o"]\n url = x\n promisor = true',
    // More than the limit that is read.
    `${'\n'.repeat(1024 * 1024)}${HOSTILE}`,
  ])('but not under %j', async (config) => {
    expect(await starts({ '.git/config': config })).toBe(true);
  });

  it('except from a folder inside, a worktree, a submodule, or the target of a cd', async () => {
    const top = { '.git/config': HOSTILE };
    expect(await starts(top, undefined, '/work/a/b')).toBe(true);
    expect(
      await starts({
        '.git': 'gitdir: /elsewhere/.git/worktrees/w\n',
        '/elsewhere/.git/worktrees/w/commondir': '../..\n',
        '/elsewhere/.git/config': HOSTILE,
      }),
    ).toBe(true);
    expect(await starts({ '.git/config': '', '.git/config.worktree': HOSTILE })).toBe(true);
    expect(await starts({ '.git/config': '', '.gitmodules': '[submodule "x"]\n ignore = none' })).toBe(true);
    expect(await starts({ '.git/keep': '', '../.git/config': HOSTILE })).toBe(true);
    expect(await starts({ 'bare/HEAD': '', 'bare/config': HOSTILE }, undefined, '/work/bare')).toBe(true);
    const inside = { '.git/config': '', 'sub/deep/.git/config': HOSTILE };
    expect(await starts(inside)).toBe(false);
    expect(
      await starts(inside, [
        ['cd', 'sub'],
        ['cd', 'deep'],
        ['/usr/bin/git', 'diff'],
      ]),
    ).toBe(true);
  });

  it.each(['gitdir: other\n/../.git\n', 'gitdir: link/../.git', 'gitdir:.git', ' gitdir: x', 'ref: x'])(
    'except where .git contains %j, which git might parse otherwise',
    async (text) => {
      expect(await starts({ '.git': text })).toBe(true);
    },
  );

  it.each(['cd -P sub', 'cd -- sub', 'cd', 'cd -', 'cd a b'])(
    'except after %j, which may lead to any folder',
    async (script) => {
      expect(await starts({}, [script.split(' '), ['git', 'log']])).toBe(true);
    },
  );

  it('and other programs are not checked', async () => {
    expect(await starts({ '.git/config': HOSTILE }, [['ls']])).toBe(false);
  });
});
