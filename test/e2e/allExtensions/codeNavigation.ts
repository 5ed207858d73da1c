// VS Code's own TypeScript server answers the model, and a rename over many files is one patch.
import { expect, test } from 'vitest';
import { calls, says } from '../../support/modelServer.ts';
import { isFullRun } from '../../support/rounds.ts';
import { ALL_EXTENSIONS, useSharedWindow } from '../support/window.ts';

const soon = { timeout: 30_000 };
const LIB =
  'export function total(values: number[]): number {\n  return values.reduce((sum, value) => sum + value, 0);\n}\n';
const caller = (at: number) => `import { total } from './lib';\n\nexport const sum${at} = total([${at}]);\n`;
const MINE = ' // mine';
const withMine = (at: number) => caller(at).replace(');\n', `);${MINE}\n`);
/** Each file that the rename changes becomes a tab, twice, which takes processor time. */
const FILES = isFullRun() ? 40 : 13;
const CALLERS = Array.from({ length: FILES - 1 }, (_, index) => `caller${index + 1}.ts`);
const LAST = FILES - 1;
/** An import and a call in each. */
const REFERENCES = 2 * CALLERS.length + 1;

const window = useSharedWindow({
  ...ALL_EXTENSIONS,
  model: 'scripted',
  files: {
    'tsconfig.json': '{ "compilerOptions": { "strict": true }, "include": ["*.ts"] }\n',
    'lib.ts': LIB,
    ...Object.fromEntries(CALLERS.map((name, index) => [name, caller(index + 1)])),
  },
});

const navigate = (args: object) => calls('code_navigation', args);
const renamed = (text: string) => text.replaceAll('total', 'sumOf');

test('a question is answered in full or not at all while the server starts, without a tab', async () => {
  const { panel, model, vscode } = window();
  await panel.open();
  const question = navigate({ op: 'references', symbol: 'total', path: 'caller3.ts', line: 3 });
  // On a busy machine the server takes longer to start than one call waits.
  const questions = Array.from({ length: 6 }, () => [question]);
  model.will(...questions, [navigate({ op: 'hover', symbol: 'sum3' })], [says('Done.')]);
  await panel.send('Who calls total?');
  await panel.ended();
  const answers = model.outputs.slice(-7, -1);
  const partial = answers.filter(
    (answer) => !new RegExp(`^(?:${REFERENCES} references of total:|Index not ready)`).test(answer),
  );
  expect(partial).toEqual([]);
  expect(answers.at(-1)).toContain("caller12.ts:1  import { total } from './lib';");
  expect(model.outputs.at(-1)).toContain('const sum3: number');
  expect(await vscode.page.locator('.part.editor .tab', { hasText: '.ts' }).count()).toBe(0);
  await panel.get('turn-fold').locator('summary').first().click();
  await panel.get('code-navigation').last().locator('summary').click();
  await vscode.screenshot('codeNavigation/1-references');
});

test(`a rename over ${FILES} files is one patch with the unsaved edits of two of them, and Undo Patch takes it back`, async () => {
  const { panel, model, vscode, disk } = window();
  const mine = ['caller1.ts', 'caller2.ts'];
  for (const name of mine) {
    await vscode.openFile(name);
    await vscode.typeAfter(`sum${name.slice(6, 7)}`, MINE);
  }
  await panel.open();
  await panel.newThread();
  model.will(
    [navigate({ op: 'rename', symbol: 'total', path: 'lib.ts', line: 1, new_name: 'sumOf' })],
    [says('Done.')],
  );
  await panel.send('Rename total to sumOf.');
  await panel.approval('patch').waitFor();
  await vscode.screenshot('codeNavigation/2-rename');
  await panel.answer();
  await panel.ended();
  expect(model.outputs.at(-1)).toContain(`Renamed total to sumOf: ${REFERENCES} places in ${FILES} files.`);
  expect(await disk('lib.ts')).toBe(renamed(LIB));
  expect(await disk(`caller${LAST}.ts`)).toBe(renamed(caller(LAST)));
  for (const [index, name] of mine.entries()) {
    await vscode.openFile(name);
    await expect.poll(() => vscode.text(), soon).toBe(renamed(withMine(index + 1)));
    expect(await vscode.isDirty(name)).toBe(true);
    expect(await disk(name)).toBe(caller(index + 1));
  }
  await vscode.command('Tiller: Undo Patch');
  await expect.poll(() => disk('lib.ts'), soon).toBe(LIB);
  await expect.poll(() => vscode.text(), soon).toBe(withMine(2));
  expect(await disk(`caller${LAST}.ts`)).toBe(caller(LAST));
});

test('a patch that breaks a caller in another open file says so, with the line of the caller', async () => {
  const { panel, model, vscode } = window();
  await vscode.openFile('caller3.ts');
  await vscode.openFile('lib.ts');
  await panel.open();
  await panel.newThread();
  const lines = [
    '-export function total(values: number[]): number {',
    '+export function total(values: string[]): number {',
  ];
  const input = ['*** Begin Patch', '*** Update File: lib.ts', '@@', ...lines, '*** End Patch'].join('\n');
  model.will([calls('apply_patch', { input })], [says('Done.')]);
  await panel.send('Take strings.');
  await panel.approveAll();
  // The server of a busy machine may be slower than the wait.
  expect(model.outputs.at(-1)).toMatch(
    /\nnew: caller3\.ts:3:28 error: Type 'number' is not assignable to type 'string'\. \(ts 2322\) \| export const sum3 = total\(\[3\]\);\nnew: lib\.ts:2:3 error: |\nStill being checked, problems may follow: lib\.ts/,
  );
  await vscode.screenshot('codeNavigation/3-broken-caller');
});
