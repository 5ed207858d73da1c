// Undo, redo and rollback of what commands and patches changed, as ops of a client without an editor.
import assert from 'node:assert/strict';
import { cpSync, existsSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'vitest';
import type { EventMsgType } from '../../src/protocol/event.ts';
import type { TurnItemOf, TurnItemType } from '../../src/protocol/item.ts';
import type { Op } from '../../src/protocol/op.ts';
import { fileGate } from '../support/fileGate.ts';
import { calls, says, waits } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';

const FULL = { policy: 'never', sandbox: 'danger-full-access' } as const;
const run = (cmd: string) => calls('exec_command', { cmd });
const patch = (text: string) => calls('apply_patch', { input: `*** Begin Patch\n${text}*** End Patch\n` });

/** Submits and returns the first event of that kind. */
async function ask<Type extends EventMsgType>(chat: Scenario, op: Op, type: Type) {
  const answer = chat.next(type);
  chat.submit(op);
  return answer;
}

function turnIds(chat: Scenario): readonly string[] {
  return chat.state.turns.map(({ id }) => id);
}

/** Returns the ids of the items of this type in the whole thread, also of a process before. */
function itemIds(chat: Scenario, type: TurnItemType): readonly string[] {
  return chat.state.turns.flatMap(({ items }) => items.flatMap((item) => (item.type === type ? [item.id] : [])));
}

function messageIds(chat: Scenario): readonly string[] {
  return itemIds(chat, 'user_message');
}

const FILES = { 'a.txt': 'one\ntwo\nthree\nfour\nfive\n', 'b.txt': 'b\n' };
const MODEL = [
  [patch('*** Update File: a.txt\n@@\n one\n-two\n+TWO\n three\n')],
  [run('rm b.txt; mkdir new; echo 1 > new/c.txt; sed -i s/five/FIVE/ a.txt')],
  [says('Done.')],
];

describe('undo of a turn', () => {
  it('reverts the changes of its patches and commands, and redo makes them again', async () => {
    await using chat = await startScenario({ ...FULL, files: FILES, model: MODEL });
    await chat.send('go');
    const changed = chat.files();
    const [turnId = ''] = turnIds(chat);
    const undone = await ask(chat, { type: 'undo', turnId }, 'files_reverted');
    assert.deepEqual(undone, {
      type: 'files_reverted',
      turnId,
      direction: 'undo',
      paths: ['a.txt', 'b.txt', 'new/c.txt'],
      skipped: [],
    });
    assert.deepEqual(chat.files(), FILES);
    assert.equal(chat.state.turns[0]?.reverted, true);
    const redone = await ask(chat, { type: 'redo' }, 'files_reverted');
    assert.deepEqual([redone.direction, redone.turnId, redone.paths.length], ['redo', turnId, 3]);
    assert.deepEqual(chat.files(), changed);
    assert.equal(chat.state.turns[0]?.reverted, false);
    const { message } = await ask(chat, { type: 'redo' }, 'warning');
    assert.equal(message, 'There is nothing to redo.');
  });

  it('works after the thread was opened again, and after redo and another undo', async () => {
    const first = await startScenario({ ...FULL, files: FILES, model: MODEL });
    await first.send('go');
    const changed = first.files();
    await first[Symbol.asyncDispose]();
    await using chat = await startScenario({ ...FULL, model: [], resume: first });
    const [turnId = ''] = turnIds(chat);
    await ask(chat, { type: 'undo', turnId }, 'files_reverted');
    assert.deepEqual(chat.files(), FILES);
    await ask(chat, { type: 'redo' }, 'files_reverted');
    assert.deepEqual(chat.files(), changed);
    await ask(chat, { type: 'undo', turnId }, 'files_reverted');
    assert.deepEqual(chat.files(), FILES);
  });

  it('shows in a preview what it would do, and changes nothing', async () => {
    await using chat = await startScenario({ ...FULL, files: FILES, model: MODEL });
    await chat.send('go');
    const changed = chat.files();
    const [turnId = ''] = turnIds(chat);
    const planned = await ask(chat, { type: 'undo', turnId, preview: true }, 'revert_planned');
    assert.deepEqual(
      planned.files.map(({ contents }) => [contents?.before === null, contents?.after === null]),
      [
        [false, false],
        [true, false],
        [false, true],
      ],
    );
    assert.deepEqual(
      planned.files.map(({ contents: _contents, ...file }) => file),
      [
        { path: 'a.txt', kind: 'update', state: 'ready' },
        { path: 'b.txt', kind: 'add', state: 'ready' },
        { path: 'new/c.txt', kind: 'delete', state: 'ready' },
      ],
    );
    const nothing = await ask(chat, { type: 'redo', preview: true }, 'revert_planned');
    assert.deepEqual(nothing.files, []);
    assert.match(planned.unifiedDiff, /-TWO\n\+two\n[\s\S]*-FIVE\n\+five\n[\s\S]*\+b\n[\s\S]*-1\n/);
    assert.deepEqual(chat.files(), changed);
  });

  it('keeps later changes of the user, names conflicts, and overwrites one on request', async () => {
    await using chat = await startScenario({ ...FULL, files: FILES, model: MODEL });
    await chat.send('go');
    chat.write('a.txt', 'one\nTWO\nmine\nfour\nFIVE\n');
    chat.write('b.txt', 'mine\n');
    const [turnId = ''] = turnIds(chat);
    const undone = await ask(chat, { type: 'undo', turnId }, 'files_reverted');
    assert.deepEqual(undone.paths, ['new/c.txt']);
    assert.deepEqual(undone.skipped, [
      { path: 'a.txt', reason: 'The same lines were changed since.' },
      { path: 'b.txt', reason: 'It was changed since.' },
    ]);
    const overwritten: Op = { type: 'undo', turnId, overwrite: ['b.txt'], exclude: ['a.txt'] };
    assert.deepEqual((await ask(chat, overwritten, 'files_reverted')).skipped, []);
    assert.deepEqual(chat.files(), { 'a.txt': 'one\nTWO\nmine\nfour\nFIVE\n', 'b.txt': 'b\n' });
  });

  it('is refused while a turn runs, and for a turn that changed nothing', async () => {
    let goOn = () => {};
    const refused = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await using chat = await startScenario({
      ...FULL,
      files: FILES,
      model: [...MODEL, [waits(refused), says('Slow.')]],
    });
    await chat.send('go');
    const [turnId = ''] = turnIds(chat);
    const ended = chat.send('wait');
    await chat.next('turn_started');
    const { message } = await ask(chat, { type: 'undo', turnId }, 'warning');
    assert.match(message, /A turn is running/);
    goOn();
    await ended;
    const nothing = await ask(chat, { type: 'undo', turnId: turnIds(chat)[1] ?? '' }, 'warning');
    assert.equal(nothing.message, 'There is nothing to undo.');
  });

  it('of a command that moved 300 files keeps what the user saved meanwhile, also after a reload', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `f${index}.txt`);
    const files = Object.fromEntries(names.map((name) => [name, `${name}\n`]));
    using gates = tempFolder();
    const [moved, saved] = [fileGate(gates.at('moved')), fileGate(gates.at('saved'))];
    const first = await startScenario({
      ...FULL,
      files,
      model: [[run(`mkdir moved; mv f* moved; ${moved.pass}; ${saved.wait}`)], [says('Done.')]],
    });
    const ended = first.send('go');
    await moved.opened();
    for (const name of ['f1.txt', 'moved/f2.txt']) {
      first.write(name, 'mine\n');
      await first.service.changes.noteSave(first.folder.at(name));
    }
    saved.open();
    await ended;
    const changed = first.files();
    const [turnId = ''] = turnIds(first);
    const undone = await ask(first, { type: 'undo', turnId }, 'files_reverted');
    assert.deepEqual(undone.skipped, []);
    assert.deepEqual(first.files(), { ...files, 'f1.txt': 'mine\n', 'moved/f2.txt': 'mine\n' });
    await first[Symbol.asyncDispose]();
    await using chat = await startScenario({ ...FULL, model: [], resume: first });
    await ask(chat, { type: 'redo' }, 'files_reverted');
    assert.deepEqual(chat.files(), changed);
  });

  it('of a formatter over 400 files restores all of them, and redo formats them again', async () => {
    const names = Array.from({ length: 400 }, (_, index) => `f${index}.ts`);
    const files = Object.fromEntries(names.map((name) => [name, `const  ${name[1]}=1\n`]));
    await using chat = await startScenario({
      ...FULL,
      files,
      model: [[run("sed -i 's/  / /; s/=/ = /; s/$/;/' *.ts")], [says('Done.')]],
    });
    await chat.send('Format them.');
    const formatted = chat.files();
    assert.equal(formatted['f7.ts'], 'const 7 = 1;\n');
    // On a busy machine it comes after the turn.
    const { changed } = chat.said('files_changed')[0] ?? (await chat.next('files_changed'));
    assert.deepEqual([changed.total, changed.files.length, changed.cannotUndo], [400, 200, 0]);
    const [turnId = ''] = turnIds(chat);
    const undone = await ask(chat, { type: 'undo', turnId }, 'files_reverted');
    assert.deepEqual([undone.paths.length, undone.skipped], [400, []]);
    assert.deepEqual(chat.files(), files);
    await ask(chat, { type: 'redo' }, 'files_reverted');
    assert.deepEqual(chat.files(), formatted);
  });

  it('does not touch the index, the stash or the refs of a repository', async () => {
    const git = 'git -c user.name=t -c user.email=t@t -c init.defaultBranch=main';
    const setUp = `${git} init -q && ${git} add . && ${git} commit -qm one && echo staged > s.txt && ${git} add s.txt`;
    await using chat = await startScenario({
      ...FULL,
      files: FILES,
      model: [[run(setUp)], [says('Done.')], ...MODEL],
    });
    await chat.send('set up');
    await chat.send('go');
    const repository = () => Object.entries(chat.files()).filter(([name]) => name.startsWith('.git/'));
    const before = repository();
    assert.ok(before.length > 5);
    await ask(chat, { type: 'undo', turnId: turnIds(chat)[1] ?? '' }, 'files_reverted');
    assert.deepEqual(repository(), before);
    assert.equal(chat.files()['a.txt'], FILES['a.txt']);
  });
});

