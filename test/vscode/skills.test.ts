/** "Show Skills" with real files; the user's choices are scripted. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, setup, teardown, test } from 'mocha';
import * as vscode from 'vscode';
import { createNodePorts } from '../../src/node/ports.ts';
import { createSkills, type Skills } from '../../src/node/customizations/createSkills.ts';
import { SkillCommands } from '../../src/vscode/customizations/skillCommands.ts';
import { ReadOnlyTexts } from '../../src/vscode/ui/readOnlyTexts.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { type Answer, ScriptedUser } from './support/scriptedUser.ts';
import { Memory } from './support/memory.ts';

suite('Skills', () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const file = path.join(folder, '.tiller/skills/deploy/SKILL.md');
  const text = '---\nname: deploy\ndescription: Deploys it.\nargument-hint: where\n---\nRun ship.sh.\u200b\n';
  let home: TempFolder;
  let skills: Skills;
  let texts: ReadOnlyTexts;
  let commands: SkillCommands;
  let maxTokens: number;
  let user: ScriptedUser | undefined;

  setup(() => {
    home = tempFolder();
    const environment = { ...process.env, TILLER_HOME: home.path, CLAUDE_CONFIG_DIR: home.path, CODEX_HOME: home.path };
    const ports = createNodePorts({ roots: [folder], environment });
    const host = { ...ports.host, homeDirectory: home.at('none') };
    skills = createSkills({ ports: { ...ports, host }, roots: () => [folder] });
    const memento = new Memory();
    texts = new ReadOnlyTexts('tiller-proposal-test');
    maxTokens = 2_000;
    commands = new SkillCommands({ ...skills, memento, texts, maxTokens: () => maxTokens });
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  });

  teardown(async () => {
    user?.restore();
    user = undefined;
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    texts.dispose();
    commands.dispose();
    rmSync(path.join(folder, '.tiller'), { recursive: true });
    home[Symbol.dispose]();
  });

  const answers = (...given: Answer[]) => {
    user?.restore();
    user = new ScriptedUser(...given);
    return user;
  };
  const states = async () => (await skills.current()).skills.map(({ skill, state }) => [skill.name, state]);
  const row = { kind: 'skill', name: 'deploy', help: 'Deploys it.', hint: 'where' };

  test('of a workspace are announced once, shown whole before they are approved, and given up again', async () => {
    const { shown } = answers();
    let decided = 0;
    const listener = commands.onDidDecide(() => decided++);
    await commands.announce(await skills.current());
    await commands.announce(await skills.current());
    assert.deepEqual(shown, [
      '.tiller/skills/deploy/SKILL.md describes a skill that Tiller does not use until you approve it.',
    ]);
    assert.deepEqual(await commands.rows(), [{ ...row, isProposed: true }]);
    answers({ pick: '$(question) deploy' }, { pick: '$(check) Approve…' }, { button: 'Approve' });
    await commands.showSkills();
    assert.equal(vscode.window.activeTextEditor?.document.getText(), text.replace('\u200b', '\\u{200b}'));
    assert.deepEqual(await states(), [['deploy', 'used']]);
    assert.deepEqual(await commands.rows(), [{ ...row, isProposed: false }]);
    answers({ pick: '$(mortar-board) deploy' }, { pick: '$(discard) Remove Approval' });
    await commands.showSkills();
    assert.deepEqual(await states(), [['deploy', 'proposed']]);
    answers({ pick: '$(question) deploy' }, { pick: '$(circle-slash) Refuse' });
    await commands.showSkills();
    assert.deepEqual(await states(), [['deploy', 'refused']]);
    assert.deepEqual(await commands.rows(), []);
    assert.equal(decided, 3);
    listener.dispose();
  });

  test('that do not fit into the list of the model are named, and files that are wrong open', async () => {
    const [proposed] = (await skills.current()).skills;
    await skills.decide(proposed?.hash ?? '', 'approved');
    const wrong = path.join(folder, '.tiller/skills/wrong/SKILL.md');
    mkdirSync(path.dirname(wrong));
    writeFileSync(wrong, 'no head');
    maxTokens = 10;
    const chosen: vscode.QuickPickItem[] = [];
    answers({ pick: '$(error) .tiller/skills/wrong/SKILL.md' });
    const { showQuickPick } = vscode.window;
    Object.assign(vscode.window, {
      showQuickPick: (rows: readonly vscode.QuickPickItem[], options: vscode.QuickPickOptions) => {
        chosen.push(...rows);
        return showQuickPick(rows, options);
      },
    });
    await commands.showSkills();
    assert.match(chosen[0]?.detail ?? '', /^The model does not get it in its list, which is full/);
    assert.equal(chosen[1]?.detail, 'line 1: it has no front matter between two lines ---');
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, wrong);
  });

  test('are none where there is no file', async () => {
    rmSync(path.dirname(file), { recursive: true });
    const { shown } = answers({ pick: 'There are no skills' });
    await commands.showSkills();
    assert.equal(shown[0], 'Skills and Prompt Files | Select one to open it, or to approve or refuse it');
  });
});
