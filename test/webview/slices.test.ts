import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { TurnState } from '../../src/protocol/thread.ts';
import { MarkdownStream, renderMarkdown } from '../../webview-ui/text/markdown.ts';
import { drawnStart, keptLength, nextLength, nextStart, SLICE } from '../../webview-ui/text/slices.ts';
import { SCENES, threadOf } from './preview/states.ts';

const turn = threadOf(SCENES.done)?.turns[0] as TurnState;
const answer = (length: number): TurnState => ({
  ...turn,
  items: [{ type: 'agent_message', id: 'm', status: 'completed', text: 'x'.repeat(length) }],
});

describe('what is drawn in one frame', () => {
  it('of a text is at most one slice, and in the end the text', () => {
    const text = 'x'.repeat(2.5 * SLICE);
    const lengths = [0];
    while ((lengths.at(-1) ?? 0) < text.length) lengths.push(nextLength(text, lengths.at(-1) ?? 0));
    assert.deepEqual(lengths, [0, SLICE, 2 * SLICE, text.length]);
  });

  it('of a thread are several short turns, or one after the other where they are long', () => {
    const short = Array.from({ length: 100 }, () => answer(10));
    const long = Array.from({ length: 100 }, () => answer(10 * SLICE));
    const first = nextStart(short, 100);
    assert.ok(first < 60, `${100 - first} short turns`);
    assert.ok(nextStart(long, 100) > 90, 'long turns');
    assert.equal(nextStart([answer(100 * SLICE)], 1), 0);
    assert.equal(nextStart(short, 0), 0);
  });

  it('of a text that replaces another is as much as was drawn, at most one slice of it new', () => {
    const text = 'x'.repeat(10 * SLICE);
    assert.equal(keptLength(text.slice(0, -5), text, text.length), text.length - 5, 'it has lost its end');
    assert.equal(keptLength(text, 'y'.repeat(10 * SLICE), 10 * SLICE), SLICE, 'another text');
    assert.equal(keptLength('short', text, text.length), 5);
    assert.equal(keptLength(text, 'xy', 2), SLICE);
  });

  it('of a thread begins with the first turn that was drawn, also when earlier ones are gone', () => {
    const turns = Array.from({ length: 5 }, (_, index) => ({ ...turn, id: `t${index}` }));
    assert.equal(drawnStart(turns, turns.slice(2)), 2);
    assert.equal(drawnStart(turns.slice(1), turns.slice(0, 4)), 0);
    assert.equal(drawnStart(turns.slice(3), turns.slice(0, 3)), -1);
    assert.equal(drawnStart([], turns), -1);
  });

  it('of a text in slices has in the end the same blocks as the whole text', () => {
    const text = '# One\n\n- a\n- b\n\n```ts\nconst a = 1;\n```\n\nA *sentence*.\n\n'.repeat(200);
    const stream = new MarkdownStream();
    for (let length = 0; length < text.length; ) {
      length = nextLength(text, length);
      stream.update(text.slice(0, length));
    }
    assert.deepEqual(stream.finish(text), renderMarkdown(text));
  });
});
