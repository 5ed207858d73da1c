import { describe, expect, it } from 'vitest';
import type { TurnItem } from '../../src/protocol/item.ts';
import type { TurnState } from '../../src/protocol/thread.ts';
import { lastWriters, thread } from '../../webview-ui/store.ts';
import { lastWritersOf, writersIn } from '../../webview-ui/text/lastWriters.ts';
import { commandItem, patchItem } from './preview/script.ts';
import { SCENES, threadOf } from './preview/states.ts';

const TURN = threadOf(SCENES.done)?.turns[1] as TurnState;
const READING = { ...commandItem('ls'), id: 'ls', status: 'completed' } as TurnItem;
const turnOf = (...items: TurnItem[]): TurnState => ({ ...TURN, items });

function command(id: string, ...paths: string[]): TurnItem {
  const files = paths.map((path) => ({ path, kind: 'update' as const }));
  return { ...commandItem('make'), id, changed: { files, total: files.length, cannotUndo: 0 } } as TurnItem;
}

function patch(id: string, status: TurnItem['status'], path: string, movedTo?: string): TurnItem {
  const change = { path, kind: 'update' as const, added: 1, removed: 1, ...(movedTo === undefined ? {} : { movedTo }) };
  return { ...patchItem([change], ''), id, status };
}

describe('the last writer of a file', () => {
  it('is the last command or applied patch of all turns', () => {
    const turns = [
      turnOf(command('c1', 'a', 'b', 'c', 'd'), patch('p1', 'completed', 'b', 'e'), patch('p2', 'declined', 'c')),
      turnOf(READING, command('c2', 'd')),
    ];
    expect(Object.fromEntries(lastWritersOf(writersIn(turns)))).toEqual({
      a: 'c1',
      b: 'p1',
      c: 'c1',
      d: 'c2',
      e: 'p1',
    });
  });

  it('is the same map while a message is written, so that no row is rendered again', () => {
    const state = threadOf(SCENES.done);
    const items = [command('c1', 'a')];
    thread.value = { ...state, turns: [turnOf(...items)] } as typeof state;
    const before = lastWriters.value;
    expect(before.get('a')).toBe('c1');
    thread.value = { ...state, turns: [turnOf(...items, READING)] } as typeof state;
    expect(lastWriters.value).toBe(before);
    thread.value = { ...state, turns: [turnOf(...items, patch('p1', 'completed', 'a'))] } as typeof state;
    expect(lastWriters.value.get('a')).toBe('p1');
    thread.value = null;
  });
});
