/** Recorded threads run again: the same requests, every response used, and no other effect. */
import type { WireApi } from '../../src/protocol/providers.ts';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { replay } from '../../src/cli/replay.ts';
import { type ReplayWorld, replayPorts } from '../../src/cli/replay/ports.ts';
import { type ReplayOutcome, runReplay } from '../../src/cli/replay/run.ts';
import { replayScript } from '../../src/core/replay/script.ts';
import { decidedHere } from '../support/decided.ts';
import { ModelServer, says } from '../support/modelServer.ts';
import { randomOf } from '../support/random.ts';
import { runCli } from '../support/runCli.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { recordingOf, THREAD_RECIPES } from '../support/threadRecipes.ts';

const FOLDER = path.join(import.meta.dirname, '../fixtures/threads');
const RELEASED = path.join(import.meta.dirname, '../fixtures/rollouts');
const NAMES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => path.basename(name, '.jsonl'))
  .toSorted();

/** Recipes whose processes take time, or run beside each other. */
const WAITS = new Set([
  ...['background-process', 'interrupted-command', 'one-answer-for-two', 'retried', 'steered'],
  ...NAMES.filter((name) => name.startsWith('commands-side-by-side')),
]);

const rollout = (name: string) => readFileSync(path.join(FOLDER, `${name}.jsonl`), 'utf8');

function scriptOf(text: string) {
  const read = replayScript(text);
  if (read.type === 'refused') throw new Error(read.message);
  return read.script;
}

const replayed = (text: string, wire?: WireApi): Promise<ReplayOutcome> =>
  runReplay(scriptOf(text), { wire, patienceMs: 8000 });

/** The rollout with one text changed everywhere in the chosen lines. */
function changed(text: string, choose: (line: string) => boolean, from: string, to: string): string {
  const lines = text.split('\n').map((line) => (choose(line) ? line.replaceAll(from, to) : line));
  const result = lines.join('\n');
  expect(result).not.toBe(text);
  return result;
}

const isItem = (line: string) => line.includes('"type":"response_item"');

describe('a recorded thread', () => {
  test.each(NAMES)('is run again with the same requests: %s', async (name) => {
    const script = scriptOf(rollout(name));
    const turns = script.parts.reduce((sum, part) => sum + part.turns.length, 0);
    expect(await runReplay(script, { patienceMs: 8000 }), '`npm run record` records the threads again').toEqual({
      type: 'same',
      requests: script.exchanges.length,
      turns,
    });
  });

  test('exists for each recipe, at least 30, and is small', () => {
    expect(NAMES).toEqual(THREAD_RECIPES.map(({ name }) => name).toSorted());
    expect(NAMES.length).toBeGreaterThanOrEqual(30);
    const bytes = NAMES.reduce((sum, name) => sum + Buffer.byteLength(rollout(name)), 0);
    expect(bytes).toBeLessThan(420_000);
  });

  // Without the passage of time a recipe writes the same bytes again: an edited recording is found.
  test.runIf(process.platform === 'linux')('equals what its recipe writes', async () => {
    const recipes = THREAD_RECIPES.filter(({ name }) => !WAITS.has(name));
    for (const { name, record } of recipes) {
      expect([name, await recordingOf(record)], '`npm run record` records the threads again').toEqual([
        name,
        rollout(name),
      ]);
    }
  });

  test('has the same requests on the other wire', async () => {
    const names = NAMES.filter((name) => name !== 'local-shell' && name !== 'goes-on-by-itself');
    const random = randomOf('the other wire');
    for (let round = 0; round < 5; round++) {
      const name = random.pick(names);
      for (const wire of ['responses', 'chat'] as const) {
        expect([name, wire, await replayed(rollout(name), wire)]).toMatchObject([name, wire, { type: 'same' }]);
      }
    }
  });
});

describe.each(readdirSync(RELEASED))('the threads of %s', (release) => {
  const folder = path.join(RELEASED, release);

  test.each(readdirSync(folder).filter((name) => name.endsWith('.jsonl')))('are run again: %s', async (name) => {
    const text = readFileSync(path.join(folder, name), 'utf8');
    expect(await replayed(text)).toMatchObject({ type: 'same' });
  });
});

