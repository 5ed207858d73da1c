import assert from 'node:assert/strict';
import { vi } from 'vitest';
import { Starter } from '../../src/node/process/starter.ts';
import { bundled } from './runTypeScript.ts';

let program: Promise<string> | undefined;

/** Resolves with the path of the built starterProgram.ts, which is removed at the end of the run. */
export function starterProgram(): Promise<string> {
  program ??= bundled('../../src/node/starterProgram.ts');
  return program;
}

/** Starts a starter that is ready for commands. Dispose of it at the end of the test. */
export async function readyStarter(home: string): Promise<Starter> {
  const starter = new Starter(home, await starterProgram());
  starter.prepare();
  await untilReady(starter);
  return starter;
}

export async function untilReady(starter: Starter): Promise<void> {
  await vi.waitFor(() => assert.ok(starter.ready), { timeout: 20_000, interval: 5 });
}
