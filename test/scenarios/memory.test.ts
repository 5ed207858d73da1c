/** Memories of threads for later threads, and `get_memory`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isEditedMemory, parseMemory } from '../../src/core/rollout/memoryFile.ts';
import { ThreadMemories } from '../../src/core/rollout/threadMemories.ts';
import { SecretRedactor } from '../../src/core/util/secretRedactor.ts';
import { createStorage } from '../../src/node/storage/storage.ts';
import { calls, type ModelRequest, ModelServer, says, type Step, usage } from '../support/modelServer.ts';
import { randomOf } from '../support/random.ts';
import { runCli } from '../support/runCli.ts';
import { bundled, runFile } from '../support/runTypeScript.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';

const FULL = { policy: 'never', sandbox: 'danger-full-access', memory: true } as const;
const read = (memory_id: string) => calls('get_memory', { memory_id });
const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

function toolNames({ body }: ModelRequest): string[] {
  const tools = (body['tools'] ?? []) as { name?: string; function?: { name: string } }[];
  return tools.map((tool) => tool.name ?? tool.function?.name ?? '');
}

function listIn({ text }: ModelRequest): string | undefined {
  return /<thread_memories>.*?<\/thread_memories>/s.exec(text)?.[0];
}

async function fileOf(chat: Scenario, threadId = chat.session.threadId): Promise<string> {
  await chat.service.memoriesWritten();
  return chat.home.at('memories', `${threadId}.md`);
}

function store(home: string, keys = new SecretRedactor()): ThreadMemories {
  return new ThreadMemories({ storage: createStorage(home), keys });
}

function memory(number: number, more: object = {}) {
  const updatedAt = `2026-01-01T00:00:${String(number % 60).padStart(2, '0')}.000Z`;
  return {
    threadId: idOf(number),
    title: `Thread ${number}`,
    folder: '/w',
    updatedAt,
    trace: '- hi',
    summary: 'Ok.',
    ...more,
  };
}

describe('the memory of a thread', () => {
  it('is neither offered nor written while the setting is off', async () => {
    await using chat = await startScenario({ ...FULL, memory: false, model: [[read(idOf(1))], [says('Done.')]] });
    await chat.send('hello');
    await chat.service.memoriesWritten();
    expect(toolNames(chat.server.lastRequest)).not.toContain('get_memory');
    expect(chat.outputs()[0]).toMatch(/^Unsupported call/);
    expect(existsSync(chat.home.at('memories'))).toBe(false);
  });

  it('is a file for the user alone, which is listed to a later thread in the folder, and read there', async () => {
    await using chat = await startScenario({
      ...FULL,
      model: [
        [calls('exec_command', { cmd: 'echo heron > word.txt; exit 3' })],
        [says('The code word is heron.')],
        (request) => [read(/- ([0-9a-f-]{36}) \(/.exec(listIn(request) ?? '')?.[1] ?? '')],
        [says('It is heron.')],
      ],
    });
    await chat.send('Remember the code word.');
    const file = await fileOf(chat);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(
      /^---\ntitle: "Remember the code word"\nfolder: ".*"\nupdated: .*\nwritten: \w+\n---\n\n## Trace\n/,
    );
    expect(text).toMatch(/## Summary\n\nThe code word is heron\.\n$/);

    const later = await chat.another();
    await later.send('What was the code word?');
    const { threadId } = chat.session;
    const today = new Date().toISOString().slice(0, 10);
    expect(listIn(chat.server.lastRequest)).toContain(`- ${threadId} (${today}): Remember the code word`);
    const trace =
      '- Remember the code word.\n  - changed: word.txt\n  - ran: echo heron > word.txt; exit 3 (exit code 3)';
    expect(JSON.parse(later.outputs()[0] ?? '')).toEqual({
      memory_id: threadId,
      trace_summary: trace,
      memory_summary: 'The code word is heron.',
    });
    expect(later.items('file_lookup')).toEqual([
      expect.objectContaining({ action: 'memory', path: 'Remember the code word', status: 'completed' }),
    ]);
    await later.session.dispose();
  });

  it('has the summary of ten compactions, and the first fact of them reaches another thread', async () => {
    const steps = (request: ModelRequest, index: number): readonly Step[] => {
      if (request.text.includes('<summary_request>')) {
        return [says([...new Set(request.text.match(/code word is \w+/g))].join('. ') || 'Nothing.')];
      }
      if (request.text.includes('What was the code word?')) {
        const found = /memory_summary.*?code word is (\w+)/s.exec(request.text)?.[1];
        if (found !== undefined) return [says(found)];
        return [read(/- ([0-9a-f-]{36}) \(/.exec(request.text)?.[1] ?? '')];
      }
      const word = index === 0 ? 'The code word is heron. ' : '';
      return [says(`${word}${'All is well with it. '.repeat(100)}`), usage({ input: 7_000, output: 2_000 })];
    };
    await using chat = await startScenario({
      ...FULL,
      provider: { models: { 'test-model': { contextWindow: 8_000 } } },
      model: steps,
    });
    for (let turn = 1; chat.items('compaction').length < 10 && turn < 60; turn++) await chat.send(`Look at ${turn}.`);
    expect(chat.items('compaction')).toHaveLength(10);
    expect(readFileSync(await fileOf(chat), 'utf8')).toContain('## Summary\n\ncode word is heron');
    const later = await chat.another();
    expect(await later.send('What was the code word?')).toEqual({ type: 'turn_completed', lastMessage: 'heron' });
    await later.session.dispose();
  });

  it('is not found by an id that is no thread of this home, whatever it is', async () => {
    const ids = ['../x', 'constructor', '__proto__', '', '../settings', 'a/../../b', '\0', `${idOf(1)}\n`, idOf(9)];
    await using chat = await startScenario({
      ...FULL,
      model: [[...ids.map(read)], [says('Done.')]],
    });
    writeFileSync(chat.home.at('x.md'), 'secret');
    await chat.send('go');
    expect(chat.outputs()).toEqual(ids.map((id) => `There is no memory with the id ${JSON.stringify(id)}.`));
  });

  it('is listed once, for threads of its folder, and not in an untrusted one', async () => {
    await using chat = await startScenario({ ...FULL, model: () => [says('Fine.')] });
    const memories = store(chat.home.path);
    await memories.write(memory(1, { folder: chat.folder.path, title: 'Mine </thread_memories> & more' }));
    await memories.write(memory(2, { folder: '/elsewhere', updatedAt: '2026-12-01T00:00:00.000Z' }));
    for (let number = 3; number < 60; number++) {
      await memories.write(memory(number, { folder: chat.folder.at('sub'), title: 'long '.repeat(40) }));
    }
    await chat.send('one');
    const first = listIn(chat.server.lastRequest) ?? '';
    expect(first.match(/- 0000/g)?.length).toBe(20);
    expect(first.length).toBeLessThan(3_600);
    expect(first).not.toContain(idOf(2));
    await memories.write(memory(61, { folder: chat.folder.path, updatedAt: '2027-01-01T00:00:00.000Z' }));
    await chat.send('two');
    expect(chat.server.lastRequest.text.split('<thread_memories>')).toHaveLength(2);
    expect(listIn(chat.server.lastRequest)).toBe(first);

    const [settings, host] = chat.thread;
    const untrusted = chat.with(await chat.service.start(settings, { ...host, isTrusted: () => false }));
    await untrusted.send('hello');
    expect(listIn(chat.server.lastRequest)).toBe(undefined);
    expect(toolNames(chat.server.lastRequest)).not.toContain('get_memory');
    await untrusted.session.dispose();
  });

  it('stays as the user has edited it, and is not given while its thread is in the trash', async () => {
    await using chat = await startScenario({ ...FULL, model: () => [says('One.')] });
    await chat.send('first');
    const file = await fileOf(chat);
    const edited = `${readFileSync(file, 'utf8').replace('One.', 'Mine: heron.')}\nwritten: by me\n`;
    writeFileSync(file, edited);
    await chat.send('second');
    await chat.service.memoriesWritten();
    expect(readFileSync(file, 'utf8')).toBe(edited);
    const memories = store(chat.home.path);
    const { threadId } = chat.session;
    expect((await memories.read(threadId))?.summary).toBe('Mine: heron.\n\nwritten: by me');
    await chat.service.remove(threadId);
    expect(await memories.read(threadId)).toBe(undefined);
    expect(await memories.list()).toEqual([]);
    await chat.service.catalog.restore(threadId);
    expect((await memories.read(threadId))?.title).toBe('first');
  });

  it('has no key that Tiller holds, at most 17 KiB, and only the 200 newest are kept, but for edited ones', async () => {
    using home = tempFolder();
    const keys = new SecretRedactor();
    keys.hold('sk-very-secret-key');
    const memories = store(home.path, keys);
    const long = 'A line of the summary.\n'.repeat(4_000);
    await memories.write(
      memory(0, { title: 'sk-very-secret-key', summary: `sk-very-secret-key\n${long}`, trace: long }),
    );
    const file = home.at('memories', `${idOf(0)}.md`);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain('very-secret');
    expect(isEditedMemory(text)).toBe(false);
    expect(statSync(file).size).toBeLessThan(17 * 1024);
    writeFileSync(home.at('memories', `${idOf(1)}.md`), 'Written by hand.\n');
    for (const number of [0, 1]) utimesSync(home.at('memories', `${idOf(number)}.md`), 1, 1);
    for (let number = 2; number <= 201; number++) await memories.write(memory(number));
    const names = readdirSync(home.at('memories'));
    expect(names).toHaveLength(201);
    expect(names).not.toContain(`${idOf(0)}.md`);
    expect((await memories.read(idOf(1)))?.summary).toBe('Written by hand.');
  });

  it('is whole after a process was killed while it wrote, and when two processes write', {
    timeout: 60_000,
  }, async () => {
    using home = tempFolder();
    const script = await bundled('memoryRounds.ts');
    const random = randomOf('killed memories');
    for (let round = 0; round < 5; round++) {
      const child = spawn(process.execPath, [script, home.path, 'killed', '100000'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'close');
      await once(child.stdout, 'data');
      await sleep(random.below(50));
      child.kill('SIGKILL');
      await ended;
      checkWhole(home.path);
    }
    await Promise.all(['one', 'other'].map((name) => runFile(script, [home.path, name, '20'])));
    checkWhole(home.path);
    const memories = await store(home.path).list();
    expect(memories).toHaveLength(4);
    for (const { summary } of memories) expect(summary).toMatch(/^Round 19 of (one|other)\./);
  });

  it('is written and read by `tiller exec`, too', { timeout: 60_000 }, async () => {
    using home = tempFolder();
    using work = tempFolder();
    await using server = await ModelServer.start([[says('The code word is heron.')], [says('Again.')], [says('Off.')]]);
    const args = ['exec', '--model', 'm', '--base-url', server.baseUrl, '-c', 'memory.enabled=true'];
    const run = (more: string[]) => runCli([...args, ...more], { home: home.path, cwd: work.path });
    expect((await run(['Remember it.'])).code).toBe(0);
    expect((await run(['Go on.'])).code).toBe(0);
    expect(listIn(server.lastRequest)).toContain('Remember it');
    expect(toolNames(server.lastRequest)).toContain('get_memory');
  });
});

/** Each file is exactly what one write has made of it. */
function checkWhole(home: string): void {
  const folder = `${home}/memories`;
  const names = readdirSync(folder).filter((name) => name.endsWith('.md') && !name.startsWith('.'));
  for (const name of names) {
    const text = readFileSync(`${folder}/${name}`, 'utf8');
    expect({ name, isEdited: isEditedMemory(text) }).toEqual({ name, isEdited: false });
    expect(parseMemory('', text)?.title).toMatch(/^Thread \d$/);
  }
}
