// The project that Tiller repairs in a demonstration: generated each time, in a new folder, with a failing test.
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generateSample, writeSample } from '../sample.mjs';

export const TASK = 'The tests of this project fail. Find out why, repair the code, and run the tests again.';

/**
 * Creates the sample in the temporary folder of the system, so that no folder above it contains our git repository or
 * our AGENTS.md. @param {number} seed
 */
export async function freshSample(seed) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tiller-sample-'));
  const project = generateSample(seed);
  await writeSample(folder, project);
  return { folder, title: project.title };
}

/** Returns true if the project's own test passes. @param {string} folder */
export function testPasses(folder) {
  return spawnSync('npm', ['test'], { cwd: folder, stdio: 'ignore', shell: process.platform === 'win32' }).status === 0;
}
