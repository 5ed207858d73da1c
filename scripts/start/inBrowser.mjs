// The demonstration in the VS Code that npm has, which is used through a browser: somebody's own, or a headless one that
// presses the buttons a person would press.
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../bootstrap.mjs';
import { openBrowser, Workbench } from '../vscode/page.mjs';
import { stageExtension, startVscode } from '../vscode/server.mjs';
import { followRollout } from './followRollout.mjs';
import { TASK, testPasses } from './sampleProject.mjs';

/** How long the demonstration may take once everything is there. */
const LIMIT_MS = 170_000;

const ENDED = '[data-testid=turn]:not([data-status=running])';

/** VS Code on the sample, with the demo model chosen and the task on its way. */
async function startOnSample(folder, artifacts, forPerson) {
  await mkdir(artifacts, { recursive: true });
  const extension = await stageExtension(path.join(artifacts, 'extension'));
  return startVscode({
    workspace: folder,
    folder: path.join(artifacts, 'vscode'),
    extensions: [extension, path.join(root, 'scripts', 'start', 'starter')],
    settings: { 'tiller.provider': 'demo', 'tiller.model': 'demo', 'workbench.startupEditor': 'none' },
    env: { TILLER_HOME: path.join(artifacts, 'home'), TILLER_START_TASK: TASK },
    forPerson,
  });
}

/** Approves through the real buttons, tells each step, keeps pictures. Resolves with whether the turn came to its end. */
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
    const chat = await workbench.openChat();
    const approve = chat.getByTestId('decision-approve');
    const deadline = Date.now() + LIMIT_MS;
    await chat.getByTestId('turn').first().waitFor({ timeout: 30_000 });
    while ((await chat.locator(ENDED).count()) === 0) {
      if (Date.now() > deadline) throw new Error(`The demo task did not end within ${LIMIT_MS / 1000} seconds.`);
      if (!(await approve.isVisible())) {
        await browser.page.waitForTimeout(100);
        continue;
      }
      const question = await chat.getByTestId('dock').getByRole('heading').first().innerText();
      await picture('asked');
      console.log(`Asked: ${question} Pressing "${(await approve.innerText()).split('\n')[0]}".`);
      await approve.click();
      await approve.waitFor({ state: 'hidden', timeout: 5000 }).catch(() => {});
    }
    await browser.page.waitForTimeout(300);
    await picture('done');
    return (await chat.locator('[data-testid=turn][data-status=completed]').count()) > 0;
  } catch (error) {
    await picture('failed').catch(() => {});
    throw error;
  } finally {
    await follow.stop();
    await browser.close();
    await server.stop();
  }
}

/** Opens the person's browser and waits until the sample is repaired or the person ends it. */
export async function repairWithPerson(folder, artifacts) {
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