describe('rollback', () => {
  const THREE = [
    [run('echo 1 > one.txt')],
    [says('First.')],
    [run('echo 2 > two.txt')],
    [says('Second.')],
    [says('Third.')],
    [says('Again.')],
  ];

  async function threeTurns(): Promise<Scenario> {
    const chat = await startScenario({ ...FULL, model: THREE });
    await chat.send('alpha');
    await chat.send('beta');
    await chat.send('gamma');
    return chat;
  }

  it('reverts files and conversation to a message: the model does not read what was removed', async () => {
    await using chat = await threeTurns();
    const [, toItemId = ''] = messageIds(chat);
    const [, second = '', third = ''] = turnIds(chat);
    const done = await ask(chat, { type: 'rollback', toItemId, files: true, conversation: true }, 'turns_rolled_back');
    assert.deepEqual(done, {
      type: 'turns_rolled_back',
      toItemId,
      turnIds: [second, third],
      files: true,
      conversation: true,
    });
    assert.deepEqual(chat.files(), { 'one.txt': '1\n' });
    assert.equal(chat.state.turns.length, 1);
    await chat.send('other');
    const sent = JSON.stringify(chat.server.lastRequest.input);
    assert.ok(sent.includes('alpha') && sent.includes('other'));
    assert.ok(!sent.includes('beta') && !sent.includes('gamma') && !sent.includes('two.txt'));
  });

  it('goes back to the message that began a turn, not to one that came while it ran', async () => {
    let goOn = () => {};
    const sent = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const first = await startScenario({ ...FULL, model: [[waits(sent), says('First.')], [says('Second.')]] });
    const ended = first.send('alpha');
    await first.server.received(1);
    first.submit({ type: 'steer', input: [{ type: 'text', text: 'beta' }] });
    await first.next('input_queued');
    goOn();
    await ended;
    const [began = '', came = ''] = messageIds(first);
    const back = { type: 'rollback', files: false, conversation: true } as const;
    const refused = `No turn begins with the message ${came}`;
    assert.ok((await ask(first, { ...back, toItemId: came }, 'warning')).message.startsWith(refused));
    await first[Symbol.asyncDispose]();
    await using chat = await startScenario({ ...FULL, model: [], resume: first });
    assert.ok((await ask(chat, { ...back, toItemId: came }, 'warning')).message.startsWith(refused));
    assert.equal((await ask(chat, { ...back, toItemId: began }, 'turns_rolled_back')).turnIds.length, 1);
  });

  it('holds after the thread was opened again', async () => {
    const first = await threeTurns();
    const [, toItemId = ''] = messageIds(first);
    await ask(first, { type: 'rollback', toItemId, files: false, conversation: true }, 'turns_rolled_back');
    await first[Symbol.asyncDispose]();
    await using chat = await startScenario({ ...FULL, model: [[says('Again.')]], resume: first });
    assert.equal(chat.state.turns.length, 1);
    await chat.send('other');
    const sent = JSON.stringify(chat.server.lastRequest.input);
    assert.ok(sent.includes('alpha') && !sent.includes('beta'));
    assert.deepEqual(chat.files(), { 'one.txt': '1\n', 'two.txt': '2\n' });
  });

  it('of a thread that was opened again goes back to a turn of the process before', async () => {
    const first = await threeTurns();
    const [, toItemId = ''] = messageIds(first);
    await first[Symbol.asyncDispose]();
    await using chat = await startScenario({ ...FULL, model: [[says('Again.')]], resume: first });
    await ask(chat, { type: 'rollback', toItemId, files: true, conversation: true }, 'turns_rolled_back');
    await chat.send('other');
    const sent = JSON.stringify(chat.server.lastRequest.input);
    assert.ok(sent.includes('alpha') && sent.includes('other') && !sent.includes('beta'));
    assert.deepEqual(chat.files(), { 'one.txt': '1\n' });
  });

  it('of the files alone leaves the conversation, and redo brings the files again', async () => {
    await using chat = await threeTurns();
    const [toItemId = ''] = messageIds(chat);
    await ask(chat, { type: 'rollback', toItemId, files: true, conversation: false }, 'turns_rolled_back');
    assert.deepEqual(chat.files(), {});
    assert.equal(chat.state.turns.length, 3);
    await ask(chat, { type: 'redo' }, 'files_reverted');
    assert.deepEqual(chat.files(), { 'one.txt': '1\n', 'two.txt': '2\n' });
  });

  it('does not go back to before a compaction, and goes back to a turn after it', async () => {
    const first = await startScenario({
      ...FULL,
      model: [
        [run('echo 1 > one.txt')],
        [says('First.')],
        [says('A summary.')],
        [run('echo 2 > two.txt')],
        [says('Second.')],
        [says('Third.')],
      ],
    });
    await first.send('alpha');
    const compacted = first.turnEnds();
    first.submit({ type: 'compact' });
    await compacted;
    const [alpha = ''] = messageIds(first);
    const back = { type: 'rollback', files: true, conversation: true } as const;
    const refused = /^The thread was compacted since this message/;
    assert.match((await ask(first, { ...back, toItemId: alpha }, 'warning')).message, refused);
    assert.deepEqual(first.files(), { 'one.txt': '1\n' });
    assert.equal(first.state.turns.length, 2);
    await first.send('beta');
    const [, beta = ''] = messageIds(first);
    const counted = first.next('token_count');
    await ask(first, { ...back, toItemId: beta }, 'turns_rolled_back');
    assert.ok((await counted).estimated);
    assert.deepEqual(first.files(), { 'one.txt': '1\n' });
    await first.send('gamma');
    const sent = JSON.stringify(first.server.lastRequest.input);
    assert.ok(sent.includes('A summary.') && sent.includes('gamma') && !sent.includes('beta'));
    await first[Symbol.asyncDispose]();
    await using chat = await startScenario({ ...FULL, model: [[says('Fourth.')]], resume: first });
    assert.match((await ask(chat, { ...back, toItemId: alpha }, 'warning')).message, refused);
    const [, gamma = ''] = messageIds(chat);
    await ask(chat, { ...back, toItemId: gamma }, 'turns_rolled_back');
    await chat.send('delta');
    const again = JSON.stringify(chat.server.lastRequest.input);
    assert.ok(again.includes('A summary.') && again.includes('delta') && !again.includes('gamma'));
  });

  it('after a compaction keeps what its undo restores; then it goes back to no earlier message', async () => {
    await using chat = await startScenario({
      ...FULL,
      model: ['First.', 'A summary.', 'Second.', 'Third.'].map((text) => [says(text)]),
    });
    await chat.send('alpha');
    const compacted = chat.turnEnds();
    chat.submit({ type: 'compact' });
    await compacted;
    await chat.send('beta');
    const [alpha = '', beta = ''] = messageIds(chat);
    const back = { type: 'rollback', files: false, conversation: true } as const;
    await ask(chat, { ...back, toItemId: beta }, 'turns_rolled_back');
    const itemId = chat.items('compaction')[0]?.id ?? '';
    await ask(chat, { type: 'undo_compaction', itemId }, 'compaction_undone');
    assert.match((await ask(chat, { ...back, toItemId: alpha }, 'warning')).message, /or a compaction was undone/);
    await chat.send('gamma');
    const sent = JSON.stringify(chat.server.lastRequest.input);
    assert.ok(sent.includes('alpha') && sent.includes('First.') && sent.includes('gamma'));
    assert.ok(!sent.includes('beta') && !sent.includes('A summary.'));
  });

  it('does not bring back an output that the user has removed', async () => {
    const first = await startScenario({
      ...FULL,
      model: [[run('printf "hid%s" den')], [says('First.')], [says('Second.')]],
    });
    await first.send('alpha');
    await first.send('beta');
    await first[Symbol.asyncDispose]();
    await using chat = await startScenario({ ...FULL, model: [[says('Third.')]], resume: first });
    const [itemId = ''] = itemIds(chat, 'command_execution');
    await ask(chat, { type: 'purge_output', itemId }, 'output_purged');
    const [, toItemId = ''] = messageIds(chat);
    const op = { type: 'rollback', toItemId, files: false, conversation: true } as const;
    await ask(chat, op, 'turns_rolled_back');
    await chat.send('gamma');
    const sent = JSON.stringify(chat.server.lastRequest.input);
    assert.ok(sent.includes('alpha') && !sent.includes('hidden'));
  });

  it('is refused for an item that begins no turn', async () => {
    await using chat = await threeTurns();
    const op = { type: 'rollback', toItemId: 'none', files: true, conversation: true } as const;
    const { message } = await ask(chat, op, 'warning');
    assert.match(message, /No turn begins with the message none/);
    rmSync(chat.folder.at('one.txt'));
    assert.equal(chat.state.turns.length, 3);
  });
});

