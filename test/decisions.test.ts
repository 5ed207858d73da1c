/** docs/decisions: one record for each number, each with the same parts, and every reference to an existing record. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
const FOLDER = path.join(ROOT, 'docs/decisions');
const names = readdirSync(FOLDER).sort();
const numbers = names.map((name) => name.slice(0, 4));

describe('the decision records', () => {
  it('are numbered from 0001, without a gap and without a number twice', () => {
    expect(numbers).toEqual(names.map((_, index) => String(index + 1).padStart(4, '0')));
  });

  it.each(names)('%s has title, date, status, context, decision and alternatives', (name) => {
    const text = readFileSync(path.join(FOLDER, name), 'utf8');
    expect(text).toMatch(/^# .+\n\n\*\*Date\*\* \d{4}-\d{2}-\d{2} · \*\*Status\*\* (?:Accepted|Superseded by \[)/);
    const sections = text.split(/^## /m).slice(1);
    expect(sections.map((section) => section.split('\n', 1)[0])).toEqual(['Context', 'Decision', 'Alternatives']);
    for (const section of sections) expect(section.split('\n').slice(1).join('').trim()).not.toBe('');
  });

  it('are cited by numbers and names that exist', () => {
    expect(citations('docs/decisions/0099-no.md (decision 0098), decisions/0097')).toEqual([
      '0099-no.md',
      '0098',
      '0097',
    ]);
    const files = execFileSync('git', ['ls-files', 'src', 'webview-ui', 'scripts', 'docs', '*.md'], { cwd: ROOT });
    const unknown = [...new Set(files.toString().split('\n'))]
      .filter((file) => /\.(?:tsx?|mjs|md)$/.test(file))
      .flatMap((file) => citations(readFileSync(path.join(ROOT, file), 'utf8')).map((cited) => [file, cited] as const))
      .filter(([, cited]) => !names.includes(cited) && !numbers.includes(cited));
    expect(unknown).toEqual([]);
  });
});

/** File names of records, or only their numbers. */
function citations(text: string): string[] {
  return [...text.matchAll(/decisions?[ /](\d{4}(?:-[\w-]+\.md)?)|\]\((\d{4}-[\w-]+\.md)\)/g)].map(
    ([, spoken, linked]) => spoken ?? linked ?? '',
  );
}
