import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

/** Each line is a file of its own, followed by the texts that must be reported. */
const SNIPPETS: readonly (readonly [code: string, ...texts: string[]])[] = [
  [`vscode.window.showErrorMessage(vscode.l10n.t('Nothing was changed.'));`],
  [`item.text = '$(sync~spin)';`],
  [`item.command = 'tiller.openChat'; createOutputChannel('Tiller');`],
  [`throw new Error('a developer reads this');`],
  [`show({ title: 'Tiller', id: 'some-id', label: 'tiller.chat' });`],
  [`show(<button title={t('Stop')} class="primary" data-testid="stop">{t('Stop')} · {count}</button>);`],

  [`vscode.window.showErrorMessage('Nothing was changed.');`, 'Nothing was changed.'],
  [`window.showWarningMessage(question, { modal: true }, 'Delete');`, 'Delete'],
  ['vscode.window.showInformationMessage(`Undid ${count} files`);', 'Undid   files'],
  [`item.tooltip = busy ? 'Working' : l10n.t('Idle');`, 'Working'],
  [`showQuickPick([{ label: 'Allow once', detail }]);`, 'Allow once'],
  [`item.text = '$(sync) Working';`, '$(sync) Working'],
  [`show(<p>Something went wrong</p>);`, 'Something went wrong'],
  [`show(<p>{failed ? 'Failed' : t('Done')}</p>);`, 'Failed'],
  [`show(<textarea placeholder="Ask anything" aria-label={'Message'} />);`, 'Ask anything', 'Message'],
];

it('the lint rule for texts reports every literal for users, and no other', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tiller-lint-'));
  try {
    const config = path.join(folder, 'oxlintrc.json');
    writeFileSync(
      config,
      JSON.stringify({
        plugins: [],
        jsPlugins: [path.join(root, 'scripts/lint/noLiteralText.mjs')],
        categories: { correctness: 'off' },
        rules: { 'tiller/no-literal-text': 'error' },
      }),
    );
    for (const [index, [code]] of SNIPPETS.entries()) writeFileSync(path.join(folder, `${index}.tsx`), code);
    const reported = lint(folder, config);
    assert.deepEqual(
      SNIPPETS.map(([code], index) => [code, ...(reported.get(`${index}.tsx`) ?? [])]),
      SNIPPETS,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('the lint rule for texts passes for every file that can show a text in VS Code', () => {
  const { overrides } = JSON.parse(readFileSync(path.join(root, '.oxlintrc.json'), 'utf8')) as {
    overrides: { files: string[]; rules: Record<string, string> }[];
  };
  const covered = overrides.flatMap(({ files, rules }) => (rules['tiller/no-literal-text'] === 'error' ? files : []));
  const isCovered = (file: string) =>
    covered.some((pattern) => (pattern.endsWith('/**') ? file.startsWith(pattern.slice(0, -2)) : file === pattern));
  const showing = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join('src', file.replaceAll(path.sep, '/')))
    .filter((file) => file.endsWith('.ts') && /from 'vscode'/.test(readFileSync(path.join(root, file), 'utf8')));
  assert.deepEqual(
    showing.filter((file) => !isCovered(file)),
    [],
  );
});

/** The reported texts of each file, in their order. */
function lint(folder: string, config: string): Map<string, string[]> {
  const oxlint = path.join(root, 'node_modules/oxlint/bin/oxlint');
  const { stdout, stderr } = spawnSync(process.execPath, [oxlint, '-c', config, '-f', 'json', '.'], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { message: string; filename: string; labels: { span: { offset: number } }[] }[];
  };
  const reported = new Map<string, string[]>();
  const offset = (diagnostic: (typeof diagnostics)[number]) => diagnostic.labels[0]?.span.offset ?? 0;
  for (const diagnostic of diagnostics.toSorted((a, b) => offset(a) - offset(b))) {
    const file = path.basename(diagnostic.filename);
    reported.set(file, [...(reported.get(file) ?? []), /"(.*)"/.exec(diagnostic.message)?.[1] ?? diagnostic.message]);
  }
  return reported;
}