describe('a replay that differs', () => {
  test('names the request and the item, and shows the difference line by line', async () => {
    const text = changed(rollout('plan'), isItem, 'the user is asked before', 'the user is never asked before');
    const outcome = await replayed(text);
    expect(outcome).toMatchObject({
      type: 'different',
      message: 'Request 1 of 3 differs in input[0] (message of developer).',
    });
    const { diff } = outcome as Extract<ReplayOutcome, { type: 'different' }>;
    expect(diff).toContain('a/request 1 of 3');
    const lines = diff.split('\n').filter((line) => /^[-+](?![-+])/.test(line));
    expect(lines.map((line) => [line[0], line.includes('never asked before')])).toEqual([
      ['-', true],
      ['+', false],
    ]);
  });

  test('is found in every message that Tiller writes', async () => {
    const random = randomOf('changed messages');
    for (let round = 0; round < 5; round++) {
      const name = random.pick(NAMES.filter((each) => !each.startsWith('forked')));
      const text = rollout(name);
      const told = text
        .split('\n')
        .filter((line) => /"role":"(?:developer|user)".*<(?:permissions|environment_context)>/.test(line));
      const line = random.pick(told);
      const other = line.replace(/<\/(permissions|environment_context)>/, 'And more.</$1>');
      expect([name, (await replayed(text.replace(line, () => other))).type]).toEqual([name, 'different']);
    }
  });

  test('is found in a message of the user', async () => {
    const isShown = (line: string) => line.includes('"user_message"');
    const text = changed(rollout('steered'), isShown, 'also this', 'also that');
    expect(await replayed(text)).toMatchObject({ message: 'Request 2 of 2 differs in input[5] (message of user).' });
  });

  test('is found in an output that depends on an approval', async () => {
    const isAnswer = (line: string) => line.includes('approval_resolved');
    const text = changed(rollout('patch-denied'), isAnswer, 'Keep it.', 'Leave it.');
    expect(await replayed(text)).toMatchObject({
      message: expect.stringMatching(/^Request 2 of 2 differs in input\[4\] /),
    });
  });

  test('reports a response that is not used', async () => {
    expect(await replayed(rollout('goes-on-by-itself'), 'chat')).toEqual({
      type: 'different',
      message: 'The recorded response 2 of 2 was not asked for.',
      diff: '',
    });
  });

  test('reports a request that was not recorded', async () => {
    const lines = rollout('commands').trimEnd().split('\n');
    const last = lines.findLastIndex((line) => isItem(line) && line.includes('"Done."'));
    const text = [...lines.slice(0, last), ...lines.slice(last + 1).filter((line) => !line.includes('token_count'))];
    expect(await replayed(text.join('\n'))).toMatchObject({
      message: 'Request 4 was not recorded: the rollout has 3.',
    });
  });

  test('reports a thread that ends too early', async () => {
    const text = changed(
      rollout('one-answer-for-two'),
      (line) => line.includes('"denied"'),
      '"by":"user"',
      '"by":"memory"',
    );
    const waiting = rollout('approved')
      .split('\n')
      .filter((line) => !line.includes('approval_resolved'));
    expect((await replayed(text)).type).toBe('same');
    expect(await runReplay(scriptOf(waiting.join('\n')), { patienceMs: 300 })).toMatchObject({
      message: 'The thread does not go on after request 1.',
    });
  });
});

