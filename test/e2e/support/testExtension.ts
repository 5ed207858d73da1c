/** Writes a VS Code extension for a test. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * `source` runs in VS Code's extension host, as CommonJS. Returns the folder to be given to VS Code
 * as an extension.
 */
export async function writeTestExtension(
  folder: string,
  extension: { readonly name: string; readonly activationEvents: readonly string[]; readonly source: string },
): Promise<string> {
  const { name, activationEvents, source } = extension;
  const identity = { name, publisher: 'test', version: '0.0.1', engines: { vscode: '^1.100.0' } };
  // Otherwise it does not run in a folder that is not trusted.
  const capabilities = { untrustedWorkspaces: { supported: true } };
  const manifest = { ...identity, capabilities, main: './extension.js', activationEvents };
  const all = { 'package.json': JSON.stringify(manifest), 'extension.js': source };
  for (const [file, text] of Object.entries(all)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
  return folder;
}
