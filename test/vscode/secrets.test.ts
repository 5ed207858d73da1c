/** A key in the settings, in the whole extension: only its server gets it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { compose } from '../../src/extension/compose.ts';
import type { HostMessage } from '../../src/protocol/wire.ts';
import { calls, ModelServer, says } from '../support/modelServer.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { contextOf, eventually, Page } from './support/page.ts';

declare const TILLER_VERSION: string;

const KEY = 'sesame-of-the-settings-7d1e';
const NO_SECRET = 'plain-title-4';

/** The concatenated deltas of each text, as the page builds them. */
function streamedTo({ heard }: Page): string {
  const events = (heard as readonly HostMessage[]).flatMap((one) => (one.type === 'events' ? one.events : []));
  return events.map(({ msg }) => (msg.type === 'item_delta' ? msg.text : '')).join('');
}

function filesWith(text: string, folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

/** Objects created meanwhile log to `lines`. */
async function withLog<Made>(lines: string[], make: () => Promise<Made>): Promise<Made> {
  const { createOutputChannel } = vscode.window;
  const write = (line: string) => void lines.push(line);
  const channel = { trace: write, debug: write, info: write, warn: write, error: write, show() {}, dispose() {} };
  Object.assign(vscode.window, { createOutputChannel: () => channel });
  try {
    return await make();
  } finally {
    Object.assign(vscode.window, { createOutputChannel });
  }
}

suite('a key in the settings', () => {
  test('reaches its server, and no file, log or panel, whichever source prints it', async () => {
    using folder = tempFolder();
    const home = folder.path;
    const before = process.env.TILLER_HOME;
    process.env.TILLER_HOME = home;
    await using server = await ModelServer.start([
      [says(`Is it ${KEY}?`), calls('exec_command', { cmd: `echo ${KEY} ${NO_SECRET}` })],
      [says('Yes.')],
    ]);
    const headers = { Authorization: `Bearer ${KEY}`, 'x-title': NO_SECRET };
    const settings: Readonly<Record<string, unknown>> = {
      providers: { p: { baseUrl: server.baseUrl, wireApi: 'responses', headers } },
      provider: 'p',
      model: 'm',
      approvalPolicy: 'never',
      'sandbox.mode': 'danger-full-access',
    };
    const configuration = vscode.workspace.getConfiguration('tiller');
    const set = async (key: string, value: unknown) =>
      configuration.update(key, value, vscode.ConfigurationTarget.Global);
    for (const [key, value] of Object.entries(settings)) await set(key, value);
    const page = new Page();
    const logged: string[] = [];
    const tiller = await withLog(logged, () => compose(contextOf()));
    try {
      tiller.view.resolveWebviewView(page.view);
      page.say({ type: 'ready', build: TILLER_VERSION });
      await page.hears('"snapshot"');
      page.say({ type: 'log', level: 'warn', message: `The page has met ${KEY}.` });
      page.say({ type: 'op', op: { type: 'user_turn', input: [{ type: 'text', text: `my key is ${KEY}` }] } });
      await page.hears('"turn_completed"');
      page.say({ type: 'ready', build: TILLER_VERSION });
      await eventually(() => page.heard.filter((one) => JSON.stringify(one).includes('"snapshot"')).length === 2);
    } finally {
      await tiller.dispose();
      for (const key of Object.keys(settings)) await set(key, undefined);
      if (before === undefined) delete process.env.TILLER_HOME;
      else process.env.TILLER_HOME = before;
    }
    assert.equal(server.requests[0]?.headers.authorization, `Bearer ${KEY}`);
    assert.ok(server.requests[0]?.text.includes(`my key is ${KEY}`), 'the model is told what the user says');

    const told = JSON.stringify(page.heard);
    assert.ok(!told.includes(KEY), 'the panel was told');
    for (const words of ['my key is [hidden]', 'Is it [hidden]?', `echo [hidden] ${NO_SECRET}`]) {
      assert.ok(told.includes(words), words);
    }
    assert.ok(!streamedTo(page).includes(KEY), 'the panel was told in pieces');
    assert.ok(streamedTo(page).includes('Is it [hidden]?'), streamedTo(page));
    assert.deepEqual(filesWith(KEY, home), []);
    assert.ok(filesWith(NO_SECRET, home).length > 0, 'the rollout is not where this test looks');
    assert.ok(logged.includes('The page has met [hidden].'), 'the log is not where this test looks');
    assert.ok(!logged.join('\n').includes(KEY), 'it was logged');
  });
});
