// The demonstration in a desktop VS Code that @vscode/test-electron downloads: macOS, Windows, and `--desktop`.
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { downloadAndUnzipVSCode } from '@vscode/test-electron';
import { root } from '../bootstrap.mjs';
import { TASK, testPasses } from './sampleProject.mjs';

/** Opens a window. Resolves when the user has closed it, with true if the sample's test passes. */
export async function repairOnDesktop(folder, artifacts) {
  const program = await downloadAndUnzipVSCode();
  const data = path.join(artifacts, 'desktop');
  await mkdir(path.join(data, 'User'), { recursive: true });
  const settings = { 'tiller.provider': 'demo', 'tiller.model': 'demo', 'workbench.startupEditor': 'none' };
  await writeFile(path.join(data, 'User', 'settings.json'), `${JSON.stringify(settings, null, 2)}\n`);
  const words = [
    folder,
    `--extensionDevelopmentPath=${root}`,
    `--extensionDevelopmentPath=${path.join(root, 'scripts', 'start', 'starter')}`,
    ...['--user-data-dir', data, '--extensions-dir', path.join(data, 'extensions'), '--new-window', '--wait'],
    '--disable-workspace-trust',
  ];
  console.log('A window opens; Tiller waits for your approvals there. Close it when you have seen enough.');
  const child = spawn(program, words, {
    env: { ...process.env, TILLER_HOME: path.join(artifacts, 'home'), TILLER_START_TASK: TASK },
    stdio: 'ignore',
  });
  await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  return testPasses(folder);
}