describe('undo in a workspace that has moved', () => {
  const moved = (chat: Scenario, to: string): Scenario => {
    renameSync(chat.folder.path, to);
    return Object.create(chat, {
      folder: { value: { path: to, at: (...names: string[]) => path.join(to, ...names) } },
    });
  };

  it('reverts the changes where the files are now, and redo makes them there again', async () => {
    using place = tempFolder();
    const first = await startScenario({ ...FULL, files: FILES, model: MODEL });
    await first.send('go');
    const changed = first.files();
    await first[Symbol.asyncDispose]();
    const old = first.folder.path;
    await using chat = await startScenario({ ...FULL, model: [], resume: moved(first, place.at('moved')) });
    const [turnId = ''] = turnIds(chat);
    const undone = await ask(chat, { type: 'undo', turnId }, 'files_reverted');
    assert.deepEqual([undone.paths, undone.skipped], [['a.txt', 'b.txt', 'new/c.txt'], []]);
    assert.deepEqual([chat.files(), existsSync(old)], [FILES, false]);
    await ask(chat, { type: 'redo' }, 'files_reverted');
    assert.deepEqual(chat.files(), changed);
  });
});

describe('undo in a workspace that is opened by a link', () => {
  it('names the files as in any other', async () => {
    const files = { 'real/a.txt': 'one\ntwo\nthree\nfour\nfive\n', 'real/b.txt': 'b\n' };
    await using chat = await startScenario({ ...FULL, files, model: MODEL });
    symlinkSync('real', chat.folder.at('link'));
    const [settings, host] = chat.thread;
    const inLink = { ...settings, turn: { ...settings.turn, cwd: chat.folder.at('link') } };
    const linked = chat.with(await chat.service.start(inLink, host));
    await linked.send('go');
    const [changed] = linked.said('files_changed');
    assert.deepEqual(
      changed?.changed.files.map((file) => file.path),
      ['a.txt', 'b.txt', 'new/c.txt'],
    );
    const [turnId = ''] = turnIds(linked);
    assert.deepEqual((await ask(linked, { type: 'undo', turnId }, 'files_reverted')).paths, [
      'a.txt',
      'b.txt',
      'new/c.txt',
    ]);
    await linked.session.dispose();
    rmSync(chat.folder.at('link'));
    assert.deepEqual(chat.files(), files);
  });
});

