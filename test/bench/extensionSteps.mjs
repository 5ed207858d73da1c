// Steps of a user in the window while the suite in its extension host measures: keys, messages, and a model that
// answers.
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Workbench } from '../../scripts/vscode/page.mjs';

/** The first edit at the cursor of a window loads what the later ones have. */
const EDITS = 9;
const KEYS = 40;
const KEY_PAUSE_MS = 50;
/** A piece of the model's answer: servers send it in pieces. */
const PIECE = 'words and ';

/**
 * Serves the suite of a window: it posts { step, … } and gets the result of that step as JSON. Resolves with { url, open, close };
 * call `open` with the server before the page shows its window. `works`: extensionWindow.ts.
 */
export async function serveSteps(page, works) {
  const model = await works.ScriptedModel.start();
  let workbench;
  const panel = new works.Panel(() => workbench);
  const steps = stepsIn({ page, workbench: () => workbench, panel, model, works });
  const answer = async (request, response) => {
    try {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const { step, ...given } = JSON.parse(Buffer.concat(chunks).toString());
      response.end(JSON.stringify((await steps[step](given)) ?? null));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  };
  const steering = http.createServer((request, response) => void answer(request, response));
  await new Promise((resolve) => steering.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${steering.address().port}`,
    open(server) {
      workbench = new Workbench(page, server);
    },
    async close() {
      steering.closeAllConnections();
      steering.close();
      await model.close();
    },
  };
}

function stepsIn({ page, workbench, panel, model, works: { calls, says, waits } }) {
  const { keyboard } = page;
  const focusEditor = () => workbench().editor().locator('.view-line').nth(1).click();

  return {
    settings: () => model.settings,

    /** Edits at the cursor of the active editor. Resolves with the milliseconds from Enter to each request. */
    async edits() {
      const pressed = await recordKeys(page, 'Enter');
      const times = [];
      for (let edit = 0; edit < EDITS; edit++) {
        model.will([says('Nothing to do.')]);
        await focusEditor();
        await keyboard.press('Control+Alt+j');
        await page.locator('.quick-input-title').filter({ hasText: 'Edit at the Cursor' }).waitFor();
        await keyboard.type('make it loud', { delay: KEY_PAUSE_MS });
        await keyboard.press('Enter');
        const answered = page.locator('.codelens-decoration').filter({ hasText: 'Nothing to do.' });
        await answered.first().waitFor();
        const stamp = (await pressed()).at(-1);
        times.push(performance.timeOrigin + model.requests[0].at - stamp);
        await focusEditor();
        await keyboard.press('Escape');
        await answered.first().waitFor({ state: 'hidden' });
      }
      return times;
    },

    /** A message in the panel that is answered by a text in `deltas` pieces; resolves when the turn is over there. */
    async message({ deltas }) {
      model.will([says(PIECE.repeat(deltas), { deltas })]);
      await panel.send('go on');
      await panel.ended();
    },

    /**
     * Types in the active editor. With a `patch`, a turn applies it while the keys are pressed, and typing ends with that turn. Resolves
     * with the time of each key, in milliseconds since the epoch.
     */
    async typing({ patch }) {
      let release = () => {};
      const released = new Promise((resolve) => (release = resolve));
      if (patch !== undefined) {
        model.will([waits(released), calls('apply_patch', { input: patch })], [says('Done.')]);
        await panel.send('patch it');
      }
      const pressed = await recordKeys(page, 'a');
      await focusEditor();
      const isPatching = () => patch !== undefined && model.requests.length < 2;
      for (let key = 0; key < KEYS || isPatching(); key++) {
        if (key === KEYS / 4) release();
        await keyboard.press('a');
        await sleep(KEY_PAUSE_MS);
      }
      if (patch !== undefined) {
        await panel.ended();
        if (!/Patch applied/.test(model.outputs.at(-1) ?? '')) throw new Error(`The patch: ${model.outputs.at(-1)}`);
      }
      return pressed();
    },
  };
}

/** Begins to record when a key is pressed; the function that it resolves with gives the times since then. */
async function recordKeys(page, key) {
  await page.evaluate((wanted) => {
    const times = [];
    globalThis.benchKeys = times;
    const record = ({ key, timeStamp }) => {
      if (globalThis.benchKeys !== times) window.removeEventListener('keydown', record, true);
      else if (key === wanted) times.push(performance.timeOrigin + timeStamp);
    };
    window.addEventListener('keydown', record, true);
  }, key);
  return () => page.evaluate(() => globalThis.benchKeys);
}
