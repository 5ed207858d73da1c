/** V8's space for new objects in a process that limits it. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/tempFolder.ts';

const PROGRAM = `
  import { cachedDataVersionTag, getHeapSpaceStatistics } from 'node:v8';
  import { YoungGeneration } from './src/cli/youngGeneration.ts';
  const size = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
  const kept = [];
  const allocate = () => { for (let n = 0; n < 2e6; n++) kept[n % 60000] = [n, [n]]; };
  const young = new YoungGeneration();
  const [before, tag] = [size(), cachedDataVersionTag()];
  young.limit();
  allocate();
  const limited = size();
  young.dispose();
  const acceptsCache = cachedDataVersionTag() === tag;
  allocate();
  console.log(JSON.stringify({ limited: limited <= 2 * before, grownAfterwards: size() > 4 * limited, acceptsCache }));
`;

it('does not grow while it is limited, and afterwards the code cache is that of every start', async () => {
  using folder = tempFolder();
  const outfile = folder.at('program.mjs');
  const stdin = { contents: PROGRAM, resolveDir: path.join(import.meta.dirname, '../..') };
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm' });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile]);
  expect(JSON.parse(stdout)).toEqual({ limited: true, grownAfterwards: true, acceptsCache: true });
});