describe('a replay of an unknown rollout', () => {
  test('starts no command and touches no file', async () => {
    using folder = tempFolder();
    mkdirSync(folder.at('project'));
    writeFileSync(folder.at('project', 'a.txt'), 'one\n');
    const project = (text: string) => text.replaceAll('/home/user', folder.path);
    const command = project(rollout('commands')).replaceAll('echo out; echo err >&2', `touch ${folder.at('ran')}`);
    for (const text of [command, project(rollout('patch-applied')), project(rollout('patch-partly-accepted'))]) {
      expect(await replayed(text)).toMatchObject({ type: 'same' });
    }
    expect(readdirSync(folder.path, { recursive: true })).toEqual(['project', 'project/a.txt']);
    expect(readFileSync(folder.at('project', 'a.txt'), 'utf8')).toBe('one\n');
  });

  test('has ports that start no process, write no file and connect to no server', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start([[says('Hello.')]]);
    const world: ReplayWorld = {
      now: '2026-01-15T12:00:00.000Z',
      shell: '/bin/sh',
      timeZone: 'UTC',
      platform: 'linux',
      files: new Map(),
      folders: new Set<string>(),
      stored: new Map(),
      onAppend: () => {},
    };
    const ports = replayPorts(world, 'thread', folder.path, 'http://127.0.0.1:9');
    const argv = ['touch', folder.at('ran')] as const;
    const command = { argv: [...argv] as [string, ...string[]], cwd: folder.path, env: {}, stdin: 'none' as const };
    await expect(ports.exec.spawn({ ...command, confinement: { type: 'none' } })).rejects.toThrow('no commands');
    await expect(ports.fetch(`${server.baseUrl}/responses`, { method: 'POST', body: '{}' })).rejects.toThrow(
      'does not reach',
    );
    const change = decidedHere({ kind: 'add' as const, path: folder.at('a.txt'), text: 'a', before: null });
    expect(await ports.workspace.apply([change])).toMatchObject({ type: 'failed' });
    await ports.storage.writeText('rules.json', '{}');
    expect(readdirSync(folder.path)).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  test.each([
    ['', 'no line says that this is a Tiller thread'],
    ['{"torn', 'no line says that this is a Tiller thread'],
    [rollout('plan').replace('"version":1', '"version":2'), 'it was written by a newer Tiller'],
    [rollout('plan').split('\n')[0] ?? '', 'no process has worked in this thread'],
    [
      `${rollout('plan')}${JSON.stringify({ timestamp: '', type: 'compacted', payload: { message: '', replacement_history: [] } })}\n`,
      'the thread was compacted, which cannot be replayed yet',
    ],
  ])('is refused where it cannot be compared: %#', (text, message) => {
    expect(replayScript(text)).toEqual({ type: 'refused', message });
  });
});

describe('tiller replay', () => {
  test('exits with 0, with 1 and the difference, or with 2', async () => {
    using home = tempFolder();
    const same = path.join(FOLDER, 'commands.jsonl');
    expect(await runCli(['replay', same], { home: home.path })).toEqual({
      code: 0,
      stdout: '4 requests in 1 turn, all as recorded.\n',
      stderr: '',
    });
    const other = home.at('other.jsonl');
    writeFileSync(other, changed(rollout('commands'), isItem, '<permissions>\\n', '<permissions>\\nBe kind.\\n'));
    const different = await runCli(['replay', '--wire-api', 'chat', other], { home: home.path });
    expect(different).toMatchObject({
      code: 1,
      stderr: 'tiller: Request 1 of 4 differs in messages[1] (message of developer).\n',
    });
    expect(different.stdout).toMatch(/^-Be kind\.\\n$/m);
    expect(await runCli(['replay', home.at('missing.jsonl')], { home: home.path })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^tiller: .*missing\.jsonl.*\n$/),
    });
    expect(readdirSync(home.path)).toEqual(['other.jsonl']);
  });

  test.each([
    [[], 'replay which rollout? give one file'],
    [['a.jsonl', 'b.jsonl'], 'replay which rollout? give one file'],
    [[FOLDER], /threads/],
    [
      [path.join(FOLDER, 'plan.jsonl'), '--wire-api', 'telepathy'],
      '--wire-api telepathy: must be responses, chat, messages',
    ],
    [[path.join(RELEASED, 'released-0.1/as-read.txt')], /as-read\.txt: no line says that this is a Tiller thread$/],
  ])('refuses the arguments %j', async (args, message) => {
    await expect(replay(args, process)).rejects.toThrow(message);
  });
});
