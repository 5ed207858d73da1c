import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, test } from 'vitest';
import { createStorage, tillerHome } from '../../src/node/storage/storage.ts';
import { tempFolder } from '../support/tempFolder.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test('TILLER_HOME has the documented default', () => {
  assert.deepEqual(
    [
      tillerHome({ TILLER_HOME: '/t', XDG_DATA_HOME: '/x' }, 'linux', '/h'),
      tillerHome({ TILLER_HOME: 'here' }, 'linux', '/h'),
      tillerHome({ XDG_DATA_HOME: '/x' }, 'linux', '/h'),
      tillerHome({ XDG_DATA_HOME: 'relative' }, 'linux', '/h'),
      tillerHome({}, 'linux', '/h'),
      tillerHome({ XDG_DATA_HOME: '/x' }, 'darwin', '/h'),
      tillerHome({ LOCALAPPDATA: '/local' }, 'win32', '/h'),
    ],
    [
      '/t',
      path.resolve('here'),
      '/x/tiller',
      '/h/.local/share/tiller',
      '/h/.local/share/tiller',
      '/h/Library/Application Support/Tiller',
      '/local/Tiller',
    ],
  );
});

test('two storages of one process replace files side by side', async () => {
  using folder = tempFolder();
  const storages = [createStorage(folder.at('home')), createStorage(folder.at('home'))];
  const rounds = Array.from({ length: 10 }, (_, round) => `${round}\n`);
  await Promise.all(
    storages.flatMap((storage, at) => [
      ...rounds.map((round) => storage.writeText(`plain-${at}`, round)),
      ...rounds.map((round) => storage.updateText('shared', (text = '') => text + round)),
    ]),
  );
  assert.equal(readFileSync(folder.at('home', 'shared'), 'utf8').length, 2 * rounds.join('').length);
  assert.deepEqual(readdirSync(folder.at('home')).toSorted(), ['plain-0', 'plain-1', 'shared']);
});

