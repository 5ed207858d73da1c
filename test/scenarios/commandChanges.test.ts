// Changes of commands in the workspace: reported, attributed, and part of the diff of the turn.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import type { Problems } from '../../src/core/ports.ts';
import { changeRecordSchema } from '../../src/protocol/baseline.ts';
import { clockTick, fileGate } from '../support/fileGate.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { calls, says } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';

const FULL = { policy: 'never', sandbox: 'danger-full-access' } as const;
const run = (cmd: string) => calls('exec_command', { cmd });
const patch = (text: string) => calls('apply_patch', { input: `*** Begin Patch\n${text}*** End Patch\n` });

/** Returns the changes of each command, by its command line. */
function changed(chat: Scenario): Record<string, string[]> {
  const rows = chat.state.turns.flatMap(({ items }) => items).filter((item) => item.type === 'command_execution');
  return Object.fromEntries(
    rows.flatMap(({ command, changed: changes }) =>
      changes === undefined
        ? []
        : [[command, changes.files.map(({ kind, path, ...more }) => [kind, path, ...Object.entries(more)].join(' '))]],
    ),
  );
}

/** Returns the lines that the turn has removed and added, as its last diff has them. */
function changedLines(chat: Scenario): readonly string[] {
  const diff = chat.said('turn_diff').at(-1)?.unifiedDiff ?? '';
  return diff.split('\n').filter((line) => /^[-+][a-z]/.test(line));
}

function records(chat: Scenario) {
  const file = chat.home.at('baselines/records', `${chat.session.threadId}.jsonl`);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => changeRecordSchema.parse(JSON.parse(line)));
}

