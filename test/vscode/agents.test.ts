/** "Show Agents" with real files; the user's choices are scripted. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, setup, teardown, test } from 'mocha';
import * as vscode from 'vscode';
import { BUILTIN_ROLES } from '../../src/core/agent/builtinRoles.ts';
import { type AgentFiles, createAgentFiles } from '../../src/node/customizations/createAgentFiles.ts';
import { createNodePorts } from '../../src/node/ports.ts';
import { AgentCommands } from '../../src/vscode/customizations/agentCommands.ts';
import { ReadOnlyTexts } from '../../src/vscode/ui/readOnlyTexts.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { type Answer, ScriptedUser } from './support/scriptedUser.ts';
import { eventually } from './support/page.ts';
import { Memory } from './support/memory.ts';

suite('Agents', () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const file = path.join(folder, '.tiller/agents/poet.md');
  let home: TempFolder;
  let files: AgentFiles;
  let commands: AgentCommands;
  let texts: ReadOnlyTexts;
  let user: ScriptedUser | undefined;

  setup(() => {
    home = tempFolder();
    const environment = { ...process.env, TILLER_HOME: home.path, CLAUDE_CONFIG_DIR: home.path };
    const ports = createNodePorts({ roots: [folder], environment });
    files = createAgentFiles({
      ports,
      settings: () => ({ agentModels: {} }),
      roots: () => [folder],
      builtin: BUILTIN_ROLES.map(({ name }) => name),
    });
    const memento = new Memory();
    texts = new ReadOnlyTexts('tiller-proposal-test');
    commands = new AgentCommands({ ...files, builtin: BUILTIN_ROLES, memento, texts });
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '---\ndescription: Writes verse.\n---\nYou are a poet.\n');
  });

  teardown(async () => {
    user?.restore();
    user = undefined;
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    // The extension host gets the tabs of a window later.
    await eventually(() => vscode.window.tabGroups.all.every(({ tabs }) => tabs.length === 0));
    rmSync(path.join(folder, '.tiller'), { recursive: true });
    texts.dispose();
    home[Symbol.dispose]();
  });

  const answers = (...given: Answer[]) => {
    user?.restore();
    user = new ScriptedUser(...given);
    return user;
  };
  const states = async () => (await files.current()).agents.map(({ role, state }) => [role.name, state]);

  test('are offered for a new thread when they are used, and only then', async () => {
    assert.deepEqual(
      [await (answers(), commands.pick()), user?.shown],
      [undefined, ['No agent file is used: write one, or approve one of this workspace.']],
    );
    const [agent] = (await files.current()).agents;
    await files.decide(agent?.hash ?? '', 'approved');
    answers({ pick: '$(hubot) poet' });
    assert.equal((await commands.pick())?.instructions, 'You are a poet.');
    answers('cancel');
    assert.equal(await commands.pick(), undefined);
  });

  test('of a workspace are announced once, and used when the user approves them', async () => {
    const { shown } = answers();
    await commands.announce();
    await commands.announce();
    assert.deepEqual(shown, [
      '.tiller/agents/poet.md describes an agent that Tiller does not use until you approve it.',
    ]);
    const hidden = '\u202e';
    writeFileSync(file, `---\ndescription: Writes verse.\n---\nYou are a poet.${hidden}\n${'Rhyme.\n'.repeat(500)}`);
    answers({ pick: '$(question) poet' }, { pick: '$(check) Approve' });
    await commands.showAgents();
    assert.deepEqual(await states(), [['poet', 'proposed']]);
    const shownText = vscode.window.activeTextEditor?.document.getText() ?? '';
    assert.match(shownText, /You are a poet\.\\u\{202e\}\n(Rhyme\.\n){500}$/);
    answers({ pick: '$(question) poet' }, { pick: '$(check) Approve' }, { button: 'Approve' });
    await commands.showAgents();
    assert.deepEqual(await states(), [['poet', 'used']]);
    assert.deepEqual(
      (await files.roles()).map(({ instructions }) => instructions),
      [`You are a poet.${hidden}\n${'Rhyme.\n'.repeat(499)}Rhyme.`],
    );
    answers({ pick: '$(hubot) poet' }, { pick: '$(discard) Remove Approval' });
    await commands.showAgents();
    assert.deepEqual(await states(), [['poet', 'proposed']]);
    answers({ pick: '$(question) poet' }, { pick: '$(circle-slash) Refuse' });
    await commands.showAgents();
    assert.deepEqual(await states(), [['poet', 'refused']]);
  });

  test('that are built in and files that are wrong are in the list', async () => {
    writeFileSync(file, 'no head');
    const { shown } = answers('cancel');
    await commands.showAgents();
    assert.deepEqual(shown, ['Agents | Select an agent of a file to see it, or to approve or refuse it']);
    answers({ pick: '$(error)' });
    await commands.showAgents();
    answers({ pick: '$(hubot) explorer' });
    await commands.showAgents();
  });
});
