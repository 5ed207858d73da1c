import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { expect, it } from 'vitest';
import { followBox } from '../../../src/node/sandbox/boxLife.ts';
import { tempFolder } from '../../support/tempFolder.ts';

it.skipIf(process.platform !== 'linux')('ends a sandbox that outlives the monitor of bubblewrap', async () => {
  const folder = tempFolder();
  // Stands for the first process of a sandbox whose monitor was killed before --die-with-parent took effect.
  const first = spawn('sleep', ['600'], { stdio: 'ignore' });
  await once(first, 'spawn');
  const closed = once(first, 'close');
  const life = followBox(folder.path);
  writeSync(life.descriptor, JSON.stringify({ 'child-pid': first.pid }).replace(':', ': '));
  expect(await life.ended()).toBe(true);
  expect(await closed).toEqual([null, 'SIGKILL']);
  folder[Symbol.dispose]?.();
});
