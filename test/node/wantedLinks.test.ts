/** The search for other names of a file (hard links), which each read of a file with several names needs. */
import { linkSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MovedFiles } from '../../src/node/host/movedFiles.ts';
import { WantedLinks } from '../../src/node/host/wantedLinks.ts';
import { type TempFolder, tempFolder } from '../support/tempFolder.ts';

/** Names that are wanted, with the names that were asked about. */
function wantedIn(folder: TempFolder) {
  const asked: string[] = [];
  const has = (name: string) => {
    asked.push(path.relative(folder.path, name));
    return path.basename(name) === '.env' || name.includes('/secrets/');
  };
  return { key: 'test', has, asked };
}

/** In milliseconds: more than the tick of the clocks of file systems on which tests run. */
const TICK = 50;
/** Waits until folders that were made just now can be remembered. */
const settled = () => setTimeout(TICK + 10);

test('is as correct after any change of the folders as the first time, and reads only the folders that changed', async () => {
  using folder = tempFolder();
  for (const name of ['src/deep', 'keys', 'node_modules/p']) mkdirSync(folder.at(name), { recursive: true });
  for (const name of ['src/a.ts', 'src/deep/b.ts', 'keys/id']) writeFileSync(folder.at(name), name);
  writeFileSync(folder.at('store'), 'x');
  linkSync(folder.at('store'), folder.at('node_modules/p/index.js'));
  const wanted = wantedIn(folder);
  const links = new WantedLinks(new MovedFiles(), TICK);
  const why = async (name: string) => {
    wanted.asked.length = 0;
    const found = (await links.find([folder.at(name)], wanted, [folder.path])).get(folder.at(name));
    return found === undefined ? undefined : `${found.type} ${path.relative(folder.path, found.name)}`;
  };
  await settled();
  expect(await why('node_modules/p/index.js')).toBeUndefined();
  expect(wanted.asked.toSorted()).toEqual(['keys/id', 'src/a.ts', 'src/deep/b.ts', 'store']);
  // Known: no name is looked at again.
  expect(await why('node_modules/p/index.js')).toBeUndefined();
  expect(wanted.asked).toEqual([]);

  // A secret is made behind it, by a link in either direction.
  linkSync(folder.at('node_modules/p/index.js'), folder.at('src/deep/.env'));
  expect(await why('node_modules/p/index.js')).toBe('link src/deep/.env');
  expect(wanted.asked.toSorted()).toEqual(['src/deep/.env', 'src/deep/b.ts']);
  renameSync(folder.at('src/deep/.env'), folder.at('src/deep/c.ts'));
  expect(await why('node_modules/p/index.js')).toBeUndefined();
  renameSync(folder.at('src/deep/c.ts'), folder.at('src/.env'));
  expect(await why('node_modules/p/index.js')).toBe('link src/.env');
  // Another file takes the place of the name.
  writeFileSync(folder.at('src/new'), '');
  renameSync(folder.at('src/new'), folder.at('src/.env'));
  expect(await why('node_modules/p/index.js')).toBeUndefined();

  // The name of a folder around it makes it wanted.
  linkSync(folder.at('keys/id'), folder.at('src/copy'));
  expect(await why('src/copy')).toBeUndefined();
  renameSync(folder.at('keys'), folder.at('secrets'));
  expect(await why('src/copy')).toBe('link secrets/id');
  // A folder that a link replaces is not entered.
  renameSync(folder.at('secrets'), folder.at('node_modules/kept'));
  symlinkSync('node_modules/kept', folder.at('secrets'));
  expect(await why('src/copy')).toBeUndefined();
  rmSync(folder.at('secrets'));
  renameSync(folder.at('node_modules/kept'), folder.at('secrets'));
  expect(await why('src/copy')).toBe('link secrets/id');
});

test('asks anew where other names are wanted, and does not trust the time of modification', async () => {
  using folder = tempFolder();
  mkdirSync(folder.at('src'));
  writeFileSync(folder.at('src/.env'), '');
  linkSync(folder.at('src/.env'), folder.at('src/copy'));
  const links = new WantedLinks(new MovedFiles(), TICK);
  const find = (key: string, name: string) =>
    links.find([folder.at('src/copy')], { key, has: (file) => path.basename(file) === name }, [folder.path]);
  await settled();
  expect((await find('1', 'none')).size).toBe(0);
  expect((await find('2', '.env')).size).toBe(1);
  const { atime, mtime } = statSync(folder.at('src'));
  renameSync(folder.at('src/.env'), folder.at('src/none'));
  utimesSync(folder.at('src'), atime, mtime);
  expect((await find('1', 'none')).size).toBe(1);
  expect((await find('2', '.env')).size).toBe(0);
});

test('knows a file that a command has moved by what it was called before', async () => {
  using folder = tempFolder();
  writeFileSync(folder.at('moved'), '');
  writeFileSync(folder.at('other'), '');
  const moved = new MovedFiles();
  const { dev, ino } = statSync(folder.at('moved'));
  moved.set(`${dev}:${ino}`, folder.at('moved'), folder.at('sub/.env'));
  const files = [folder.at('moved'), folder.at('other')];
  const found = await new WantedLinks(moved).find(files, wantedIn(folder), [folder.path]);
  expect([...found]).toEqual([[folder.at('moved'), { type: 'moved', name: folder.at('sub/.env') }]]);
});
