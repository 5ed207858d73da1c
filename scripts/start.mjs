// `npm start [-- --headless|--desktop] [SEED]`: prepares everything and demonstrates the main task. A real VS Code
// opens on a new sample project with a failing test, with Tiller and its demo model in the side bar, and the task is
// sent.
//
// With a terminal and a display the user approves; otherwise a headless browser presses the buttons. Exits with 0 only
// if the sample's own test passes afterwards, and with 3 if there was no VS Code and the task was done without it.
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, root } from './bootstrap.mjs';

const options = readOptions();
ensureInstalled();
const { build } = await import('./build.mjs');
const { freshSample, testPasses } = await import('./start/sampleProject.mjs');

console.log('Building Tiller …');
await build();
const artifacts = path.join(root, 'artifacts', 'start');
rmSync(artifacts, { recursive: true, force: true });
mkdirSync(artifacts, { recursive: true });

const { folder, title } = await freshSample(options.seed);
console.log(`A fresh project, "${title}" (seed ${options.seed}), is in ${folder}.`);
if (testPasses(folder)) end(1, 'Its test should fail and does not; there is nothing to show.');

const way = options.desktop || process.platform !== 'linux' ? 'desktop' : isWatched() ? 'user' : 'headless';
const problem = await getReady(way);
if (problem === undefined) {
  const repaired = await demonstrate();
  console.log(`The sample: ${folder}\nPictures and transcript: ${artifacts}`);
  const passes = testPasses(folder);
  end(repaired && passes ? 0 : 1, passes ? "The project's own test passes." : "The project's test still fails.");
}

console.log(`There is no VS Code to show it in: ${problem}`);
console.log('Doing the same job on the command line instead (tiller exec).');
const { repairOnCommandLine } = await import('./start/onCommandLine.mjs');
const code = await repairOnCommandLine(folder, artifacts);
if (code !== 0 || !testPasses(folder)) end(1, "The project's test still fails.");
end(3, "The project's own test passes, but VS Code was not seen.");

async function demonstrate() {
  if (way === 'desktop') return (await import('./start/onDesktop.mjs')).repairOnDesktop(folder, artifacts);
  const { repairHeadless, repairWithUser } = await import('./start/inBrowser.mjs');
  return way === 'user' ? repairWithUser(folder, artifacts) : repairHeadless(folder, artifacts);
}

/** Fetches VS Code or a browser. If that fails, resolves with the reason. */
async function getReady(place) {
  try {
    if (place === 'desktop') {
      await (await import('@vscode/test-electron')).downloadAndUnzipVSCode();
      return undefined;
    }
    await (await import('./vscode/install.mjs')).installVscode();
    if (place === 'headless') await (await import('./vscode/browser.mjs')).findBrowser();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns true if a user is present who can press the buttons. */
function isWatched() {
  const { CI, DISPLAY, WAYLAND_DISPLAY } = process.env;
  return !options.headless && !CI && process.stdin.isTTY && Boolean(DISPLAY || WAYLAND_DISPLAY);
}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      options: { headless: { type: 'boolean', default: false }, desktop: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    const seed = Number(positionals[0] ?? Math.floor(Math.random() * 1_000_000));
    if (positionals.length <= 1 && Number.isInteger(seed) && seed >= 0) return { ...values, seed };
  } catch {}
  return end(2, 'Usage: npm start [-- --headless|--desktop] [SEED], where SEED is a whole number.');
}

function end(exitCode, sentence) {
  (exitCode === 0 ? console.log : console.error)(sentence);
  process.exit(exitCode);
}
