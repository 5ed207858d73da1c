/** A file for which a command or the test itself waits, so that no test depends on how long a command takes. */
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface FileGate {
  readonly file: string;
  /** Shell code that waits until the gate is open. */
  readonly wait: string;
  /** Shell code that opens the gate. */
  readonly pass: string;
  open(): void;
  readonly opened: () => Promise<void>;
}

/**
 * Creates a gate. `path`: must be outside of the workspace, because the file would otherwise count as a change of the
 * command.
 */
export function fileGate(path: string): FileGate {
  return {
    file: path,
    wait: `until [ -e ${path} ]; do sleep 0.02; done`,
    pass: `touch ${path}`,
    open: () => writeFileSync(path, ''),
    async opened() {
      while (!existsSync(path)) await sleep(10);
    },
  };
}

/** Waits until a new file gets a later time than those that exist: file times have steps of up to 20 ms. */
export async function clockTick(): Promise<void> {
  await sleep(60);
}
