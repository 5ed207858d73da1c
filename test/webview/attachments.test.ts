/** Identity of attachments, and the names by which a text has them. */
import { describe, expect, it } from 'vitest';
import type { Attachment } from '../../src/protocol/draft.ts';
import type { Mention } from '../../src/protocol/item.ts';
import { activeOf, thingOf, withAttachments, withMention } from '../../webview-ui/text/attachments.ts';

const symbol = (path: string, first: number, name = 'parse'): Mention => ({
  type: 'mention',
  kind: 'symbol',
  name,
  id: 'parse',
  path,
  lines: { first, last: first + 3 },
});
const terminal = (id: string): Mention => ({ type: 'mention', kind: 'terminal', name: 'terminal', path: '', id });
const chip = (part: Mention): Attachment => ({ part, inText: false });
const inText = (part: Mention): Attachment => ({ part, inText: true });

describe('attachments', () => {
  it('are the same by what they are, not by their names', () => {
    const things = [
      symbol('/w/a.ts', 1),
      symbol('/w/b.ts', 1),
      symbol('/w/a.ts', 9),
      { ...symbol('/w/a.ts', 1), id: 'print' },
      { ...symbol('/w/a.ts', 1), kind: 'selection' as const },
      terminal('1'),
      terminal('2'),
      { ...terminal('1'), kind: 'thread' as const },
      { type: 'mention' as const, kind: 'problems' as const, name: 'problems', path: '' },
      { type: 'mention' as const, kind: 'file' as const, name: 'x.txt', path: '', id: 'h1', text: 'one' },
      { type: 'mention' as const, kind: 'file' as const, name: 'x.txt', path: '', id: 'h2', text: 'two' },
    ];
    expect(withAttachments([], [...things, ...things].map(chip))).toEqual(things.map(chip));
    expect(thingOf(symbol('/w/a.ts', 1, 'parse (a.ts)'))).toBe(thingOf(symbol('/w/a.ts', 1)));
  });

  it('get another name in the text when theirs means something else there', () => {
    const first = withMention('@par', [], symbol('/w/a.ts', 1));
    expect(first.name).toBe('parse');
    const second = withMention('@parse and @par', first.attachments, symbol('/w/b.ts', 5));
    expect(second.name).toBe('parse 2');
    const text = '@parse and @parse 2';
    expect(activeOf(text, second.attachments)).toEqual([
      inText(symbol('/w/a.ts', 1)),
      inText(symbol('/w/b.ts', 5, 'parse 2')),
    ]);
    const third = withMention(`${text} @term`, second.attachments, terminal('1'));
    expect(withMention(`${text} @terminal @term`, third.attachments, terminal('2')).name).toBe('terminal 2');
  });

  it('keep the name that the text has for them', () => {
    const attachments = [inText(symbol('/w/b.ts', 5, 'parse (b.ts)'))];
    const again = withMention('@parse (b.ts) or @par', attachments, symbol('/w/b.ts', 5));
    expect(again).toEqual({ name: 'parse (b.ts)', attachments });
  });

  it('do not come back when the text names another thing by their name', () => {
    const left = [inText(symbol('/w/a.ts', 1)), chip(terminal('1'))];
    const { name, attachments } = withMention('@par', left, symbol('/w/b.ts', 5));
    expect(name).toBe('parse');
    expect(activeOf('@parse', attachments)).toEqual([chip(terminal('1')), inText(symbol('/w/b.ts', 5))]);
  });
});
