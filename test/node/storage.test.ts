import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, test } from 'vitest';
import { createStorage, tillerHome } from '../../src/node/storage.ts';
import { tempFolder } from '../support/tempFolder.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test('home is where the contract says', () => {
  assert.deepEqual(
    [
      tillerHome({ TILLER_HOME: '/t', XDG_DATA_HOME: '/x' }, 'linux', '/h'),
      tillerHome({ XDG_DATA_HOME: '/x' }, 'linux', '/h'),
      tillerHome({ XDG_DATA_HOME: 'relative' }, 'linux', '/h'),
      tillerHome({}, 'linux', '/h'),
      tillerHome({ XDG_DATA_HOME: '/x' }, 'darwin', '/h'),
      tillerHome({ LOCALAPPDATA: '/local' }, 'win32', '/h'),
    ],
    [
      '/t',
      '/x/tiller',
      '/h/.local/share/tiller',
      '/h/.local/share/tiller',
      '/h/Library/Application Support/Tiller',
      '/local/Tiller',
    ],
  );
});

describe('a file that only grows', () => {
  test('is ours alone, and every line is there at once', async () => {
    using folder = tempFolder();
    const storage = createStorage(folder.at('home'));
    const file = await storage.openAppend('threads/2026/a.jsonl');
    file.append('one\n');
    file.append('ü\n');
    assert.equal(readFileSync(file.path, 'utf8'), 'one\nü\n');
    await file.sync();
    await file.close();
    await file.close();
    assert.throws(() => file.append('late'), /is closed/);
    assert.deepEqual(
      [modeOf(folder.at('home')), modeOf(folder.at('home', 'threads')), modeOf(file.path)],
      ['700', '700', '600'],
    );
  });

  test('closes a line that a crash tore off', async () => {
    using folder = tempFolder();
    const storage = createStorage(folder.path);
    writeFileSync(folder.at('a.jsonl'), '{"whole":1}\n{"to');
    for (const line of ['x\n', 'y\n']) {
      const file = await storage.openAppend('a.jsonl');
      file.append(line);
      await file.close();
    }
    assert.equal(await storage.readText('a.jsonl'), '{"whole":1}\n{"to\nx\ny\n');
  });
});

test('texts are replaced whole, listed and removed', async () => {
  using folder = tempFolder();
  const storage = createStorage(folder.path);
  await storage.writeText('b/deep/two.txt', 'two');
  await storage.writeText('b/one.txt', 'old');
  await storage.writeText('b/one.txt', 'one');
  await storage.writeText('a.txt', 'a');
  assert.deepEqual(await storage.listFiles('b'), ['b/deep/two.txt', 'b/one.txt']);
  assert.deepEqual(await storage.listFiles(''), ['a.txt', 'b/deep/two.txt', 'b/one.txt']);
  assert.deepEqual(await storage.listFiles('nothing'), []);
  assert.deepEqual([await storage.readText('b/one.txt'), await storage.readText('none')], ['one', undefined]);
  assert.equal(modeOf(folder.at('b/one.txt')), '600');
  await storage.remove('b/one.txt');
  await storage.remove('b/one.txt');
  assert.equal(await storage.readText('b/one.txt'), undefined);
});

test('a write that fails leaves the old text and nothing else', async () => {
  using folder = tempFolder();
  mkdirSync(folder.at('taken'));
  await assert.rejects(createStorage(folder.path).writeText('taken', 'x'));
  assert.deepEqual(readdirSync(folder.path), ['taken']);
});

test('no path leads out of the home', async () => {
  using folder = tempFolder();
  const storage = createStorage(folder.at('home'));
  for (const path of ['../x', 'a/../../x', '/etc/passwd', 'a//b', '.', '', 'a\\..\\b', 'a\0b']) {
    await assert.rejects(async () => storage.readText(path), /Not a path inside TILLER_HOME/);
    await assert.rejects(async () => storage.writeText(path, 'x'), /Not a path inside TILLER_HOME/);
  }
  assert.deepEqual(readdirSync(folder.path), []);
});
