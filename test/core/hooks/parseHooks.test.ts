import { describe, expect, it } from 'vitest';
import { hooksInFile } from '../../../src/core/hooks/hookFiles.ts';
import { matchesName, parseHooks } from '../../../src/core/hooks/parseHooks.ts';
import { readOutcome } from '../../../src/core/hooks/readOutcome.ts';
import { selectHooks } from '../../../src/core/hooks/selectHooks.ts';
import type { TrustDecision } from '../../../src/core/trust/trust.ts';

const DEFAULTS = {
  args: undefined,
  cwd: undefined,
  env: {},
  shell: undefined,
  onFailure: 'continue',
  timeoutMs: 60_000,
};

describe('a hook is read', () => {
  it('in groups with a matcher, as Claude Code and Codex write it', () => {
    const value = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'a', timeout: 5 }] }] };
    expect(parseHooks(value, 'linux')).toEqual({
      hooks: [{ ...DEFAULTS, event: 'PreToolUse', matcher: 'Bash', command: 'a', timeoutMs: 5_000 }],
      problems: [],
      unknownEvents: [],
    });
  });

  it('without groups, with a command of its platform, as VS Code writes it', () => {
    const value = {
      PostToolUse: [{ type: 'command', command: 'all', osx: 'mac', windows: 'win', cwd: 'x', env: { A: 'b' } }],
    };
    const commands = (['linux', 'darwin', 'win32'] as const).map((platform) => parseHooks(value, platform).hooks[0]);
    expect(commands.map((hook) => [hook?.command, hook?.cwd, hook?.env])).toEqual([
      ['all', 'x', { A: 'b' }],
      ['mac', 'x', { A: 'b' }],
      ['win', 'x', { A: 'b' }],
    ]);
  });

  it('with small first letters and two shells, as Copilot writes it', () => {
    const value = { version: 1, userPromptSubmitted: [{ type: 'command', bash: 'b', powershell: 'p', timeoutSec: 9 }] };
    expect(parseHooks(value, 'linux').hooks).toEqual([
      {
        ...DEFAULTS,
        event: 'UserPromptSubmit',
        matcher: '',
        command: 'b',
        shell: 'bash',
        timeoutMs: 9_000,
        isSmall: true,
      },
    ]);
    expect(parseHooks(value, 'win32').hooks).toMatchObject([{ command: 'p', shell: 'powershell' }]);
  });

  it.each([
    [{ type: 'http', url: 'x' }, 'hooks of the type "http" are not supported, only "command".'],
    [{ type: 'command' }, 'it names no command for this platform.'],
    [{ command: 'a', if: 'Bash(git *)' }, '"if" is not supported, so the hook would run too often.'],
    [{ command: 'a', async: true }, '"async" is not supported: Tiller waits for each hook.'],
    [{ command: 'a', timeout: -1 }, 'timeout: Too small: expected number to be >0.'],
    ['nonsense', 'the hook: Invalid input: expected object, received string.'],
    [{ matcher: '[', command: 'a' }, 'the matcher [ is not a regular expression.'],
  ])('%j costs only itself', (hook, problem) => {
    const { hooks, problems } = parseHooks({ Stop: [hook, { command: 'fine' }] }, 'linux');
    expect(hooks.map(({ command }) => command)).toEqual(['fine']);
    expect(problems).toEqual([`Stop[0]: ${problem}`]);
  });

  it('from a file with other settings, and from none that is broken or turns hooks off', () => {
    const place = { origin: 'workspace', source: '/w/.claude/settings.json', style: 'claude' } as const;
    const read = (text: string) => hooksInFile({ ...place, text }, 'linux');
    const hooks = { Stop: [{ command: 'a' }], PreCompact: [{ command: 'b' }] };
    expect(read(JSON.stringify({ permissions: {}, hooks }))).toMatchObject({
      hooks: [{ command: 'a', source: '/w/.claude/settings.json' }],
      unknownEvents: [{ event: 'PreCompact' }],
    });
    expect(read(`\uFEFF${JSON.stringify({ hooks })}`).hooks).toHaveLength(1);
    expect(read(JSON.stringify({ disableAllHooks: true, hooks })).hooks).toEqual([]);
    expect(read('{')).toMatchObject({ hooks: [], problems: ['/w/.claude/settings.json: it is not valid JSON.'] });
    expect(read('[]')).toMatchObject({ hooks: [], problems: [] });
  });
});

