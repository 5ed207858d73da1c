import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
const text = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8');
const versions = text.split(/^## /m).slice(1);
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };

it('the changelog begins with Unreleased, then has the version of package.json', () => {
  const [unreleased, newest] = versions.map((part) => part.split('\n', 1)[0]);
  expect(unreleased).toBe('Unreleased');
  expect(newest).toMatch(new RegExp(`^${version.replaceAll('.', '\\.')} — \\d{4}-\\d{2}-\\d{2}$`));
});

it('each change of the changelog is under Added, Changed or Fixed', () => {
  for (const part of versions) {
    const [head = '', ...sections] = part.split(/^### /m);
    expect(head).not.toContain('\n- ');
    const names = sections.map((section) => section.split('\n', 1)[0]);
    expect(names).toEqual(['Added', 'Changed', 'Fixed'].filter((name) => names.includes(name)));
    for (const section of sections) expect(section).toContain('\n- ');
  }
});
