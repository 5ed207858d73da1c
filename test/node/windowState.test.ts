import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderOfWindows, WindowStateFile } from '../../src/node/storage/windowState.ts';
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

  it('is its own in whichever of the storage folders VS Code opens it, and whichever window has written last', async () => {
    using storage = tempFolder();
    const windows = desk(undefined);
    const open = (name: string, id: string) => windows.open(name, folderOfWindows(storage.at(id, 'extension')));
    let number = 0;
    for (const [closedFirst, id, idAfterReload] of [
      ['second', '', ''],
      ['second', '', '-1'],
      ['first', '-1', ''],
      ['first', '-1', '-1'],
    ] as const) {
      const workspace = `workspace${++number}`;
      const opened = { first: open('first', workspace), second: open('second', `${workspace}-1`) };
      await opened.first.update('draft', 'of the first');
      await opened.second.update('draft', 'of the second');
      for (const name of [closedFirst, closedFirst === 'first' ? 'second' : 'first'] as const) {
        opened[name].close();
        windows.kill(name);
        if (name !== closedFirst) continue;
        const files = storage.at(workspace, 'extension', 'windows');
        for (const file of readdirSync(files)) utimesSync(path.join(files, file), 0, 0);
      }
      const own = id === '' ? 'of the first' : 'of the second';
      expect(open('again', `${workspace}${idAfterReload}`).get('draft')).toBe(own);
    }
  });

  it('is that of all windows where none was closed, and where there is no folder', async () => {
    using folder = tempFolder();
    for (const place of [folder.path, undefined]) {
      const windows = desk(place);
      await windows.open('first').update('thread', 'a');
      expect(windows.open('second').get('thread')).toBe('a');
      expect(windows.shared.values).toEqual({ thread: 'a' });
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
    expect(first.get('gone', 'nothing')).toBe('nothing');
    expect(windows.open('second').get('draft')).toBe('draft');
  });

  it('is written only when a value changes, and never without a folder', async () => {
    using folder = tempFolder();
    for (const place of [folder.path, undefined]) {
      const windows = desk(place);
      windows.shared.values = { thread: 'a' };
      const window = windows.open('first');
      await window.update('thread', place === undefined ? 'b' : 'a');
      await window.flush();
      if (place === undefined) window.close();
      const written = [...readdirSync(folder.path), ...readdirSync('.')];
      expect(written.filter((name) => /^[\da-f]{16}\.json/.test(name))).toEqual([]);
      expect(windows.errors).toEqual([]);
    }
  });

  it('is kept where one process opens the window again, and where other files are beside its own', async () => {
    using folder = tempFolder();
    writeFileSync(folder.at('first.json.now'), '{');
    const windows = desk(folder.path);
    const first = windows.open('first');
    await first.update('draft', 'text');
    await first.flush();
    first.close();
    windows.open('first');
    windows.kill('first');
    windows.shared.values = {};
    expect(windows.open('second').get('draft')).toBe('text');
    expect(windows.errors).toEqual([]);
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