describe('undo of a command that the end of the process has cut off', () => {
  const cutOff = (gate: string) => run(`rm b.txt; sed -i s/one/ONE/ a.txt; touch ${gate}; sleep 60`);
  const CUT = [
    { path: 'a.txt', kind: 'update', added: 1, removed: 1 },
    { path: 'b.txt', kind: 'delete', added: 0, removed: 1 },
  ];

  /** Resolves while the command runs and has changed both files. */
  async function inTheMiddle() {
    const gate = fileGate(path.join(tempFolder().path, 'changed'));
    const chat = await startScenario({ ...FULL, files: FILES, model: [[cutOff(gate.file)], [says('Done.')]] });
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await gate.opened();
    return chat;
  }

  /** The command as the panel shows it, once its changes are known. */
  async function changesAfter(chat: Scenario) {
    const item = () => chat.state.turns[0]?.items.find(({ type }) => type === 'command_execution');
    const changed = () => (item() as TurnItemOf<'command_execution'> | undefined)?.changed;
    if (changed() === undefined) await chat.next('files_changed');
    return { status: item()?.status, files: changed()?.files };
  }

  it('by a crash restores what it had changed, when the user agrees: another program may have done it', async () => {
    await using killed = await inTheMiddle();
    using home = tempFolder();
    // As a killed process leaves it, and without its locks.
    cpSync(killed.home.path, home.path, { recursive: true, filter: (file) => path.basename(file) !== 'locks' });
    const asLeft: Scenario = Object.create(killed, { home: { value: home } });
    await using chat = await startScenario({ ...FULL, model: [], resume: asLeft });
    const files = CUT.map((file) => ({ ...file, uncertain: true }));
    assert.deepEqual(await changesAfter(chat), { status: 'aborted', files });
    const [turnId = ''] = turnIds(chat);
    assert.deepEqual((await ask(chat, { type: 'undo', turnId }, 'files_reverted')).paths, []);
    const agreed: Op = { type: 'undo', turnId, includeUncertain: true };
    assert.deepEqual((await ask(chat, agreed, 'files_reverted')).paths, ['a.txt', 'b.txt']);
    assert.deepEqual(chat.files(), FILES);
  });

  it('by a reload of the window restores what it had changed; what is changed since belongs to the user', async () => {
    const before = await inTheMiddle();
    await before.session.suspend();
    await before.server.close();
    before.write('mine.txt', 'mine\n');
    await using chat = await startScenario({ ...FULL, model: [], resume: before });
    assert.deepEqual(await changesAfter(chat), { status: 'aborted', files: CUT });
    const [turnId = ''] = turnIds(chat);
    assert.deepEqual((await ask(chat, { type: 'undo', turnId }, 'files_reverted')).paths, ['a.txt', 'b.txt']);
    assert.deepEqual(chat.files(), { ...FILES, 'mine.txt': 'mine\n' });
  });

  it('before it had changed anything takes nothing of what the user changes later', async () => {
    const gate = fileGate(path.join(tempFolder().path, 'started'));
    const started = await startScenario({ ...FULL, files: FILES, model: [[run(`touch ${gate.file}; sleep 60`)]] });
    started.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await gate.opened();
    using home = tempFolder();
    cpSync(started.home.path, home.path, { recursive: true, filter: (file) => path.basename(file) !== 'locks' });
    await started[Symbol.asyncDispose]();
    const asLeft: Scenario = Object.create(started, { home: { value: home } });
    const next = await startScenario({ ...FULL, model: [], resume: asLeft });
    await ask(next, { type: 'redo' }, 'warning');
    await next.session.suspend();
    await next.server.close();
    next.write('a.txt', 'mine\n');
    await using chat = await startScenario({ ...FULL, model: [], resume: asLeft });
    const [turnId = ''] = turnIds(chat);
    const { message } = await ask(chat, { type: 'undo', turnId, includeUncertain: true }, 'warning');
    assert.equal(message, 'There is nothing to undo.');
  });
});
