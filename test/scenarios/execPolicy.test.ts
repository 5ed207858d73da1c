/** `tiller execpolicy check`, as docs/cli.md has it, in a process of its own. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/runCli.ts';
import { tempFolder } from '../support/tempFolder.ts';

const RULES = {
  version: 1,
  rules: [
    { pattern: ['npm', ['test', 'run']], decision: 'allow', justification: 'Ours.' },
    { pattern: ['touch'], bypassSandbox: true },
    { pattern: ['curl'], decision: 'forbidden' },
  ],
};

async function check(args: readonly string[], rules: unknown = RULES) {
  using home = tempFolder();
  mkdirSync(home.at('tiller'));
  writeFileSync(home.at('tiller', 'rules.json'), JSON.stringify(rules));
  const run = await runCli(['execpolicy', 'check', ...args], { home: home.path, cwd: home.path });
  return {
    ...run,
    stderr: run.stderr.replaceAll(home.at('tiller'), 'HOME'),
    stdout: run.stdout.replaceAll(home.at('tiller'), 'HOME'),
  };
}

async function answer(...args: string[]) {
  const { code, stdout, stderr } = await check(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^[^\n]+\n$/);
  return JSON.parse(stdout);
}

describe('execpolicy suggest', () => {
  const approval = (at: number) => ({
    ...{
      v: 1,
      at: `2026-11-21T00:00:0${at}.000Z`,
      threadId: 't',
      agentId: null,
      turnId: 'u',
      itemId: 'i',
      callId: 'c',
    },
    ...{ type: 'decision', outcome: 'allowed', by: 'user', box: 'bubblewrap', escalated: false },
    act: { type: 'command', command: `npm test ${at}`, argv: ['npm', 'test', String(at)], cwd: '/w' },
    reason: { source: 'policy', id: 'untrusted', text: 'It is not known.' },
  });

  it('lists rules from the audit log, and adds none', async () => {
    using home = tempFolder();
    mkdirSync(home.at('tiller'));
    const lines = [1, 2, 3].map((at) => `${JSON.stringify(approval(at))}\n`);
    writeFileSync(home.at('tiller', 'audit.jsonl'), lines.join(''));
    const suggest = (...args: string[]) =>
      runCli(['execpolicy', 'suggest', ...args], { home: home.path, cwd: home.path });
    const { code, stdout } = await suggest();
    expect({ code, printed: JSON.parse(stdout) }).toEqual({
      code: 0,
      printed: {
        suggestions: [
          {
            rule: { pattern: ['npm', 'test'], decision: 'allow' },
            approvals: 3,
            commands: ['npm test 3', 'npm test 2', 'npm test 1'],
            lastAt: '2026-11-21T00:00:03.000Z',
          },
        ],
      },
    });
    expect(existsSync(home.at('tiller', 'rules.json'))).toBe(false);
    expect(JSON.parse((await suggest('--min', '4')).stdout)).toEqual({ suggestions: [] });
    expect(await suggest('--min', 'x')).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('execpolicy check', () => {
  it('prints what decides, word by word', async () => {
    expect(await answer('--', 'ls', '-l')).toEqual({
      decision: 'allow',
      bypassSandbox: false,
      reason: { source: 'heuristic', id: 'known-safe', text: 'It is on the list of commands known to be read-only.' },
      matchedRules: [],
      commands: [['ls', '-l']],
    });
    expect(await answer('--approval-policy', 'untrusted', '--', 'npm', 'test', '--', '-x')).toEqual({
      decision: 'allow',
      bypassSandbox: false,
      reason: { source: 'rule', id: 'rule:HOME/rules.json#0', text: 'Ours.' },
      matchedRules: [
        {
          file: 'HOME/rules.json',
          index: 0,
          pattern: ['npm', ['test', 'run']],
          decision: 'allow',
          justification: 'Ours.',
        },
      ],
      commands: [['npm', 'test', '--', '-x']],
    });
  });

  it('parses nested shells, and a script like the argument of a shell', async () => {
    const commands = [
      ['touch', 'a b'],
      ['curl', 'x'],
    ];
    for (const args of [
      ['--', 'bash', '-lc', "touch 'a b' && curl x"],
      ['--script', "touch 'a b' && curl x"],
    ]) {
      const told = await answer(...args);
      expect(told).toMatchObject({ decision: 'forbidden', matchedRules: [{ index: 1 }, { index: 2 }], commands });
    }
    expect(await answer('--script', 'touch a; touch b')).toMatchObject({ decision: 'allow', bypassSandbox: true });
    expect(await answer('--script', 'touch $HOME')).toMatchObject({ commands: null });
  });

  it('uses the policy, the sandbox and the escalation of its flags', async () => {
    const reason = async (...args: string[]) => (await answer(...args, '--', 'make', 'it')).reason.id;
    expect(await reason('--approval-policy', 'untrusted')).toBe('untrusted');
    expect(await reason('--sandbox', 'danger-full-access')).toBe('full-access');
    expect(await reason('--approval-policy', 'never', '--escalated')).toBe('escalation');
  });

  it('reads the given files instead of the one in TILLER_HOME', async () => {
    using folder = tempFolder();
    writeFileSync(folder.at('one.json'), JSON.stringify({ version: 1, rules: [{ pattern: ['make'] }] }));
    writeFileSync(
      folder.at('two.json'),
      JSON.stringify({ version: 1, rules: [{ pattern: ['make'], decision: 'prompt' }] }),
    );
    const files = ['--rules', folder.at('one.json'), '--rules', folder.at('two.json')];
    expect(await answer(...files, '--', 'make')).toMatchObject({
      decision: 'prompt',
      matchedRules: [{ file: folder.at('one.json') }, { file: folder.at('two.json') }],
    });
    expect(await answer(...files, '--', 'touch', 'a')).toMatchObject({ matchedRules: [] });
  });

  it.each([
    [['ls'], 'tiller: put the command after --: ls'],
    [[], 'tiller: give -- CMD… or --script S'],
    [['--script', 'ls', '--', 'ls'], 'tiller: give -- CMD… or --script S'],
    [['--'], 'tiller: no command stands behind --'],
    [['--rules', 'none.json', '--', 'ls'], 'tiller: --rules none.json: there is no such file'],
    [['--sandbox', 'none', '--', 'ls'], 'tiller: setting "sandbox.mode": '],
    [['--wat', '--', 'ls'], "tiller: Unknown option '--wat'"],
  ])('%j is a mistake', async (args, message) => {
    const { code, stdout, stderr } = await check(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toContain(message);
  });

  it.each([
    { version: 2, rules: [] },
    { version: 1, rules: [{ pattern: ['ls'], match: ['cat'] }] },
  ])('a file that is broken is a mistake: %j', async (rules) => {
    const { code, stderr } = await check(['--', 'ls'], rules);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^tiller: HOME\/rules\.json:1: .* No rule of this file is used\.\n$/);
  });

  it('names one of three sources for every decision', async () => {
    const sources = await Promise.all(
      [['ls'], ['npm', 'test'], ['make'], ['curl', 'x']].map(
        async (words) => (await answer('--', ...words)).reason.source,
      ),
    );
    expect(sources).toEqual(['heuristic', 'rule', 'policy', 'rule']);
  });

  it('prompts for a git command that would start a program of the repository', async () => {
    using repository = tempFolder();
    mkdirSync(repository.at('.git/objects'), { recursive: true });
    mkdirSync(repository.at('.git/refs'));
    writeFileSync(repository.at('.git/HEAD'), 'ref: refs/heads/main\n');
    const checked = async () => {
      const run = await runCli(['execpolicy', 'check', '--sandbox', 'danger-full-access', '--', 'git', 'diff'], {
        home: repository.at('home'),
        cwd: repository.path,
      });
      return JSON.parse(run.stdout).reason.id;
    };
    expect(await checked()).toBe('known-safe');
    writeFileSync(repository.at('.git/config'), '[diff]\n\texternal = ./mine\n');
    expect(await checked()).not.toBe('known-safe');
  });
});