describe('an append-only file', () => {
  test('is readable by its owner only, and has every line at once', async () => {
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

  test('terminates a line that a crash cut off', async () => {
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

test.skipIf(process.getuid?.() === 0)(
  'a folder that cannot be looked into hides nothing beside it, and is known',
  async () => {
    using folder = tempFolder();
    const storage = createStorage(folder.path);
    await storage.writeText('b/dark/one.txt', 'one');
    await storage.writeText('b/light/two.txt', 'two');
    chmodSync(folder.at('b/dark'), 0);
    assert.deepEqual(await storage.listFiles('b'), ['b/light/two.txt']);
    assert.deepEqual(await storage.unreadable('b'), ['b/dark']);
    chmodSync(folder.at('b/dark'), 0o700);
  },
);

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

test('threads may be on another disk; a link in a circle or to nothing is ignored, as is one to a folder elsewhere', async () => {
  using folder = tempFolder();
  mkdirSync(folder.at('disk/05'), { recursive: true });
  writeFileSync(folder.at('disk/05/old.jsonl'), 'old');
  writeFileSync(folder.at('one.jsonl'), 'one');
  mkdirSync(folder.at('home/threads'), { recursive: true });
  symlinkSync(folder.at('disk'), folder.at('home/threads/2025'));
  symlinkSync(folder.at('one.jsonl'), folder.at('home/threads/one.jsonl'));
  symlinkSync('..', folder.at('disk/05/back'));
  symlinkSync(folder.at('home'), folder.at('home/threads/home'));
  symlinkSync('nowhere', folder.at('home/threads/dead.jsonl'));
  symlinkSync('loop', folder.at('home/threads/loop'));
  mkdirSync(folder.at('home/logs'));
  symlinkSync(folder.at('disk'), folder.at('home/logs/commands'));
  symlinkSync(folder.at('disk'), folder.at('home/logs/2025'));
  const storage = createStorage(folder.at('home'));
  assert.deepEqual(await storage.listFiles('logs'), []);
  const there = ['threads/2025/05/old.jsonl', 'threads/one.jsonl'];
  assert.deepEqual(await storage.listFiles('threads'), there);
  assert.deepEqual(await storage.unreadable('threads'), ['threads/dead.jsonl', 'threads/loop']);
  assert.deepEqual([await storage.unreadable('logs'), await storage.unreadable('none')], [[], []]);
  assert.deepEqual(
    (await storage.statFiles('threads')).map(({ path, size }) => [path, size]),
    there.map((path) => [path, 3]),
  );
  await storage.writeBytes('threads/one.jsonl', Buffer.from('two'));
  assert.equal(readFileSync(folder.at('one.jsonl'), 'utf8'), 'two');
  assert.ok(lstatSync(folder.at('home/threads/one.jsonl')).isSymbolicLink());
});

test('a file moves to another disk, too', async ({ skip }) => {
  using folder = tempFolder();
  const disk = '/dev/shm';
  if (!existsSync(disk) || statSync(disk).dev === statSync(folder.path).dev) skip('there is one disk');
  const other = mkdtempSync(`${disk}/tiller-`);
  try {
    mkdirSync(folder.at('home/threads'), { recursive: true });
    symlinkSync(other, folder.at('home/threads/2025'));
    writeFileSync(`${other}/a.jsonl`, 'a', { mode: 0o600 });
    await createStorage(folder.at('home')).move('threads/2025/a.jsonl', 'bin/a.jsonl');
    assert.deepEqual([readFileSync(folder.at('home/bin/a.jsonl'), 'utf8'), readdirSync(other)], ['a', []]);
    assert.equal(modeOf(folder.at('home/bin/a.jsonl')), '600');
  } finally {
    rmSync(other, { recursive: true });
  }
});

test('a write that fails leaves the old text and no other file', async () => {
  using folder = tempFolder();
  mkdirSync(folder.at('taken'));
  await assert.rejects(createStorage(folder.path).writeText('taken', 'x'));
  assert.deepEqual(readdirSync(folder.path), ['taken']);
});

test('no path leads out of TILLER_HOME', async () => {
  using folder = tempFolder();
  const storage = createStorage(folder.at('home'));
  for (const path of ['../x', 'a/../../x', '/etc/passwd', 'a//b', '.', '', 'a\\..\\b', 'a\0b']) {
    await assert.rejects(async () => storage.readText(path), /Not a path inside TILLER_HOME/);
    await assert.rejects(async () => storage.writeText(path, 'x'), /Not a path inside TILLER_HOME/);
  }
  assert.deepEqual(readdirSync(folder.path), []);
});

describe('a change to a file', () => {
  test('keeps all other changes, also from processes at the same time', async () => {
    using folder = tempFolder();
    const stores = [createStorage(folder.path), createStorage(folder.path)];
    const add = async (index: number) => {
      await stores[index % 2]?.updateText('list.json', (text = '[]') => JSON.stringify([...JSON.parse(text), index]));
    };
    await Promise.all(Array.from({ length: 40 }, (_, index) => add(index)));
    const list: number[] = JSON.parse(readFileSync(folder.at('list.json'), 'utf8'));
    assert.deepEqual(
      list.toSorted((one, other) => one - other),
      Array.from({ length: 40 }, (_, index) => index),
    );
    assert.deepEqual(readdirSync(folder.path), ['list.json']);
    assert.equal(modeOf(folder.at('list.json')), '600');
  });

  test('does not wait for a writer that was killed', async () => {
    using folder = tempFolder();
    const token = '7e9bc8a0-0000-4000-8000-000000000000';
    const dead = { token, pid: 2 ** 22 + 1, bootId: null, startTime: null, name: 'cli', since: '' };
    writeFileSync(folder.at('.tiller-tmp-a.json.lock'), JSON.stringify(dead));
    await createStorage(folder.path).updateText('a.json', () => 'new');
    assert.deepEqual(readdirSync(folder.path), ['a.json']);
  });

  test('that fails leaves the file unchanged and no lock', async () => {
    using folder = tempFolder();
    const storage = createStorage(folder.path);
    await storage.writeText('a.json', 'old');
    const fail = () => {
      throw new Error('broken');
    };
    await assert.rejects(storage.updateText('a.json', fail), /broken/);
    assert.deepEqual([readFileSync(folder.at('a.json'), 'utf8'), readdirSync(folder.path)], ['old', ['a.json']]);
  });

  test('goes through a link, as users link their own files', async () => {
    using folder = tempFolder();
    mkdirSync(folder.at('home'));
    writeFileSync(folder.at('mine.json'), 'old');
    symlinkSync(folder.at('mine.json'), folder.at('home', 'rules.json'));
    await createStorage(folder.at('home')).updateText('rules.json', (text) => `${text} and new`);
    assert.equal(readFileSync(folder.at('mine.json'), 'utf8'), 'old and new');
    assert.equal(lstatSync(folder.at('home', 'rules.json')).isSymbolicLink(), true);
  });

  test('is recognized by its stamp, also when the size is the same', async () => {
    using folder = tempFolder();
    const storage = createStorage(folder.path);
    assert.equal(await storage.stamp('a.json'), undefined);
    const stamps = new Set<string | undefined>();
    for (const text of ['one', 'two', 'one']) {
      await storage.writeText('a.json', text);
      stamps.add(await storage.stamp('a.json'));
    }
    writeFileSync(folder.at('a.json'), 'six');
    stamps.add(await storage.stamp('a.json'));
    assert.equal(stamps.size, 4);
  });
});
