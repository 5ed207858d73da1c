import { readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WindowStateFile } from '../../src/node/storage/windowState.ts';
import { tempFolder } from '../support/tempFolder.ts';

/** The state that VS Code keeps for all windows of a folder: each window has a copy from its start, and writes it whole. */
class SharedState {
  values: Record<string, unknown> = {};

  opened() {
    const copy = { ...this.values };
    return {
      keys: () => Object.keys(copy),
      get: (key: string) => copy[key] as undefined,
      update: async (key: string, value: unknown) => {
        copy[key] = value;
        this.values = { ...copy };
      },
    };
  }
}

function desk(folder: string | undefined) {
  const shared = new SharedState();
  const running = new Set<string>();
  const errors: unknown[] = [];
  return {
    shared,
    errors,
    kill: (name: string) => running.delete(name),
    open(name: string, place = folder) {
      running.add(name);
      const processes = { own: name, isRunning: (owner: string) => running.has(owner) };
      return new WindowStateFile({
        folder: place,
        shared: shared.opened(),
        processes,
        report: (error) => errors.push(error),
      });
    },
  };
}

describe('the state of a window', () => {
  it('is its own after a reload, although another window of the folder has written since', async () => {
    using folder = tempFolder();
    const windows = desk(folder.path);
    const first = windows.open('first');
    await first.update('drafts', { a: 'of the first' });
    const second = windows.open('second');
    expect(second.get('drafts')).toEqual({ a: 'of the first' });
    await second.update('drafts', { b: 'of the second' });
    await first.flush();
    windows.kill('first');
    const again = windows.open('first again');
    expect(again.get('drafts')).toEqual({ a: 'of the first' });
    // The process of a closed window runs on for a moment.
    second.close();
    const secondAgain = windows.open('second again');
    expect(secondAgain.get('drafts')).toEqual({ b: 'of the second' });
    expect(secondAgain.get('none', 'nothing')).toBe('nothing');
    await second.flush();
    expect(readdirSync(folder.path)).toHaveLength(2);
    expect(windows.errors).toEqual([]);
  });

  it('is its own also where VS Code gives it the folder of a window that was closed before', async () => {
    using folder = tempFolder();
    using other = tempFolder();
    const windows = desk(folder.path);
    const first = windows.open('first');
    const second = windows.open('second', other.path);
    await first.update('draft', 'of the first');
    first.close();
    windows.kill('first');
    await new Promise((resolve) => setTimeout(resolve, 2));
    await second.update('draft', 'of the second');
    second.close();
    windows.kill('second');
    expect(windows.open('second again').get('draft')).toBe('of the second');
  });

  it('is that of all windows where none was closed, and where there is no folder', async () => {
    using folder = tempFolder();
    for (const place of [folder.path, undefined]) {
      const windows = desk(place);
      await windows.open('first').update('thread', 'a');
      expect(windows.open('second').get('thread')).toBe('a');
      expect(windows.shared.values).toMatchObject({ thread: 'a' });
    }
  });

  it('has what was written directly before the window was closed, and what comes afterwards', async () => {
    using folder = tempFolder();
    const windows = desk(folder.path);
    const first = windows.open('first');
    for (const text of ['d', 'dr', 'dra']) void first.update('draft', text);
    first.close();
    void first.update('draft', 'draft');
    void first.update('gone', undefined);
    await first.flush();
    expect(windows.open('second').get('draft')).toBe('draft');
  });

  it('is in one file, which stays with the window that has taken it, whenever the window before was closed', async () => {
    for (const moment of [0, 1, 2, 3, 5, 8]) {
      using folder = tempFolder();
      const windows = desk(folder.path);
      const first = windows.open('first');
      void first.update('draft', 'text');
      for (let left = moment; left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
      first.close();
      const second = windows.open('second');
      await first.flush();
      await second.flush();
      expect(second.get('draft')).toBe('text');
      expect(readdirSync(folder.path)).toHaveLength(1);
    }
  });

  it('is kept for the last closed windows only, and a damaged file is reported', async () => {
    using folder = tempFolder();
    const windows = desk(folder.path);
    const opened = Array.from({ length: 8 }, (_nothing, index) => windows.open(`window ${index}`));
    for (const window of opened) {
      void window.update('draft', 'text');
      await window.flush();
      window.close();
    }
    writeFileSync(folder.at('damaged.json'), '{');
    windows.open('next');
    expect(windows.errors).toHaveLength(1);
    expect(readdirSync(folder.path)).toHaveLength(6);
  });
});
