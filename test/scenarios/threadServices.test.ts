/** Operations on a thread that is not open: search, read, delete, export, fork. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/core/session/session.ts';
import type { ThreadState } from '../../src/protocol/thread.ts';
import { threadReducer } from '../../src/protocol/threadReducer.ts';
import type { ThreadSearchHit } from '../../src/protocol/threads.ts';
import { calls, hangs, says } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';
import { windowBeside } from '../support/windowBeside.ts';

async function found(chat: Scenario, query: string, signal = new AbortController().signal): Promise<ThreadSearchHit[]> {
  const hits: ThreadSearchHit[] = [];
  for await (const hit of chat.service.catalog.search(query, signal)) hits.push(hit);
  return hits;
}

async function turn(session: Session, text: string): Promise<void> {
  session.start();
  session.submit({ id: 'turn', op: { type: 'user_turn', input: [{ type: 'text', text }] } });
  await session.idle();
}

describe('searching', () => {
  it('finds messages, calls and outputs, whatever their case, with the place', async () => {
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      model: [
        [says('The "Größe" is wrong.\nNothing else.'), calls('exec_command', { cmd: 'echo needle-$((1+1))' })],
        [says('Done.')],
      ],
    });
    await chat.send('Why is (a+b)* slow?\nsecond line');
    const { threadId } = chat.session;
    const item = (type: string) => chat.state.turns[0]?.items.find((item) => item.type === type)?.id;
    expect(await found(chat, '"gröSSE"'.replace('SS', 'ß'))).toEqual([
      { threadId, itemId: item('agent_message'), before: 'The ', match: '"Größe"', after: ' is wrong.' },
    ]);
    expect(await found(chat, 'NEEDLE-2')).toMatchObject([{ itemId: item('command_execution') }]);
    expect(await found(chat, '(a+b)*')).toMatchObject([{ itemId: null }, { itemId: item('user_message') }]);
    expect([await found(chat, 'item_completed'), await found(chat, ' ')]).toEqual([[], []]);
  });

  it('finds a step of a plan and a call of a tool by its arguments', async () => {
    const plan = { plan: [{ step: 'Paint the shed', status: 'pending' }] };
    await using chat = await startScenario({
      model: [[calls('update_plan', plan), calls('no_such_tool', { colour: 'Ochre' })], [says('Done.')]],
    });
    await chat.send('go');
    const item = (type: string) => chat.state.turns[0]?.items.find((item) => item.type === type)?.id;
    expect(await found(chat, 'the SHED')).toMatchObject([{ itemId: item('plan'), before: 'Paint ', after: '' }]);
    expect(await found(chat, 'ochre')).toMatchObject([{ itemId: item('dynamic_tool_call'), match: 'Ochre' }]);
  });

  it('can be cancelled', async () => {
    await using chat = await startScenario({ model: [[says('One.')]] });
    await chat.send('one');
    await expect(found(chat, 'one', AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});

describe('the trash', () => {
  it('takes a live thread, and restores it unchanged', async () => {
    await using chat = await startScenario({ model: [[says('One.')], [hangs()]] });
    await chat.send('one');
    const { threadId } = chat.session;
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'two' }] });
    expect(await chat.service.remove(threadId)).toEqual({ type: 'done' });
    expect(await chat.service.catalog.list([])).toEqual([]);
    expect(await chat.service.remove(threadId)).toEqual({ type: 'missing' });
    expect(await chat.service.resume('last', ...chat.thread)).toMatchObject({ type: 'refused' });
    expect(await chat.service.catalog.restore(threadId)).toBe(true);
    expect(await chat.service.catalog.restore(threadId)).toBe(false);
    expect((await chat.service.catalog.list([])).map(({ id, turns }) => [id, turns])).toEqual([[threadId, 2]]);
  });

  it('is emptied of threads older than 30 days, with the logs of their commands', async () => {
    const print = calls('exec_command', { cmd: 'seq 20000' });
    const model = [[print], [says('One.')], [print], [says('Two.')]];
    await using chat = await startScenario({ sandbox: 'danger-full-access', model });
    await using other = await chat.another();
    await chat.send('one');
    await other.send('two');
    await chat.service.remove(chat.session.threadId);
    const inDays = (days: number) =>
      windowBeside(chat, ({ clock }) => ({ ...clock, now: () => new Date(Date.now() + days * 86_400_000) }));
    const left = (folder: string) =>
      readdirSync(chat.home.at(folder), { recursive: true, encoding: 'utf8' }).filter((file) => /\.\w+$/.test(file));
    await inDays(29).catalog.list([]);
    await expect.poll(() => [left('bin').length, left('logs/commands').length]).toEqual([1, 2]);
    await chat.service.catalog.restore(chat.session.threadId);
    expect(left('logs/commands')).toHaveLength(2);
    await chat.service.remove(chat.session.threadId);
    await inDays(31).catalog.list([]);
    await expect.poll(() => left('bin')).toEqual([]);
    expect(left('logs/commands')).toEqual([expect.stringContaining(other.session.threadId)]);
  });
});

describe('the trash on another disk', () => {
  it('takes a thread with all its lines, restores it unchanged, and the thread continues', async ({ skip }) => {
    await using chat = await startScenario({ model: [[says('One.')], [says('Two.')]] });
    const disk = '/dev/shm';
    if (!existsSync(disk) || statSync(disk).dev === statSync(chat.home.path).dev) skip('there is one disk');
    const other = mkdtempSync(`${disk}/tiller-`);
    try {
      symlinkSync(other, chat.home.at('bin'));
      await chat.send('one');
      const { threadId } = chat.session;
      const { path: rollout = '' } = (await chat.service.catalog.find(threadId)) ?? {};
      const before = chat.state.turns;
      expect(await chat.service.remove(threadId)).toEqual({ type: 'done' });
      const written = readdirSync(other, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.jsonl'),
      );
      expect(written).toEqual([expect.stringContaining(threadId)]);
      expect(existsSync(chat.home.at(rollout))).toBe(false);
      expect(await chat.service.catalog.restore(threadId)).toBe(true);
      const resumed = await chat.service.resume({ id: threadId }, ...chat.thread);
      if (resumed.type !== 'resumed') throw new Error(JSON.stringify(resumed));
      expect(resumed.session.initialState.turns).toEqual(before);
      await turn(resumed.session, 'two');
      await resumed.session.dispose();
      expect((await chat.service.catalog.find(threadId))?.turns).toBe(2);
      expect(statSync(chat.home.at(rollout)).mode & 0o777).toBe(0o600);
    } finally {
      rmSync(other, { recursive: true });
    }
  });
});

describe('an export', () => {
  it('is Markdown to read and JSON for programs', async () => {
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      model: [[calls('exec_command', { cmd: "printf '```\\nodd\\n'; exit 3" })], [says('It **failed**.')]],
    });
    await chat.send('try it\nplease');
    const { threadId } = chat.session;
    const markdown = await chat.service.catalog.export(threadId, 'markdown');
    expect(markdown).toContain('# try it\n');
    expect(markdown).toContain('## You\n\n> try it\n> please\n');
    expect(markdown).toContain("````console\n$ printf '```");
    expect(markdown).toContain('It **failed**.');
    const { input, output } = chat.state.tokens?.total ?? {};
    expect(markdown).toContain(`\n\n*${input?.toLocaleString('en')} tokens in, ${output} out.*\n`);
    const json = JSON.parse((await chat.service.catalog.export(threadId, 'json')) ?? '');
    expect(json).toMatchObject({ format: 'tiller-thread', version: 1, id: threadId, title: 'try it' });
    expect(json.turns).toEqual(chat.state.turns);
    expect(await chat.service.catalog.export('nobody', 'json')).toBeUndefined();
  });
});

describe('a fork', () => {
  it('continues before a message, with its own cache key and no approvals', async () => {
    const write = { cmd: 'echo x >> made.txt' };
    await using chat = await startScenario({
      model: [
        [calls('exec_command', write)],
        [says('One.')],
        [says('Two.')],
        [calls('exec_command', write)],
        [says('Other.')],
      ],
    });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'first' }] });
    await chat.answer('approved_for_thread');
    await ended;
    await chat.send('take two');
    const before = chat.server.lastRequest;
    const message = chat.state.turns[1]?.items[0]?.id ?? '';
    const rollout = chat.rollout();
    const forked = await chat.service.fork({ id: chat.session.threadId }, message, ...chat.thread);
    if (forked.type !== 'resumed') throw new Error(JSON.stringify(forked));
    expect(forked.draft).toEqual([{ type: 'text', text: 'take two' }]);
    expect(forked.session.initialState.turns).toHaveLength(1);
    let asked = 0;
    forked.session.onEvent(({ msg }) => {
      if (msg.type !== 'approval_requested') return;
      asked++;
      forked.session.submit({
        id: 'no',
        op: { type: 'approval', approvalIds: [msg.approvalId], decision: { denied: {} } },
      });
    });
    await turn(forked.session, 'otherwise');
    await forked.session.dispose();
    expect(asked).toBe(1);
    const request = chat.server.lastRequest;
    expect(request.body.prompt_cache_key).toBe(forked.session.threadId);
    expect(before.body.prompt_cache_key).toBe(chat.session.threadId);
    const known = before.elements.slice(0, -1);
    expect(request.elements.slice(0, known.length)).toEqual(known);
    expect(JSON.stringify(request.input)).not.toContain('take two');
    expect(chat.rollout()).toEqual(rollout);
    const [entry] = await chat.service.catalog.list([]);
    expect(entry).toMatchObject({ id: forked.session.threadId, forkedFrom: chat.session.threadId });
  });

  it('can be made of a thread that is open in another process', async () => {
    await using chat = await startScenario({ model: [[hangs()], [says('Mine.')]] });
    const heard = chat.next('item_completed');
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await heard;
    const forked = await chat.service.fork('last', null, ...chat.thread);
    if (forked.type !== 'resumed') throw new Error(forked.type);
    await turn(forked.session, 'and here?');
    await forked.session.dispose();
    expect(chat.state.activeTurnId).not.toBe(null);
  });
});

describe('an import', () => {
  it('of a Codex thread continues with the selected model', async () => {
    await using chat = await startScenario({ model: [[says('I see.')]] });
    const text = readFileSync(path.join(import.meta.dirname, '../fixtures/codex-rollout/2026.jsonl'), 'utf8');
    const imported = await chat.service.importThread(text, ...chat.thread);
    if (imported.type !== 'resumed') throw new Error(JSON.stringify(imported));
    // Its last line is torn.
    expect(imported.dropped).toBe(1);
    const left = 'One line of this thread could not be read and was left out.';
    expect(imported.session.shownState.warnings).toEqual([{ message: left }]);
    await turn(imported.session, 'and now?');
    await imported.session.dispose();
    expect(JSON.stringify(chat.server.lastRequest.input)).toContain('fix the total');
    expect((await chat.service.catalog.list([]))[0]).toMatchObject({ title: 'fix the total', turns: 3 });
    expect(await chat.service.importThread('nothing', ...chat.thread)).toMatchObject({ type: 'refused' });
  });

  it('of a damaged thread names the lines that were left out, as a fork of it does', async () => {
    await using chat = await startScenario({ model: [[says('One.')]] });
    await chat.send('one');
    const { path: rollout = '' } = (await chat.service.catalog.find(chat.session.threadId)) ?? {};
    writeFileSync(chat.home.at(rollout), `${readFileSync(chat.home.at(rollout), 'utf8')}torn\n{"half":\n`);
    const left = [{ message: '2 lines of this thread could not be read and were left out.' }];
    const text = readFileSync(chat.home.at(rollout), 'utf8');
    for (const copied of [
      await chat.service.importThread(text, ...chat.thread),
      await chat.service.fork({ id: chat.session.threadId }, null, ...chat.thread),
    ]) {
      if (copied.type !== 'resumed') throw new Error(JSON.stringify(copied));
      expect(copied.dropped).toBe(2);
      expect(copied.session.shownState.warnings).toEqual(left);
      await copied.session.dispose();
    }
  });

  it('of a Tiller thread is a copy of it', async () => {
    await using chat = await startScenario({ model: [[says('One.')]] });
    await chat.send('one');
    const { path: rollout = '' } = (await chat.service.catalog.find(chat.session.threadId)) ?? {};
    const imported = await chat.service.importThread(readFileSync(chat.home.at(rollout), 'utf8'), ...chat.thread);
    if (imported.type !== 'resumed') throw new Error(JSON.stringify(imported));
    expect(imported.session.initialState.turns).toEqual(chat.state.turns);
    await imported.session.dispose();
  });
});

describe('a thread that is open read-only', () => {
  it('is updated while another process works in it', async () => {
    await using chat = await startScenario({ model: [[says('One.')], [says('Two.')]] });
    await chat.send('one');
    const opened = await chat.service.catalog.read(chat.session.threadId);
    if (opened.type !== 'reader') throw new Error(opened.message);
    let state: ThreadState = opened.reader.thread.state;
    expect(state.turns).toEqual(chat.state.turns);
    expect(await opened.reader.poll()).toEqual({ type: 'events', events: [] });
    await chat.send('two');
    const news = await opened.reader.poll();
    if (news.type !== 'events') throw new Error(news.type);
    for (const event of news.events) state = threadReducer(state, event);
    expect(state.turns).toEqual(chat.state.turns);
    expect(await opened.reader.poll()).toEqual({ type: 'events', events: [] });
  });

  it('shows no output that its owner has removed, and stays unchanged when it is deleted', async () => {
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      model: [[calls('exec_command', { cmd: 'echo canary' })], [says('One.')], [says('Two.')]],
    });
    await chat.send('one');
    await chat.send('two');
    const { threadId } = chat.session;
    const opened = await windowBeside(chat).catalog.read(threadId);
    if (opened.type !== 'reader') throw new Error(opened.message);
    const { reader } = opened;
    expect(JSON.stringify(reader.thread.state)).toContain('canary\\n');

    const purged = chat.next('output_purged');
    chat.submit({ type: 'purge_output', itemId: chat.items('command_execution')[0]?.id ?? '' });
    await purged;
    expect(await reader.poll()).toEqual({ type: 'rewritten' });
    expect(JSON.stringify(reader.thread.state)).not.toContain('canary\\n');
    expect(reader.thread.state.turns).toEqual(chat.state.turns);
    expect(await reader.poll()).toEqual({ type: 'events', events: [] });

    await chat.service.remove(threadId);
    expect(await reader.poll()).toEqual({ type: 'events', events: [] });
    expect(reader.thread.state.turns).toEqual(chat.state.turns);
  });

  it('may be of a newer format, and stays unchanged', async () => {
    await using chat = await startScenario({ model: [[says('One.')]] });
    await chat.send('one');
    await chat.session.dispose();
    const { path: rollout = '' } = (await chat.service.catalog.find(chat.session.threadId)) ?? {};
    const newer = readFileSync(chat.home.at(rollout), 'utf8').replace('"version":1', '"version":9');
    writeFileSync(chat.home.at(rollout), newer);
    expect(await chat.service.resume('last', ...chat.thread)).toMatchObject({ type: 'refused' });
    expect(await chat.service.fork('last', null, ...chat.thread)).toMatchObject({ type: 'refused' });
    const opened = await chat.service.catalog.read(chat.session.threadId);
    expect(opened.type === 'reader' && opened.reader.thread.readOnly).toBe(true);
    expect(readFileSync(chat.home.at(rollout), 'utf8')).toBe(newer);
    expect(existsSync(chat.home.at('locks', `${chat.session.threadId}.lock`))).toBe(false);
  });
});

describe('the output of a command', () => {
  it('can be removed from the thread, the history of the model and the disk', async () => {
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      model: [
        [calls('exec_command', { cmd: 'cat secret.txt' }), calls('exec_command', { cmd: 'echo other' })],
        [says('One.')],
        [says('Two.')],
      ],
      files: { 'secret.txt': `the ${'canary'.repeat(3)} sings ☃\n` },
    });
    await chat.send('go');
    const everything = () =>
      readdirSync(chat.home.path, { recursive: true, encoding: 'utf8', withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'))
        .join('\n');
    const [command] = chat.state.turns[0]?.items.filter((item) => item.type === 'command_execution') ?? [];
    const strange = '{"type":"from the future",  "payload":"☃"}';
    const { path: rollout = '' } = (await chat.service.catalog.find(chat.session.threadId)) ?? {};
    const lines = readFileSync(chat.home.at(rollout), 'utf8').split('\n');
    writeFileSync(chat.home.at(rollout), [...lines.slice(0, -1), strange, ''].join('\n'));
    expect(everything()).toContain('canarycanary');

    const purged = chat.next('output_purged');
    chat.submit({ type: 'purge_output', itemId: command?.id ?? '' });
    await purged;
    expect(everything()).not.toContain('canarycanary');
    await chat.send('again');
    expect(chat.outputs()[0]).toBe('[output removed by the user]');
    expect(chat.outputs()[1]).toContain('other');
    const after = readFileSync(chat.home.at(rollout), 'utf8').split('\n');
    expect(after).toContain(strange);
    const unchanged = lines.filter((line) => line !== '' && !line.includes('canarycanary'));
    expect(after.filter((line) => unchanged.includes(line))).toEqual(unchanged);
    const read = await chat.service.catalog.read(chat.session.threadId);
    expect(read.type === 'reader' && read.reader.thread.state.turns).toEqual(chat.state.turns);

    const warned = chat.next('warning');
    chat.submit({ type: 'purge_output', itemId: 'nothing' });
    expect((await warned).message).toContain('There is no command nothing');
  });
});
