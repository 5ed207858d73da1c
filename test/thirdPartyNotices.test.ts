import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildCli } from '../scripts/build.mjs';
import { thirdPartyNotices } from '../scripts/thirdPartyNotices.mjs';
import { tempFolder } from './support/tempFolder.ts';

test('every package in a bundle is named with its licence, and no other', async () => {
  using folder = tempFolder();
  const { metafile } = await buildCli({ outdir: folder.path });
  const notices = thirdPartyNotices([metafile], ['node_modules/zod']);
  const names = [...notices.matchAll(/^={80}\n(\S+) \d+\.\d+\.\d+\n/gm)].map(([, name]) => name);
  expect(names).toEqual([
    '@modelcontextprotocol/client',
    '@modelcontextprotocol/core',
    'diff',
    'domelementtype',
    'domutils',
    'entities',
    'eventsource-parser',
    'fast-png',
    'fflate',
    'htmlparser2',
    'ignore',
    'iobuffer',
    'jpeg-js',
    'jsonc-parser',
    'openai',
    'pkce-challenge',
    'unbash',
    'yaml',
    'zod',
  ]);
  expect(notices).toContain(readFileSync('node_modules/openai/LICENSE', 'utf8').trim());
  expect(notices).toContain(readFileSync('node_modules/zod/LICENSE', 'utf8').trim());
});

test('a package without a licence cannot be shipped', () => {
  using folder = tempFolder();
  writeFileSync(folder.at('package.json'), JSON.stringify({ name: 'secretive', version: '1.0.0' }));
  const copied = [path.relative('.', folder.path)];
  expect(() => thirdPartyNotices([], copied)).toThrow('has no licence');
});
