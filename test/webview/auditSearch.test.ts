/** The filter of the page "Audit Log". */
import { expect, test } from 'vitest';
import { countLabel, searchText } from '../../webview-ui/audit/search.ts';
import { PAGES } from './preview/pages.ts';

const [message] = PAGES.audit?.messages ?? [];
if (message?.type !== 'audit') throw new Error('The scene has no audit log.');
const { lines } = message;

/** The commands, patches and tools of the decisions that contain this text. */
const found = (text: string) => lines.filter((line) => searchText(line).includes(text)).map(({ what }) => what);

test.each([
  ['blocked', ['rm -rf /']],
  ['not sandboxed', ['npm test']],
  [' sandboxed', ['npm test', 'npm test', 'git status', 'npm test']],
  ['reviewer gpt-5-mini', ['npm test']],
  ['(deleted thread)', ['npm test']],
  ['agent a1', ['npm test']],
  ['in packages/cart', ['git status']],
  ['not that one.', ['npm test']],
  ['exit 1', ['npm test']],
])('finds the decisions in whose row "%s" is shown', (text, whats) => {
  expect(found(text)).toEqual(whats);
});

test('a search in the audit log finds entries by the names of the log file and of the page', () => {
  expect(found('forbidden')).toEqual(['rm -rf /']);
  expect(found('2026-01-15t12:00')).toHaveLength(lines.length);
});

test('a search in the audit log does not deny that earlier decisions contain the text while some are not loaded', () => {
  expect(countLabel(0, true, true)).toBe('None of the loaded decisions contains this text.');
  expect(countLabel(0, true, false)).toBe('No decision contains this text.');
  expect(countLabel(0, false, false)).toMatch(/^No decisions yet\./);
  expect(countLabel(2, true, true)).toBe('2 decisions');
});