describe('a matcher', () => {
  it.each([
    ['', 'Bash', true],
    ['*', 'Bash', true],
    ['Bash', 'BashOutput', false],
    ['Edit|Write', 'Write', true],
    ['Edit, Write', 'Write', true],
    ['mcp__notes__.*', 'mcp__notes__add', true],
    ['^Ba', 'Bash', true],
    ['bash', 'Bash', false],
  ])('%j on %s: %s', (matcher, name, expected) => {
    expect(matchesName(matcher, name)).toBe(expected);
  });
});

describe('hooks of files', () => {
  const file = (command: string, timeout = 1) => ({
    origin: 'workspace' as const,
    source: '/w/.claude/settings.json',
    style: 'claude' as const,
    text: JSON.stringify({ hooks: { Stop: [{ command, timeout }] } }),
  });

  it('run only as they were approved: another command is asked about again, another time-out is not', async () => {
    const decisions = new Map<string, TrustDecision>();
    const trust = { decisionOn: async (hash: string) => decisions.get(hash) ?? 'open' };
    const stateOf = async (one: ReturnType<typeof file>) => (await selectHooks({}, [one], 'linux', trust)).hooks[0];
    const first = await stateOf(file('a'));
    expect(first?.state).toBe('proposed');
    decisions.set(first?.hook.hash ?? '', 'approved');
    expect((await stateOf(file('a', 7)))?.state).toBe('runs');
    expect((await stateOf(file('b')))?.state).toBe('proposed');
    decisions.set(first?.hook.hash ?? '', 'refused');
    expect((await stateOf(file('a')))?.state).toBe('refused');
  });
});

describe('the output of a hook', () => {
  const end = (stdout: string, exitCode = 0, stderr = '') => ({ stdout, exitCode, stderr });

  it.each([
    ['PreToolUse', end(''), {}],
    ['PreToolUse', end('plain text'), {}],
    ['UserPromptSubmit', end('plain text'), { context: 'plain text' }],
    ['PreToolUse', end('{"decision":"block","reason":"r"}'), { block: 'r' }],
    ['PreToolUse', end('{"hookSpecificOutput":{"permissionDecision":"deny"}}'), { block: 'The hook gave no reason.' }],
    ['PreToolUse', end('{"hookSpecificOutput":{"permissionDecision":"allow"}}'), {}],
    ['PreToolUse', end('{"decision":"allow"}', 2, 'stderr counts'), { block: 'stderr counts' }],
    ['Stop', end('{"decision":"block","reason":"go on"}'), { block: 'go on' }],
    ['SessionStart', end('', 2, 'for the user'), { message: 'for the user' }],
    ['Stop', end('{"continue":false,"stopReason":"s","systemMessage":"m"}'), { stop: 's', message: 'm' }],
    ['PostToolUse', end('', 1), { failure: 'It ended with exit code 1.' }],
    ['PostToolUse', end('{broken'), { failure: expect.stringContaining('is not what a PostToolUse hook prints') }],
    ['PreToolUse', end('loading …\n{\n  "decision": "block",\n  "reason": "late"\n}'), { block: 'late' }],
    ['PreToolUse', end('{"level":30}\n{"decision":"block",\n"reason":"behind a log"}'), { block: 'behind a log' }],
    ['PreToolUse', end('see {"a":1}'), {}],
    ['UserPromptSubmit', end('Example:\n{"decision":"block"}'), { context: 'Example:\n{"decision":"block"}' }],
    ['PreToolUse', { ...end('much text'), isCut: true }, { failure: expect.stringContaining('printed more') }],
    ['SessionStart', { ...end('much text'), isCut: true }, { context: 'much text' }],
    ['Stop', end('{"continue":"no"}'), { failure: expect.stringContaining('continue: Invalid input') }],
  ] as const)('of %s: %j', (event, ended, outcome) => {
    expect(readOutcome(event, ended)).toEqual(outcome);
  });
});
