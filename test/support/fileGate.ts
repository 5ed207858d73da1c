/** A file that commands of a test and the test itself wait for, so that no test depends on how long a command takes. */
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface FileGate {
  readonly file: string;
  /** Shell code that waits until the gate is open. */
  readonly wait: string;
  /** Shell code that opens it. */
  readonly pass: string;
  open(): void;
  readonly opened: () => Promise<void>;
}

/** `path`: outside of the workspace, or the file would be a change of the command. */
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

/** Times of files have ticks of up to 20 ms: what is to be seen as later waits for so long. */
export async function clockTick(): Promise<void> {
  await sleep(60);
}
