// Rules, from the approval request that adds them to the page that lists, tries, changes and removes them.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { calls, says } from '../support/modelServer.ts';
import { ASK_ABOUT_COMMANDS } from './support/model.ts';
import { useSharedWindow } from './support/window.ts';

const window = useSharedWindow({
  model: 'scripted',
  settings: {
    ...ASK_ABOUT_COMMANDS,
    'chat.tools.terminal.autoApprove': {
      jest: true,
      'git push': false,
      '/^npm run (build|lint)$/': { approve: true, matchCommandLine: true },
    },
  },
  files: {
    '.tiller/rules.json': JSON.stringify({
      version: 1,
      rules: [
        { pattern: ['make', 'deploy'], decision: 'forbidden', justification: 'Deployments are made by the pipeline.' },
        { pattern: ['make', 'check'], decision: 'allow', justification: 'Only looks.' },
      ],
    }),
  },
  width: 1600,
});
const soon = { timeout: 10_000 };

const touch = (name: string) => [calls('exec_command', { cmd: `touch ${name}` })];

/** The page, in its tab. */
const page = () => window().vscode.webview();
const rule = (words: string) => page().getByTestId('rule').filter({ hasText: words });

async function openRules(): Promise<void> {
  await window().vscode.command('Tiller: Show Rules and Approvals');
  await page().getByTestId('rules-page').waitFor();
}

beforeEach(async () => {
  await window().panel.open();
});

test('a command that is always allowed runs unasked and names its rule, until the rule is removed', async () => {
  const { vscode, panel, model, disk } = window();
  model.will(touch('asked'), touch('unasked'), [says('Done.')]);
  await panel.send('Touch them.');
  await panel.approval('command').waitFor();
  await panel.get('decision-more').click();
  await panel.get('decision-approve-always').click();
  await panel.get('rule-shorter').click();
  await panel.page.getByText('touch with anything after it').waitFor();
  await vscode.screenshot('rules/always', vscode.sideBar());
  await panel.answer('rule-allow');
  await panel.ended();
  expect([await disk('asked'), await disk('unasked')]).toEqual(['', '']);
  await panel.get('turn-fold').locator('summary').first().click();
  const ran = panel.get('command').filter({ hasText: 'touch unasked' });
  await ran.locator('summary').click();
  await ran.getByText('Allowed by rule 1 of workspace-rules.json: allow “touch…”').click();

  await page().getByTestId('rules-page').waitFor();
  // The command that needed approval, and the one that did not.
  await rule('touch').getByText('2 times').waitFor();
  await vscode.screenshot('rules/page');
  await page().getByTestId('rules-try').fill('touch x && rm -rf y');
  await page().getByTestId('rules-verdict').getByText('You are asked').waitFor();
  await page().getByTestId('rules-try').fill('touch x');
  await page().getByTestId('rules-verdict').getByText('Runs without asking').waitFor();
  await rule('touch').getByRole('button', { name: 'Remove the rule for touch' }).click();
  await rule('touch').waitFor({ state: 'detached' });
  await page().getByTestId('rules-verdict').getByText('You are asked').waitFor();

  model.will(touch('asked-again'), [says('All right.')]);
  await panel.send('Touch another.');
  await panel.get('approval-command-text').getByText('touch asked-again').waitFor();
  expect(await disk('asked-again')).toBeNull();
  await panel.deny();
  await panel.ended();
});

test('a workspace tightens by itself and is allowed nothing before the user says so', async () => {
  await openRules();
  await rule('make deploy').getByText('Forbid').waitFor();
  await page().getByTestId('rules-try').fill('make deploy');
  await page().getByTestId('rules-verdict').getByText('Deployments are made by the pipeline.').waitFor();
  await page().getByTestId('rules-try').fill('make check');
  await page().getByTestId('rules-verdict').getByText('You are asked').waitFor();
  await page().getByTestId('rules-accept').click();
  await page().getByTestId('rules-verdict').getByText('Runs without asking').waitFor();
  await rule('make check')
    .getByRole('button', { name: /^Remove/ })
    .click();
  await page().getByTestId('rules-verdict').getByText('You are asked').waitFor();
});

