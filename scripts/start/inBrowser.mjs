// The demonstration in the VS Code from npm, which is used through a browser: the user's own, or a headless one that
// presses the buttons that a user would press.
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../bootstrap.mjs';
import { approveAll } from '../vscode/approveAll.mjs';
import { openBrowser, Workbench } from '../vscode/page.mjs';
import { stageExtension, startVscode } from '../vscode/server.mjs';
import { followRollout } from './followRollout.mjs';
import { TASK, testPasses } from './sampleProject.mjs';

/** Maximum milliseconds of the demonstration after the installation. */
const LIMIT_MS = 170_000;

/** Starts VS Code on the sample, with the demo model selected, and sends the task. */
async function startOnSample(folder, artifacts, forUser) {
  await mkdir(artifacts, { recursive: true });
  const extension = await stageExtension(path.join(artifacts, 'extension'));
  return startVscode({
    workspace: folder,
    folder: path.join(artifacts, 'vscode'),
    extensions: [extension, path.join(root, 'scripts', 'start', 'starter')],
    settings: { 'tiller.provider': 'demo', 'tiller.model': 'demo', 'workbench.startupEditor': 'none' },
    env: { TILLER_HOME: path.join(artifacts, 'home'), TILLER_START_TASK: TASK },
    forUser,
  });
}

/**
 * Approves with the real buttons, prints each step, and takes screenshots. Resolves with true if the turn completed.
 */
export async function repairHeadless(folder, artifacts) {
  const server = await startOnSample(folder, artifacts, false);
  const browser = await openBrowser();
  const follow = followRollout(path.join(artifacts, 'home'), path.join(artifacts, 'transcript.jsonl'));
  let pictures = 0;
  const picture = (name) =>
    browser.page.screenshot({ path: path.join(artifacts, `${String(++pictures).padStart(2, '0')}-${name}.png`) });
  try {
    const workbench = new Workbench(browser.page, server);
    await workbench.open();
    console.log(`VS Code ${server.version} is open on the sample; the task is sent.`);
    const completed = await approveAll(await workbench.openChat(), {
      limitMs: LIMIT_MS,
      async onAsked(question, button) {
        await picture('asked');
        console.log(`Asked: ${question} Pressing "${button}".`);
      },
    });
    await browser.page.waitForTimeout(300);
    await picture('done');
    return completed;
  } catch (error) {
    await picture('failed').catch(() => {});
    throw error;
  } finally {
    await follow.stop();
    await browser.close();
    await server.stop();
  }
}

/** Opens the user's browser and waits until the sample is repaired or the user ends it. */
export async function repairWithUser(folder, artifacts) {
  const server = await startOnSample(folder, artifacts, true);
  console.log(`VS Code is at ${server.address()}`);
  console.log(
    'Trust the folder there; Tiller then starts, and waits for your approvals. Enter or Ctrl+C here ends it.',
  );
  openUrl(server.address());
  const ended = new Promise((resolve) => {
    createInterface({ input: process.stdin }).once('line', resolve);
    process.once('SIGINT', resolve);
  });
  await ended;
  await server.stop();
  return testPasses(folder);
}

function openUrl(url) {
  const [command, ...args] = process.platform === 'darwin' ? ['open', url] : ['xdg-open', url];
  spawn(command, args, { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
