import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TempFolder extends Disposable {
  readonly path: string;
  /** Returns a path inside the folder. */
  at(...names: string[]): string;
}

/** Creates a folder that is removed at the end of the run (folders.setup.ts). */
export function folderOfRun(parent = tmpdir()): string {
  return realpathSync(mkdtempSync(join(parent, process.env['TILLER_TEST_PREFIX'] ?? 'tiller-test-')));
}

/** Creates a folder that is removed at the end of the block: `using folder = tempFolder();`. */
export function tempFolder(parent?: string): TempFolder {
  const path = folderOfRun(parent);
  return {
    path,
    at: (...names) => join(path, ...names),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