test('a rule is written, refused with the reason, changed and kept by keyboard alone', async () => {
  const { vscode } = window();
  // An open page would be revealed at any time after the command, and lose the keys of that moment.
  await vscode.command('View: Close All Editors');
  await openRules();
  const { keyboard } = vscode.page;
  await page().getByTestId('rules-add').focus();
  await keyboard.press('Enter');
  await page().getByTestId('rule-form').waitFor();
  await keyboard.type('python3');
  await keyboard.press('Enter');
  await page().getByTestId('rules-refusal').getByText('would allow any command that is run with it').waitFor();
  await keyboard.type(' (setup.py|build.py)');
  await keyboard.press('Enter');
  await page().getByTestId('rule-form').waitFor({ state: 'detached' });
  await rule('python3 (setup.py|build.py)').getByTestId('rule-edit').focus();
  await keyboard.press('Enter');
  await page().getByTestId('rule-form-decision').selectOption('forbidden');
  await page().getByTestId('rule-form-justification').fill('Builds run elsewhere.');
  await keyboard.press('Enter');
  await rule('Builds run elsewhere.').getByText('Forbid').waitFor();
  await page().getByTestId('rules-try').fill('python3 build.py --all');
  await page().getByTestId('rules-verdict').getByText('Is blocked').waitFor();
});

test('the open page takes the next key when its command is run again', async () => {
  const { vscode } = window();
  await openRules();
  await page().getByTestId('rules-try').fill('');
  await page().getByTestId('rules-try').focus();
  await vscode.command('Tiller: Show Rules and Approvals');
  const typed = async () => {
    await vscode.page.keyboard.type('x');
    return page().getByTestId('rules-try').inputValue();
  };
  await expect.poll(typed, soon).toMatch(/x{3}$/);
});

test('selected rules of VS Code are imported; others are listed with the reason', async () => {
  const { vscode } = window();
  await vscode.command('Tiller: Import Rules…');
  await vscode.pick("VS Code's terminal commands");
  await vscode.quickRow('git push').waitFor();
  await vscode.quickRow('jest').waitFor();
  await vscode.screenshot('rules/import');
  await vscode.page.keyboard.press('Enter');
  await vscode.notification('Rules added: 2. Left out: 1.').waitFor();
  await vscode.answerNotification('Rules added', 'Show Why');
  await expect.poll(() => vscode.text(), soon).toContain('whole command line');
  await openRules();
  await rule('jest').getByText('Allow').waitFor();
  await rule('git push').getByText('Ask').waitFor();
}, 60_000);

test('the audit log names the decision, who made it and the result, and leads to the rule', async () => {
  const { vscode, folder } = window();
  await vscode.command('Tiller: Show Audit Log');
  await page().getByTestId('audit-page').waitFor();
  const row = (text: string) => page().getByTestId('audit-row').filter({ hasText: text });
  await row('touch asked-again').getByText('denied (you)').waitFor();
  await row('touch unasked').getByText('exit 0').waitFor();
  // The workspace itself is not named.
  expect(await page().getByTestId('audit-table').innerText()).not.toContain(folder);
  await page().getByTestId('audit-filter').fill('workspace-rules.json exit 0');
  // One of the three was denied.
  await expect.poll(() => page().getByTestId('audit-row').count(), soon).toBe(2);
  await vscode.screenshot('rules/audit');
  await row('touch unasked').getByTestId('audit-rule').click();
  await page().getByTestId('rules-page').waitFor();
}, 120_000);

// test/panel asks axe about both pages in every theme.
test('an invalid file is named when the page becomes visible', async () => {
  const { vscode, folder } = window();
  await openRules();
  await writeFile(path.join(folder, '.tiller/rules.json'), '{ "version": 1, "rules": [ { "pattern": [] } ] }\n');
  // The page is updated when it becomes visible.
  await vscode.openFile('package.json');
  await openRules();
  await page().getByTestId('rules-problem').waitFor(soon);
  // Its path is said from the workspace.
  const text = await page().getByTestId('rules-page').innerText();
  expect(text).toContain('.tiller/rules.json');
  expect(text).not.toContain(folder);
}, 120_000);
