import { describe, expect, it } from 'vitest';
import type { TurnItem } from '../../src/protocol/item.ts';
import type { TurnState } from '../../src/protocol/thread.ts';
import { receiptAsMarkdown, receiptOf, receiptSentences } from '../../webview-ui/text/receipt.ts';
import { commandItem, patchItem } from './preview/script.ts';
import { SCENES, threadOf } from './preview/states.ts';

const DONE = threadOf(SCENES.done)?.turns[1] as TurnState;
const DIFF = 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9,2 @@\n+c\n+d\n';
const PATCH: TurnItem = {
  ...patchItem([{ path: 'a.ts', kind: 'update', added: 3, removed: 1, decision: 'accepted' }], DIFF),
  id: 'patch',
  status: 'completed',
};

function command(text: string, exitCode: number | null, more: Partial<TurnItem> = {}): TurnItem {
  return { ...commandItem(text), status: exitCode === 0 ? 'completed' : 'failed', exitCode, ...more } as TurnItem;
}

function sentences(items: readonly TurnItem[], more: Partial<TurnState> = {}): readonly string[] | null {
  const receipt = receiptOf({ ...DONE, items, asked: 0, ...more });
  return receipt && receiptSentences(receipt);
}

describe('the receipt of a turn', () => {
  it('names the commands after the last change, and says so when no check ran', () => {
    expect(sentences([command('npm test', 1), PATCH])).toEqual([
      '2 hunks applied.',
      'No check ran after the last change.',
      'You were not asked.',
    ]);
    expect(
      sentences([PATCH, command('npm test', 1), PATCH, command('npm run lint', 0), command('npm test', 2)]),
    ).toEqual([
      '4 hunks applied.',
      'After the last change: npm run lint (exit code 0), npm test (exit code 2).',
      'You were not asked.',
    ]);
  });

  it('counts apart what a model approved for the user', () => {
    const reviewed = [{ itemId: 'i', model: 'm', text: 'Fine.' }];
    expect(sentences([PATCH], { asked: 1, reviewed })?.slice(-2)).toEqual([
      'You were asked once.',
      'The reviewer approved 1 command.',
    ]);
  });

  it('counts hunks as the review does, also where two share one of the diff', () => {
    const diff = 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,5 +1,5 @@\n-a\n+b\n c\n--- d\n+++ e\n f\n';
    expect(sentences([{ ...PATCH, diff }])?.[0]).toBe('2 hunks applied.');
  });

  it('takes a command that changed files for a change, and not for a check of itself', () => {
    const changed = { files: [{ path: 'a.ts', kind: 'update' as const }], total: 1, cannotUndo: 0 };
    const formatted = command('npm run format', 0, { changed });
    expect(sentences([PATCH, command('npm test', 0), formatted])).toEqual([
      '2 hunks applied, 1 file changed by commands.',
      'No check ran after the last change.',
      'You were not asked.',
    ]);
    expect(sentences([PATCH, formatted, command('npm test', 0)])?.[1]).toBe(
      'After the last change: npm test (exit code 0).',
    );
    const untouched = command('npm run format', 0, { changed: { files: [], total: 0, cannotUndo: 0 } });
    expect(sentences([PATCH, untouched])?.[1]).toBe('After the last change: npm run format (exit code 0).');
  });

  it('does not count commands that only read, were denied or have not ended as a check', () => {
    const looks = [command('cat a.ts', 0), command('rg TODO', 1), command('ls', 0)];
    const denied = command('npm test', null, { status: 'declined' });
    expect(sentences([PATCH, ...looks, denied])?.[1]).toBe('No check ran after the last change.');
    expect(sentences([PATCH, command('npm run dev', null, { status: 'completed' })])?.[1]).toBe(
      'After the last change: npm run dev (did not end).',
    );
  });

  it('counts what the user rejected and edited, how often they were asked, and what rules allowed', () => {
    const partial = {
      path: 'b.ts',
      kind: 'update' as const,
      added: 1,
      removed: 0,
      decision: 'partial' as const,
      leftOut: 2,
    };
    const out = { path: 'c.ts', kind: 'add' as const, added: 9, removed: 0, decision: 'declined' as const, leftOut: 1 };
    const edited = { path: 'd.ts', kind: 'update' as const, added: 1, removed: 1, decision: 'edited' as const };
    const allowedBy = {
      source: 'rule' as const,
      id: 'rule:/home/me/rules.json#0',
      text: '',
      rule: { pattern: ['npm', 'test'], decision: 'allow' as const },
    };
    const items = [{ ...PATCH, changes: [partial, out, edited] } as TurnItem, command('npm test', 0, { allowedBy })];
    expect(sentences(items, { asked: 2 })).toEqual([
      '2 hunks applied, 3 rejected, 1 file edited by you.',
      'After the last change: npm test (exit code 0).',
      'You were asked 2 times.',
      '1 command ran unasked by the rule “npm test…”.',
    ]);
  });

  it('says what the editor said of its patches, and of which files it knew nothing at last', () => {
    const known = { errors: 0, warnings: 0, fixed: 0, checking: [], unchecked: [] };
    const of = (problems: object, path = 'a.ts'): TurnItem => ({
      ...PATCH,
      changes: [{ path, kind: 'update', added: 1, removed: 1 }],
      problems: { ...known, ...problems },
    });
    const said = (...items: readonly TurnItem[]) => sentences(items)?.[1];
    expect(said(of({}))).toBe('In the editor: no new problems.');
    expect(said(of({ errors: 2, warnings: 1 }), of({ fixed: 1 }))).toBe(
      'In the editor: 2 new errors, 1 new warning, 1 problem fixed.',
    );
    expect(said(of({ checking: ['a.ts'] }), of({ errors: 1, unchecked: ['b.ts'] }, 'b.ts'))).toBe(
      'In the editor: 1 new error; 2 files not checked for problems.',
    );
    expect(said(of({ checking: ['a.ts'] }), of({}))).toBe('In the editor: no new problems.');
    expect(said(PATCH)).toBe('No check ran after the last change.');
  });

  it('exists only for turns that have ended and have changed files', () => {
    expect(sentences([command('npm test', 0)])).toBeNull();
    const changed = { files: [{ path: 'a.ts', kind: 'add' as const }], total: 1, cannotUndo: 0 };
    expect(sentences([command('npm run build', 0, { changed })])?.[0]).toBe('1 file changed by commands.');
    expect(sentences([{ ...PATCH, status: 'failed' }])).toBeNull();
    expect(sentences([PATCH], { status: { type: 'running' } })).toBeNull();
  });

  it('is a list in Markdown, in which a command stays code', () => {
    const receipt = receiptOf({ ...DONE, asked: 1, items: [PATCH, command('echo `date` *', 0)] });
    expect(receipt && receiptAsMarkdown(receipt)).toBe(
      [
        '- 1 file (+3 −1).',
        '- 2 hunks applied.',
        '- After the last change: `` echo `date` * `` (exit code 0).',
        '- You were asked once.',
        '',
      ].join('\n'),
    );
  });
});
