// Lets a Node script import modules of the product and of the tests: they are bundled in memory.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Resolves with all exports of the given modules as one object. Paths are relative to the repository. */
export async function loadTypeScript(...modules) {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: modules.map((file) => `export * from './${file}';`).join('\n'), resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    logLevel: 'warning',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
