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
    // As git reads it: a comment ends with its line, and a line may have two headers.
    '[diff]\n# a comment \\\nexternal = a',
    '[x] [diff] external = a',
    '[diff]\nx = a\\\\\nexternal = a',
    // What formats, merges, submodules and clones in part let git start.
    '[gpg] program = a\n[format] pretty = %G?',
    '[gpg "ssh"] program = a\n[pretty] x = %GK',
    '[merge "x"]\n driver = a',
    '[diff]\n submodule = diff',
    '[extensions] partialClone = o\n[remote "o"] uploadPack = a',
    '[format]\n pretty = x',
    '[pretty] x = %GK',
    '[branch]\n sort = signature',
    '[core]\n alternateRefsCommand = a',
    // A gift of objects that are fetched when they are looked at.
    '[remote "o"]\n url = x\n promisor = true',
    // More than is read.
    `${'\n'.repeat(1024 * 1024)}${HOSTILE}`,
  ])('but not under %j', async (config) => {
    expect(await starts({ '.git/config': config })).toBe(true);
  });

  it('but not from a folder inside, a worktree, a submodule, or where a cd leads', async () => {
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
    'but not where .git says %j, which git might read otherwise',
    async (text) => {
      expect(await starts({ '.git': text })).toBe(true);
    },
  );

  it.each(['cd -P sub', 'cd -- sub', 'cd', 'cd -', 'cd a b'])(
    'but not after %j, which may lead anywhere',
    async (script) => {
      expect(await starts({}, [script.split(' '), ['git', 'log']])).toBe(true);
    },
  );

  it('and is not looked at for other programs', async () => {
    expect(await starts({ '.git/config': HOSTILE }, [['ls']])).toBe(false);
  });
});
