/** run_tests: the workspace's own test command, run as a command, its result in a few lines. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';

const OUTPUT = readFileSync(path.join(import.meta.dirname, '../fixtures/testRuns/mocha.txt'), 'utf8');
const task = (command: string) =>
  JSON.stringify({ tasks: [{ label: 'tests', type: 'shell', command, group: 'test' }] });

/** A workspace whose test command prints this and exits so. */
const project = (output: string, exitCode: number): Record<string, string> => ({
  '.vscode/tasks.json': task('node mocha.cjs'),
  'mocha.cjs': `console.log(${JSON.stringify(output)}); console.log(process.argv.slice(2).join(' ')); process.exitCode = ${exitCode};\n`,
});

async function ran(
  args: object,
  files: Record<string, string>,
  options: Partial<ScenarioOptions> = {},
  during: (chat: Scenario) => Promise<void> = async () => {},
) {
  await using chat = await startScenario({
    files,
    sandbox: 'danger-full-access',
    policy: 'never',
    ...options,
    model: [[calls('run_tests', args)], [says('Done.')]],
  });
  const sent = chat.send('go');
  await during(chat);
  await sent;
  const audit = chat.home.at('audit.jsonl');
  return {
    output: chat.outputs()[0] ?? '',
    item: chat.items('command_execution')[0],
    offered: chat.server.requests[0]?.toolNames.includes('run_tests'),
    audit: existsSync(audit) ? readFileSync(audit, 'utf8') : '',
    state: chat.state,
  };
}

describe('run_tests', () => {
  it('returns each failed test with its place and message, and not the output', async () => {
    const { output, item, offered, audit } = await ran({}, project(OUTPUT, 2));
    const [head, text = ''] = output.split('Output:\n');
    expect(head).toContain('Process exited with code 2');
    expect(text.split('\n').slice(0, 4)).toEqual([
      '2 failed, 1 passed, 1 skipped.',
      'FAILED sum > refuses text (test/sum.js:15)',
      '    TypeError: not a number: a',
      'FAILED sum > of a list > takes > two (test/sum.js:11)',
    ]);
    expect(text).not.toContain('adds two numbers');
    expect(item).toMatchObject({ command: 'node mocha.cjs', status: 'failed', exitCode: 2 });
    expect(item?.tests).toMatchObject({ passed: 1, failed: 2, skipped: 1 });
    expect(item?.output).toContain('adds two numbers');
    expect(offered).toBe(true);
    expect(audit).toContain('"command":"node mocha.cjs"');
  });

  it('names a part in the words of the runner', async () => {
    const { item } = await ran({ path: 'test', name: 'adds two' }, { ...project('', 0), 'test/a.js': '' });
    expect(item).toMatchObject({ command: "node mocha.cjs test -g 'adds two'", output: '\ntest -g adds two\n' });
  });

  it('takes the nearest folder above the path that names a test command', async () => {
    const inner = Object.entries(project('', 0)).map(([name, text]) => [`packages/one/${name}`, text] as const);
    const files = { ...project('', 0), ...Object.fromEntries(inner), 'packages/one/test/a.js': '' };
    const { item } = await ran({ path: 'packages/one/test/a.js' }, files);
    expect(item?.command).toBe('node mocha.cjs test/a.js');
    expect(item?.cwd.endsWith('packages/one')).toBe(true);
  });

  it('returns the output where something else than a test has failed', async () => {
    const passing = '\n  1 passing (7ms)\n\nERROR: coverage is below 80 %\n';
    const { output, item } = await ran({}, project(passing, 1));
    expect(output).toContain('ERROR: coverage is below 80 %');
    expect(item?.tests).toBeUndefined();
    expect((await ran({}, project(passing, 0))).output).toMatch(/Output:\n0 failed, 1 passed\.$/);
  });

  it('is asked about like the command, and a denial runs nothing', async () => {
    const { item, output } = await ran({}, project(OUTPUT, 2), { policy: 'untrusted' }, async (chat) => {
      const { kind, command } = await chat.next('approval_requested');
      expect([kind, command]).toEqual(['command', 'node mocha.cjs']);
      await chat.answer({ denied: {} });
    });
    expect(item).toMatchObject({ status: 'declined', output: '' });
    expect(output).not.toContain('failed, 1 passed');
  });

  it('is stopped with the turn', async () => {
    const files = { ...project('', 0), 'mocha.cjs': "console.log('begun'); setInterval(() => {}, 1000);\n" };
    const { item } = await ran({}, files, {}, async (chat) => {
      for (;;) if ((await chat.next('item_delta')).kind === 'output') break;
      chat.submit({ type: 'interrupt' });
    });
    expect(item).toMatchObject({ status: 'aborted' });
  });

  it('says what it has looked for where there is no test command, and is not offered there', async () => {
    const { output, offered, item } = await ran({}, { 'a.txt': '' });
    expect(offered).toBe(false);
    expect(output).toMatch(
      /^No test command was found in \.\. Looked for: \.vscode\/tasks\.json, package\.json, .*Cargo\.toml/,
    );
    expect(item).toBeUndefined();
  });

  it('says that a command cannot run a part, and runs nothing', async () => {
    const files = { Makefile: 'test:\n\techo all\n', 'a.c': '' };
    const { output, item } = await ran({ path: 'a.c' }, files);
    expect(output).toMatch(/^The test command \(make test\) cannot run only a part\./);
    expect(item).toBeUndefined();
    expect((await ran({ path: 'none.c' }, files)).output).toMatch(/none\.c does not exist\. Nothing was run\.$/);
  });

  it('is removed with the output of the command', async () => {
    const { state } = await ran({}, project(OUTPUT, 2), {}, async (chat) => {
      await chat.next('turn_completed');
      const item = chat.items('command_execution')[0];
      chat.submit({ type: 'purge_output', itemId: item?.id ?? '' });
      await chat.next('output_purged');
    });
    const items = state.turns.flatMap((turn) => turn.items).filter(({ type }) => type === 'command_execution');
    expect(items).toMatchObject([{ output: '' }]);
    expect(items[0]).not.toHaveProperty('tests');
  });
});
