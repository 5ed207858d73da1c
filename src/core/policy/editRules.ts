/** Edits the text of a `rules.json` and keeps the rest of it as the user wrote it. */
import { applyEdits, modify } from 'jsonc-parser';
import type { Rule } from '../../protocol/policy.ts';

/** Adds a rule at the end; `undefined`: there is no file yet. */
export function addRule(text: string | undefined, rule: Rule): string {
  if (text === undefined || text.trim() === '') return `${JSON.stringify({ version: 1, rules: [rule] }, null, 2)}\n`;
  return edit(text, ['rules', -1], rule);
}

/** `index`: the position in `rules`, from 0. */
export function replaceRule(text: string, index: number, rule: Rule): string {
  return edit(text, ['rules', index], rule);
}

/** `index`: the position in `rules`, from 0. */
export function removeRule(text: string, index: number): string {
  return edit(text, ['rules', index], undefined);
}

function edit(text: string, path: (string | number)[], value: Rule | undefined): string {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
  const formattingOptions = {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 4 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  const isInsertion = path.at(-1) === -1;
  return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion: isInsertion }));
}
