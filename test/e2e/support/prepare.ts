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
  }
}

/** Once before all scenarios: a VS Code, a browser, and the extension as it is now. */
export default async function prepare(project: TestProject): Promise<() => Promise<void>> {
  await installVscode();
  await findBrowser();
  const folder = await mkdtemp(path.join(tmpdir(), 'tiller-extension-'));
  project.provide('extension', await stageExtension(folder));
  return () => rm(folder, { recursive: true, force: true });
}
