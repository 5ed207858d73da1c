import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { findBrowser } from '../../../scripts/vscode/browser.mjs';
import { installVscode } from '../../../scripts/vscode/install.mjs';
import { stageExtension } from '../../../scripts/vscode/server.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    extension: string;
    /** The folder of servers, browsers and their files. */
    places: string;
  }
}

/** Once before all scenarios: a VS Code, a browser, and the current build of the extension. */
export default async function prepare(project: TestProject): Promise<() => Promise<void>> {
  await installVscode();
  await findBrowser();
  const folder = await mkdtemp(path.join(tmpdir(), 'tiller-e2e-'));
  project.provide('extension', await stageExtension(path.join(folder, 'extension')));
  project.provide('places', folder);
  // A browser that was just killed may still write.
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
