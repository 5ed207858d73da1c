/**
 * Models of an extension of its own (test/fixtures/modelProvider), as those of GitHub Copilot are: the whole extension
 * asks them through VS Code.
 */
import assert from 'node:assert/strict';
import { setup, suite, suiteSetup, suiteTeardown, teardown, test } from 'mocha';
import * as vscode from 'vscode';
import { compose } from '../../src/extension/compose.ts';
import type { Tiller } from '../../src/extension/createTiller.ts';
import type { Event } from '../../src/protocol/event.ts';
import type { HostMessage } from '../../src/protocol/wire.ts';
import type { TempFolder } from '../support/tempFolder.ts';
import { contextOf, eventually, Page } from './support/page.ts';
import { configure, ownHome } from './support/ownHome.ts';

declare const TILLER_VERSION: string;

interface Seen {
  readonly requests: readonly {
    readonly id: string;
    readonly tools: readonly string[];
    readonly messages: readonly { readonly role: string; readonly parts: readonly string[]; readonly text: string }[];
  }[];
  readonly cancelled: readonly string[];
}

const seen = () => vscode.commands.executeCommand<Seen>('model-provider.seen').then((value) => value);

suite('models of an extension of its own', () => {
  let home: TempFolder;
  let tiller: Tiller | undefined;
  let page: Page;

  const msgs = (): readonly Event['msg'][] =>
    (page.heard as readonly HostMessage[])
      .flatMap((one) => (one.type === 'events' ? one.events : []))
      .map(({ msg }) => msg);
  const ended = (): boolean => msgs().some(({ type }) => type === 'turn_completed' || type === 'turn_aborted');
  const said = (): string =>
    msgs()
      .flatMap((msg) => (msg.type === 'item_delta' ? [msg.text] : []))
      .join('');
  const errors = () => msgs().flatMap((msg) => (msg.type === 'error' ? [msg] : []));

  suiteSetup(async () => {
    assert.ok(
      vscode.extensions.getExtension('tiller-dev.model-provider'),
      'the extension of the test is not installed',
    );
    // Activates it; VS Code does so by itself when models are listed.
    await seen();
  });
  setup(() => {
    home = ownHome();
  });
  teardown(async () => {
    await tiller?.dispose();
    tiller = undefined;
    await configure({ provider: undefined, model: undefined, 'retry.maxAttempts': undefined });
    home[Symbol.dispose]();
  });
  suiteTeardown(() => configure({ provider: undefined, model: undefined }));

  /** A window with this model, to which the user sends a message. */
  async function ask(model: string): Promise<void> {
    await configure({ provider: 'vscode', model: `fixture-${model}`, 'retry.maxAttempts': 1 });
    tiller = await compose(contextOf());
    page = new Page();
    tiller.view.resolveWebviewView(page.view);
    page.say({ type: 'ready', build: TILLER_VERSION });
    await page.hears('"snapshot"');
    page.say({ type: 'op', op: { type: 'user_turn', input: [{ type: 'text', text: 'Plan something.' }] } });
  }

  test('work a whole turn: text in pieces, a tool with its output, and the count of tokens', async () => {
    const past = (await seen()).requests.length;
    await ask('works');
    await eventually(ended);
    assert.deepEqual(errors(), []);
    assert.match(said(), /I make a plan\.[^]*Done by the fixture\./);
    assert.ok(msgs().some((msg) => msg.type === 'token_count' && msg.last.output === 'Done by the fixture.'.length));
    const [first, second] = (await seen()).requests.slice(past);
    assert.ok(first && first.tools.includes('update_plan') && first.tools.includes('apply_patch'));
    assert.deepEqual(new Set(first.messages.map(({ role }) => role)), new Set(['user']));
    assert.equal(first.messages.at(-1)?.text, 'Plan something.');
    assert.deepEqual(
      second?.messages.slice(-2).map(({ role, parts }) => [role, parts]),
      [
        ['assistant', ['text', 'call']],
        ['user', ['result']],
      ],
    );
  });

  test('that fail in mid-stream keep what they said, and the turn ends with their words', async () => {
    await ask('fails');
    await eventually(() => said().includes('Half a'));
    await vscode.commands.executeCommand('model-provider.goOn');
    await eventually(ended);
    const [error] = errors();
    assert.equal(error?.kind, 'bad_response');
    assert.match(error.detail ?? '', /The service went away\./);
  });

  for (const model of ['quota', 'blocked']) {
    test(`whose requests are refused for their number (${model}) are asked once and say so`, async () => {
      const past = (await seen()).requests.length;
      await ask(model);
      await eventually(ended);
      const [error] = errors();
      assert.deepEqual([error?.kind, error?.action], ['quota', 'select_model']);
      assert.match(error?.detail ?? '', /300 of 300|too many requests/);
      assert.equal((await seen()).requests.length, past + 1);
    });
  }

  test('are cancelled when the user interrupts', async () => {
    await ask('hangs');
    await eventually(() => said().includes('Endless'));
    page.say({ type: 'op', op: { type: 'interrupt' } });
    await eventually(ended);
    let cancelled: readonly string[] = [];
    const look = async () => void ({ cancelled } = await seen());
    await eventually(() => {
      void look();
      return cancelled.includes('hangs');
    });
  });

  test('that answer with nothing are reported as such', async () => {
    await ask('silent');
    await eventually(ended);
    assert.ok(msgs().some((msg) => msg.type === 'warning' && /returned an empty response/.test(msg.message)));
  });

  test('that the user does not allow get no message, and the turn names the way out', async () => {
    // VS Code asks for consent in a modal dialog, and refuses those in tests: the same as “Cancel”.
    const past = (await seen()).requests.length;
    await ask('guarded');
    await eventually(ended);
    assert.deepEqual(
      errors().map(({ kind, action, message }) => [kind, action, message]),
      [
        [
          'auth',
          'select_model',
          'Tiller was not allowed to use this model. Send a message to be asked again, or choose another model.',
        ],
      ],
    );
    assert.match(errors()[0]?.detail ?? '', /cannot be used by/);
    assert.equal((await seen()).requests.length, past);
  });
});
