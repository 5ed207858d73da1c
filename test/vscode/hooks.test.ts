/** "Hooks" with real files; the user's choices are scripted. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, setup, teardown, test } from 'mocha';
import * as vscode from 'vscode';
import { createHooks, type Hooks } from '../../src/node/hooks/createHooks.ts';
import { createNodePorts } from '../../src/node/ports.ts';
import { HookCommands } from '../../src/vscode/hooks/hookCommands.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { type Answer, ScriptedUser } from './support/scriptedUser.ts';

suite('Hooks', () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const file = path.join(folder, '.claude/settings.json');
  let home: TempFolder;
  let hooks: Hooks;
  let commands: HookCommands;
  let user: ScriptedUser | undefined;

  setup(() => {
    home = tempFolder();
    const environment = { ...process.env, TILLER_HOME: home.path, CLAUDE_CONFIG_DIR: home.path, CODEX_HOME: home.path };
    const ports = createNodePorts({ roots: [folder], environment });
    const own = { Stop: [{ command: 'echo done' }] };
    hooks = createHooks({ ports, settings: () => ({ hooks: own }), roots: () => [folder] });
    const memory = new Map<string, unknown>();
    const memento = {
      get: (key: string, otherwise?: unknown) => (memory.has(key) ? memory.get(key) : otherwise),
      update: async (key: string, value: unknown) => void memory.set(key, value),
      keys: () => [...memory.keys()],
    } as vscode.Memento;
    commands = new HookCommands({ ...hooks, memento });
    mkdirSync(path.dirname(file), { recursive: true });
  });

  teardown(() => {
    user?.restore();
    user = undefined;
    rmSync(path.dirname(file), { recursive: true });
    home[Symbol.dispose]();
  });

  const names = (...lines: string[]) =>
    writeFileSync(file, JSON.stringify({ hooks: { Stop: lines.map((command) => ({ command })) } }));
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
    answers({ pick: '$(question) Stop' }, { pick: '$(play) Approve' });
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

  test('that are refused stay refused', async () => {
    names('npm test');
    answers({ pick: '$(question) Stop' }, { pick: '$(circle-slash) Refuse' });
    await commands.showHooks();
    assert.deepEqual((await states())[1], ['npm test', 'refused']);
  });

  test('are approved together after a question that names each of them', async () => {
    names('one', 'two');
    const { shown } = answers({ pick: '$(check-all) Approve All 2' }, { button: 'Approve' });
    await commands.showHooks();
    assert.deepEqual(
      (await states()).map(([, state]) => state),
      ['runs', 'runs', 'runs'],
    );
    assert(shown.includes('Run these 2 hooks from now on?'));
  });
});
