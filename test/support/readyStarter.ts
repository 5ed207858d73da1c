import assert from 'node:assert/strict';
import { vi } from 'vitest';
import { Starter } from '../../src/node/process/starter.ts';
import { bundled } from './runTypeScript.ts';

let program: Promise<string> | undefined;

/** The built starterProgram.ts; removed at the end of the run. */
export function starterProgram(): Promise<string> {
  program ??= bundled('../../src/node/starterProgram.ts');
  return program;
}

/** A starter that takes commands. Dispose of it at the end of the test. */
export async function readyStarter(home: string): Promise<Starter> {
  const starter = new Starter(home, await starterProgram());
  starter.prepare();
  await untilReady(starter);
  return starter;
}

export async function untilReady(starter: Starter): Promise<void> {
  await vi.waitFor(() => assert.ok(starter.ready), { timeout: 20_000, interval: 5 });
}
