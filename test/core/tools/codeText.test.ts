import { symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CodeTexts } from '../../../src/core/tools/code/codeText.ts';
import { readGuard } from '../../../src/core/tools/files/readGuard.ts';
import { createDiskWorkspace } from '../../../src/node/apply/diskWorkspace.ts';
import { tempFolder } from '../../support/tempFolder.ts';

test('the texts of code are lines; a file that is not there, has no place or may not be read has none', async () => {
  using folder = tempFolder();
  writeFileSync(folder.at('a.ts'), 'one\r\ntwo\rthree\n');
  writeFileSync(folder.at('.env'), 'KEY=1\n');
  symlinkSync('loop.ts', folder.at('loop.ts'));
  const home = folder.at('home');
  const disk = createDiskWorkspace({ roots: [folder.path], home });
  const read: string[] = [];
  const workspace: typeof disk = {
    ...disk,
    readPlaces: (places, signal) => {
      read.push(...places.keys());
      return disk.readPlaces(places, signal);
    },
  };
  const host = { platform: 'linux' as const, homeDirectory: '/home/u' };
  const guard = await readGuard({ cwd: folder.path, unreadable: [], home }, { host, workspace });
  const texts = new CodeTexts(guard, {
    workspace,
    signal: new AbortController().signal,
    host,
    settings: { cwd: folder.path },
    thread: { id: 't', home, unreadable: [] },
  } as unknown as ConstructorParameters<typeof CodeTexts>[1]);
  const names = ['a.ts', '.env', 'loop.ts', 'gone.ts', 'a.ts'];
  const found = await texts.read(names.map((name) => folder.at(name)));
  expect(new Map([...found].map(([path, text]) => [path.slice(folder.path.length + 1), text]))).toEqual(
    new Map<string, unknown>([
      ['a.ts', ['one', 'two', 'three', '']],
      ['.env', 'hidden'],
      ['loop.ts', 'missing'],
      ['gone.ts', 'missing'],
    ]),
  );
  expect(await texts.of(folder.at('a.ts'))).toEqual(['one', 'two', 'three', '']);
  expect(read).toEqual([folder.at('a.ts'), folder.at('gone.ts')]);
});