describe('what a command changes', () => {
  it('stands under its row with the lines of each file, and in the diff of the turn', async () => {
    const cmd = "sed -i s/two/TWO/ a.txt; rm b.txt; mkdir new; printf 'x\\ny\\n' > new/c.txt";
    await using chat = await startScenario({
      ...FULL,
      files: { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'gone\n', 'same.txt': '\n' },
      model: [[run(cmd)], [says('Done.')]],
    });
    await chat.send('go');
    assert.deepEqual(changed(chat), {
      [cmd]: ['update a.txt added,1 removed,1', 'delete b.txt added,0 removed,1', 'add new/c.txt added,2 removed,0'],
    });
    const [last] = chat.said('turn_diff').slice(-1);
    assert.match(last?.unifiedDiff ?? '', /^diff --git a\/a.txt b\/a.txt\n[\s\S]*-two\n\+TWO\n/);
    assert.match(last?.unifiedDiff ?? '', /deleted file mode[\s\S]*b.txt[\s\S]*new file mode[\s\S]*\+x\n\+y\n/);
    const kinds = chat.events.map(({ msg }) => msg.type);
    assert.ok(kinds.indexOf('files_changed') < kinds.indexOf('turn_completed'));
    assert.equal(kinds[kinds.indexOf('turn_completed') - 1], 'turn_diff');
  });

  it('has both sides of a moved folder, and its undo moves it back', async () => {
    const files = { 'sub/a.txt': 'one\n', 'sub/b.txt': 'two\n' };
    await using chat = await startScenario({ ...FULL, files, model: [[run('mv sub other')], [says('Done.')]] });
    await clockTick();
    await chat.send('go');
    assert.deepEqual(changed(chat)['mv sub other'], [
      'add other/a.txt added,1 removed,0',
      'add other/b.txt added,1 removed,0',
      'delete sub/a.txt added,0 removed,1',
      'delete sub/b.txt added,0 removed,1',
    ]);
    chat.submit({ type: 'undo', turnId: chat.state.turns[0]?.id ?? '' });
    await chat.next('files_reverted');
    assert.deepEqual(chat.files(), files);
    assert.equal(existsSync(chat.folder.at('other')), false);
  });

  it('is undone where it is only folders', async () => {
    await using chat = await startScenario({ ...FULL, model: [[run('mkdir -p a/b')], [says('Done.')]] });
    await chat.send('go');
    chat.submit({ type: 'undo', turnId: chat.state.turns[0]?.id ?? '' });
    await chat.next('files_reverted');
    assert.equal(existsSync(chat.folder.at('a')), false);
  });

  it('is back after the thread was opened again', async () => {
    const first = await startScenario({ ...FULL, model: [[run('echo 1 > a.txt')], [says('Done.')]] });
    await first.send('go');
    await first[Symbol.asyncDispose]();
    await using again = await startScenario({ ...FULL, model: [], resume: first });
    assert.deepEqual(changed(again), { 'echo 1 > a.txt': ['add a.txt added,1 removed,0'] });
  });

  it('is nothing for a command that only reads, which records nothing', async () => {
    await using chat = await startScenario({
      ...FULL,
      files: { 'a.txt': '1\n' },
      model: [[run('ls'), run('cat a.txt')], [says('Done.')]],
    });
    await chat.send('go');
    assert.deepEqual(changed(chat), {});
    assert.equal(existsSync(chat.home.at('baselines')), false);
  });

  it('is one diff with the patches of the turn, from where the turn began', async () => {
    await using chat = await startScenario({
      ...FULL,
      files: { 'a.txt': 'one\n' },
      model: [
        [patch('*** Update File: a.txt\n@@\n-one\n+two\n')],
        [run('sed -i s/two/three/ a.txt')],
        [patch('*** Update File: a.txt\n@@\n-three\n+four\n')],
        [says('Done.')],
      ],
    });
    await chat.send('go');
    assert.deepEqual(changedLines(chat), ['-one', '+four']);
    assert.deepEqual(changed(chat), { 'sed -i s/two/three/ a.txt': ['update a.txt added,1 removed,1'] });
    const sources = records(chat).map((record) => record.type === 'step' && record.source);
    assert.deepEqual(sources, ['patch', 'command', 'patch']);
  });

  it('comes before a later patch of the same file, also on a slow disk', async () => {
    await using chat = await startScenario({
      ...FULL,
      files: { 'a.txt': 'one\n' },
      deps: ({ baseline, clock }) => ({
        baseline: baseline && {
          ...baseline,
          // The change of the command is read when the patch has been written, or later.
          read: async (hash) => {
            while (chat.files()['a.txt'] !== 'three\n') await clock.sleep(10);
            await clock.sleep(100);
            return baseline.read(hash);
          },
        },
      }),
      model: [[run('echo two > a.txt')], [patch('*** Update File: a.txt\n@@\n-two\n+three\n')], [says('Done.')]],
    });
    await chat.send('go');
    assert.deepEqual(changedLines(chat), ['-one', '+three']);
    const sources = records(chat).map((record) => record.type === 'step' && record.source);
    assert.deepEqual(sources, ['command', 'patch']);
  });

  it('comes after a patch that the editor still checks', async () => {
    using gates = tempFolder();
    const patched = fileGate(gates.at('patched'));
    const problems: Problems = {
      watch: async () => ({
        async settle() {
          const told = chat.next('files_changed');
          patched.open();
          await told;
          return [];
        },
        dispose: () => {},
      }),
    };
    await using chat = await startScenario({
      ...FULL,
      files: { 'a.txt': 'one\n' },
      deps: () => ({ problems }),
      model: [
        [calls('exec_command', { cmd: `${patched.wait}; echo three > a.txt`, yield_time_ms: 250 })],
        [patch('*** Update File: a.txt\n@@\n-one\n+two\n')],
        [says('Done.')],
      ],
    });
    await chat.send('go');
    assert.deepEqual(changedLines(chat), ['-one', '+three']);
  });

  it('is not what was saved between two commands, and what both wrote is one chain', async () => {
    await using chat = await startScenario({
      ...FULL,
      files: { 'a.txt': '1\n', 'mine.txt': '1\n' },
      model: [[run('echo 2 > a.txt')], [says('Done.')], [run('echo 3 > a.txt')], [says('Done.')]],
    });
    await chat.send('one');
    await clockTick();
    chat.write('mine.txt', 'by the user\n');
    await clockTick();
    await chat.send('two');
    assert.deepEqual(changed(chat), {
      'echo 2 > a.txt': ['update a.txt added,1 removed,1'],
      'echo 3 > a.txt': ['update a.txt added,1 removed,1'],
    });
  });

  it('is uncertain while two threads run commands in one folder, and certain before and after', async () => {
    using gates = tempFolder();
    const gate = (name: string) => fileGate(gates.at(name));
    const [alone, together, oneWrote, twoWrote] = [gate('alone'), gate('together'), gate('one'), gate('two')];
    const cmd = `echo mine >> one.txt; ${alone.pass}; ${together.wait}; echo both >> shared.txt; ${oneWrote.pass}; ${twoWrote.wait}`;
    const other = `${together.pass}; echo also >> shared.txt; ${twoWrote.pass}; ${oneWrote.wait}`;
    await using one = await startScenario({
      ...FULL,
      files: { 'one.txt': '', 'shared.txt': '' },
      model: [[run(cmd)], [run(other)], [says('Done.')], [says('Done.')]],
    });
    await using two = await one.another();
    const first = one.send('go');
    await alone.opened();
    await clockTick();
    await Promise.all([first, two.send('go')]);
    const [mine, both] = changed(one)[cmd] ?? [];
    assert.equal(mine, 'update one.txt added,1 removed,0');
    assert.match(both ?? '', /^update shared.txt added,[12] removed,0 uncertain,true$/);
    const [[ofOther = ''] = []] = Object.values(changed(two));
    assert.match(ofOther, /^update shared.txt added,[12] removed,0 uncertain,true$/);
  });

  it('is not what the user saves in the editor while it runs', async () => {
    using gates = tempFolder();
    const [moved, saved] = [fileGate(gates.at('moved')), fileGate(gates.at('saved'))];
    const cmd = `mkdir moved; mv f* moved; ${moved.pass}; ${saved.wait}`;
    const names = Array.from({ length: 30 }, (_, index) => `f${index}.txt`);
    await using chat = await startScenario({
      ...FULL,
      files: Object.fromEntries(names.map((name) => [name, `${name}\n`])),
      model: [[run(cmd)], [says('Done.')]],
    });
    const ended = chat.send('go');
    await moved.opened();
    chat.write('f1.txt', 'mine\n');
    await chat.service.changes.noteSave(chat.folder.at('f1.txt'));
    saved.open();
    await ended;
    const [told] = chat.said('files_changed');
    assert.equal(told?.changed.total, 59);
    assert.deepEqual(
      changed(chat)[cmd]?.filter((row) => / f1\.txt| moved\/f1\.txt/.test(row)),
      ['add moved/f1.txt added,1 removed,0'],
    );
  });

  it('of a command in the background is emitted when it has ended, also after its turn', async () => {
    using gates = tempFolder();
    const turnEnded = fileGate(gates.at('ended'));
    const cmd = `${turnEnded.wait}; echo late > a.txt`;
    await using chat = await startScenario({
      ...FULL,
      model: [[calls('exec_command', { cmd, yield_time_ms: 250 })], [says('Done.')]],
    });
    const told = chat.next('files_changed');
    await chat.send('go');
    assert.deepEqual(changed(chat), {});
    turnEnded.open();
    await told;
    assert.deepEqual(changed(chat), { [cmd]: ['add a.txt added,1 removed,0'] });
  });

  it('is a count for hundreds of files, with those named that cannot be undone', async () => {
    const cmd = 'for i in $(seq 250); do echo $i > f$i; done; head -c 1100000 /dev/zero > big';
    await using chat = await startScenario({ ...FULL, model: [[run(cmd)], [says('Done.')]] });
    await chat.send('go');
    const [told] = chat.said('files_changed');
    assert.deepEqual(
      { ...told?.changed, files: told?.changed.files.length },
      { files: 200, total: 251, cannotUndo: 1 },
    );
    assert.equal(told?.changed.files[0]?.cannotUndo, 'too_large');
    assert.match(chat.said('turn_diff').at(-1)?.unifiedDiff ?? '', /Binary files a\/big and b\/big differ/);
  });

  it.skipIf(noSandbox)('is recorded in the sandbox, too, and nothing of what the sandbox put there', async () => {
    await using chat = await startScenario({
      policy: 'never',
      sandbox: 'workspace-write',
      box: 'real',
      files: { 'a.txt': '1\n' },
      model: [[run('echo 2 > a.txt; mkdir new; echo 1 > new/b.txt')], [says('Done.')]],
    });
    await chat.send('go');
    assert.deepEqual(Object.values(changed(chat)), [
      ['update a.txt added,1 removed,1', 'add new/b.txt added,1 removed,0'],
    ]);
    assert.deepEqual(
      records(chat).map((record) => record.type === 'step' && record.newFolders),
      [[chat.folder.at('new')]],
    );
  });

  it('is not looked for under a read-only policy', async () => {
    await using chat = await startScenario({
      policy: 'never',
      sandbox: 'read-only',
      box: 'real',
      model: [[run('python3 -c "print(1)"')], [says('Done.')]],
    });
    await chat.send('go');
    assert.equal(existsSync(chat.home.at('baselines')), false);
  });

  it('is not shown for ignored files', async () => {
    await using chat = await startScenario({
      ...FULL,
      files: { '.gitignore': 'dist\n' },
      model: [[run('mkdir dist; echo 1 > dist/a.js')], [says('Done.')]],
    });
    await chat.send('go');
    assert.deepEqual(chat.said('files_changed'), []);
  });

  it('is not recorded with undo.maxBytes 0', async () => {
    await using chat = await startScenario({
      ...FULL,
      model: [[run('echo 1 > a.txt')], [says('Done.')]],
      undoMaxBytes: 0,
    });
    await chat.send('go');
    assert.deepEqual(changed(chat), {});
    assert.equal(existsSync(chat.home.at('baselines')), false);
  });
});
