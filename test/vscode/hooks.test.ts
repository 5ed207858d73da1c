/** "Show Hooks" with real files; the user's choices are scripted. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, setup, teardown, test } from 'mocha';
import * as vscode from 'vscode';
import { createHooks, type Hooks } from '../../src/node/customizations/createHooks.ts';
import { createNodePorts } from '../../src/node/ports.ts';
import { HookCommands } from '../../src/vscode/customizations/hookCommands.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { type Answer, ScriptedUser } from './support/scriptedUser.ts';
import { Memory } from './support/memory.ts';

suite('Hooks', () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const file = path.join(folder, '.claude/settings.json');
  let home: TempFolder;
  let hooks: Hooks;
  let commands: HookCommands;
  let user: ScriptedUser | undefined;
  let memento: Memory;

  setup(() => {
    home = tempFolder();
    const environment = { ...process.env, TILLER_HOME: home.path, CLAUDE_CONFIG_DIR: home.path, CODEX_HOME: home.path };
    const ports = createNodePorts({ roots: [folder], environment });
    const own = { Stop: [{ command: 'echo done' }] };
    hooks = createHooks({ ports, settings: () => ({ hooks: own }), roots: () => [folder] });
    memento = new Memory();
    commands = new HookCommands({ ...hooks, memento });
    mkdirSync(path.dirname(file), { recursive: true });
  });

  teardown(() => {
    user?.restore();
    user = undefined;
    rmSync(path.dirname(file), { recursive: true });
    home[Symbol.dispose]();
  });

  const writes = (...entries: readonly object[]) => writeFileSync(file, JSON.stringify({ hooks: { Stop: entries } }));
  const names = (...lines: string[]) => writes(...lines.map((command) => ({ command })));
  const answers = (...given: Answer[]) => {
    user?.restore();
    user = new ScriptedUser(...given);
    return user;
  };
  const states = async () => (await hooks.current()).hooks.map(({ hook, state }) => [hook.command, state]);

  test('of files run only when the user approves them, and are announced once', async () => {
    names('npm test');
    const { shown } = answers();
    await commands.announce(await hooks.current());
    await commands.announce(await hooks.current());
    assert.deepEqual(shown, [
      '.claude/settings.json names a hook that Tiller does not run until you approve it: npm test',
    ]);
    answers({ pick: '$(question) Stop' }, { pick: '$(check) Approve…' }, { button: 'Approve' });
    await commands.showHooks();
    assert.deepEqual(await states(), [
      ['echo done', 'runs'],
      ['npm test', 'runs'],
    ]);
    names('npm run other');
    assert.deepEqual(await states(), [
      ['echo done', 'runs'],
      ['npm run other', 'proposed'],
    ]);
  });

  test('that were announced are remembered, the last 500', async () => {
    const old = Array.from({ length: 600 }, (_, at) => `old-${at}`);
    await memento.update('tiller.seenHooks', old);
    names('npm test');
    answers();
    const current = await hooks.current();
    await commands.announce(current);
    const fresh = current.hooks.flatMap(({ hook, state }) => (state === 'proposed' ? [hook.hash] : []));
    assert.equal(fresh.length, 1);
    assert.deepEqual(memento.get('tiller.seenHooks'), [...old.slice(101), ...fresh]);
  });

  test('are approved after a question that shows all that the approval covers', async () => {
    const command = `echo ${'x'.repeat(200)}\nrm -rf /`;
    writes({ command: 'node', args: ['a b', command], cwd: '../up', env: { NODE_OPTIONS: '--require ./x.js' } });
    const { shown } = answers({ pick: '$(question) Stop' }, { pick: '$(check) Approve…' });
    await commands.showHooks();
    assert.deepEqual(shown.at(-1)?.split('\n'), [
      `Program: node 'a b' '${command.replace('\n', '\\n')}'`,
      'Working directory: ../up',
      'Variable: NODE_OPTIONS=--require ./x.js',
      'Event: Stop',
      'File: .claude/settings.json',
      'It runs where commands of the turn run; without a sandbox under Full access and where there is none.',
    ]);
    assert.equal((await states())[1]?.[1], 'proposed');
  });

  test('that are too long to be shown are not approved', async () => {
    names('x'.repeat(4_000));
    const { shown } = answers({ pick: '$(question) Stop' }, { pick: '$(check) Approve…' });
    await commands.showHooks();
    assert.equal(shown.at(-1), 'The hook is too long to be shown, so it cannot be approved here.');
    names('x'.repeat(2_000), 'y'.repeat(2_000));
    const { shown: together } = answers({ pick: '$(check-all) Approve All 2' });
    await commands.showHooks();
    assert.equal(
      together.at(-1),
      'The 2 hooks are too long to be shown together. Approve them one by one in the list.',
    );
    assert(!(await states()).some(([command, state]) => command !== 'echo done' && state === 'runs'));
  });

  test('that are refused stay refused', async () => {
    names('npm test');
    answers({ pick: '$(question) Stop' }, { pick: '$(circle-slash) Refuse' });
    await commands.showHooks();
    assert.deepEqual((await states())[1], ['npm test', 'refused']);
  });

  test('are approved together after a question that shows each of them, those outside the sandbox first', async () => {
    names('one');
    writeFileSync(home.at('settings.json'), JSON.stringify({ hooks: { Stop: [{ command: 'two' }] } }));
    const { shown } = answers({ pick: '$(check-all) Approve All 2' }, { button: 'Approve' });
    await commands.showHooks();
    assert.deepEqual(
      (await states()).map(([, state]) => state),
      ['runs', 'runs', 'runs'],
    );
    assert(shown.includes('Run these 2 hooks from now on?'));
    assert.deepEqual(shown.at(-1)?.split('\n'), [
      'Command: two',
      'Event: Stop',
      `File: ${home.at('settings.json')}`,
      'It runs outside the sandbox, as a program of yours.',
      '',
      'Command: one',
      'Event: Stop',
      'File: .claude/settings.json',
      'It runs where commands of the turn run; without a sandbox under Full access and where there is none.',
    ]);
  });
});
