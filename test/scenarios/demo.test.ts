/** A first job with the demo model on the command line: a small project with a failing test. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/protocol/event.ts';
import type { Op } from '../../src/protocol/op.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { type CliRun, runCli, startCli } from '../support/runCli.ts';
import { type Choices, sampleFolder, VARIANTS } from '../support/sample.ts';
import { type TempFolder, tempFolder } from '../support/tempFolder.ts';

const UNASKED = ['--sandbox', 'danger-full-access', '--approval-policy', 'never'];
const [FIRST, , , SECOND] = VARIANTS as [Choices, Choices, Choices, Choices];

function treeOf(folder: TempFolder): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder.path, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(folder.at(name)).isFile())
      .toSorted()
      .map((name) => [name, readFileSync(folder.at(name), 'utf8')]),
  );
}

/** Runs without `NODE_TEST_CONTEXT`: with it, a test runner inside a test runner prints nothing. */
function ownTestsPass(folder: TempFolder): boolean {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  return spawnSync(process.execPath, ['--test'], { cwd: folder.path, env, encoding: 'utf8' }).status === 0;
}

async function demo(
  choices: Choices,
  args: readonly string[],
): Promise<{ run: CliRun; folder: TempFolder; before: Record<string, string> }> {
  const folder = await sampleFolder(choices);
  const before = treeOf(folder);
  using home = tempFolder();
  const run = await runCli(['exec', '--demo', ...args, 'Fix the failing test.'], { home: home.path, cwd: folder.path });
  return { run, folder, before };
}

describe('tiller exec --demo', { concurrent: true }, () => {
  it('repairs a project with a failing test', async () => {
    const { run, folder, before } = await demo(FIRST, UNASKED);
    using _ = folder;
    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\*\*Repaired\.\*\*/) });
    const after = treeOf(folder);
    const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
    expect([changed.length, Object.keys(after)]).toEqual([1, Object.keys(before)]);
    expect(ownTestsPass(folder)).toBe(true);
  });

  it('repairs it over Chat Completions too', async () => {
    const { run, folder } = await demo(SECOND, [...UNASKED, '--wire-api', 'chat']);
    using _ = folder;
    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\*\*Repaired\.\*\*/) });
    expect(ownTestsPass(folder)).toBe(true);
  });

  it.skipIf(noSandbox)('needs no flag and no approval in the sandbox', async () => {
    const { run, folder } = await demo(FIRST, []);
    using _ = folder;
    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\*\*Repaired\.\*\*/) });
    expect(ownTestsPass(folder)).toBe(true);
  });

  it('changes nothing in a project that needs no repair', async () => {
    const { run, folder, before } = await demo({ ...FIRST, variant: 'repaired' }, UNASKED);
    using _ = folder;
    expect(run.code).toBe(0);
    expect(run.stdout).not.toContain('Repaired');
    expect(treeOf(folder)).toEqual(before);
  });

  it('reports that an approval is needed where no user can be asked', async () => {
    const { run, folder, before } = await demo(FIRST, ['--approval-policy', 'untrusted']);
    using _ = folder;
    expect(run.code).toBe(0);
    expect(run.stdout).not.toContain('Repaired');
    expect(run.stdout).toMatch(/denied|not allowed|approv|ask/i);
    expect(treeOf(folder)).toEqual(before);
  });
});

describe('tiller demo-model', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('prints its address, serves, and exits 0 on %s', async (signal) => {
    using home = tempFolder();
    const child = await startCli(['demo-model', '--port', '0'], { home: home.path });
    await expect.poll(() => child.output.stdout).toContain('\n');
    const [line = ''] = child.output.stdout.split('\n');
    expect(line).toMatch(/^\{"baseUrl":"http:\/\/127\.0\.0\.1:\d+\/v1","model":"demo"\}$/);
    const { baseUrl, model } = JSON.parse(line) as { baseUrl: string; model: string };
    const answer = await fetch(`${baseUrl}/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        stream: true,
        input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Who are you?' }] }],
      }),
    });
    expect(await answer.text()).toContain('response.completed');
    child.kill(signal);
    expect(await child.ended).toMatchObject({ code: 0, stdout: `${line}\n` });
  });
});

describe.each(['responses', 'chat', 'messages'])('a thread with the demo model on %s', (wire) => {
  it('is compacted, undone and continued by lines on stdin', async () => {
    const folder = await sampleFolder(FIRST);
    using _ = folder;
    using home = tempFolder();
    const args = ['exec', '--demo', '--json', '--input', 'jsonl', '--wire-api', wire, ...UNASKED];
    const child = await startCli(args, { home: home.path, cwd: folder.path });
    const told = (): Event[] =>
      child.output.stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Event);
    const ended = async (turns: number) => {
      const count = () => told().filter(({ msg }) => msg.type === 'turn_completed').length;
      await expect.poll(count, { timeout: 60_000 }).toBe(turns);
    };
    const say = (op: Op) => child.stdin.write(`${JSON.stringify({ op })}\n`);
    say({ type: 'user_turn', input: [{ type: 'text', text: 'Fix the failing test.' }] });
    await ended(1);
    say({ type: 'compact' });
    await ended(2);
    const compaction = told().flatMap(({ msg }) =>
      msg.type === 'item_completed' && msg.item.type === 'compaction' ? [msg.item] : [],
    )[0];
    expect(compaction).toMatchObject({ status: 'completed', trigger: 'manual' });
    expect(compaction?.summary).toContain('- Fix the failing test.');
    expect(compaction?.summary).toContain('- `node --test`');
    expect(compaction?.summary).not.toContain('update_plan');
    expect(compaction?.summary).toContain('**Repaired.**');
    expect(compaction?.afterTokens).toBeLessThan(compaction?.beforeTokens ?? 0);
    say({ type: 'user_turn', input: [{ type: 'text', text: 'Run the demo' }] });
    await ended(3);
    say({ type: 'undo_compaction', itemId: compaction?.id ?? '' });
    await expect.poll(() => told().some(({ msg }) => msg.type === 'compaction_undone')).toBe(true);
    child.stdin.end();
    expect((await child.ended).code).toBe(0);
    expect(told().flatMap(({ msg }) => (msg.type === 'warning' || msg.type === 'error' ? [msg] : []))).toEqual([]);
  });
});
