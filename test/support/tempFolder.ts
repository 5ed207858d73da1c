import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TempFolder extends Disposable {
  readonly path: string;
  /** A path inside it. */
  at(...names: string[]): string;
}

/** A folder of its own, removed at the end of the block: `using folder = tempFolder();`. */
export function tempFolder(parent = tmpdir()): TempFolder {
  const path = realpathSync(mkdtempSync(join(parent, 'tiller-test-')));
  return {
    path,
    at: (...names) => join(path, ...names),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
