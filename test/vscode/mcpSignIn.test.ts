/** The way back from an authorization server to this window. */
import assert from 'node:assert/strict';
import { setup, suite, teardown, test } from 'mocha';
import * as vscode from 'vscode';
import { SignInHandler } from '../../src/vscode/mcp/signIn.ts';

suite('signing in to MCP servers', () => {
  let handler: SignInHandler;
  setup(() => {
    handler = new SignInHandler('tiller-dev.tiller');
  });
  teardown(() => handler.dispose());

  const comeBack = (query: string) =>
    handler.handleUri(
      vscode.Uri.from({ scheme: vscode.env.uriScheme, authority: 'tiller-dev.tiller', path: '/mcp-auth', query }),
    );

  test('that wait at the same time each get their own answer, and no other', async () => {
    const { signal } = new AbortController();
    const redirect = await handler.redirect();
    const answers: string[] = [];
    const wait = async (state: string) => {
      const answer = await redirect.callback(state, signal);
      answers.push(`${state}: ${answer.get('code')}`);
    };
    const waiting = [wait('one'), wait('two')];
    comeBack('state=none&code=forged');
    comeBack('state=two&code=2');
    await waiting[1];
    assert.deepEqual(answers, ['two: 2']);
    comeBack('state=one&code=1');
    await Promise.all(waiting);
    assert.deepEqual(answers, ['two: 2', 'one: 1']);
  });

  test('come back to an address of this extension in this window', async () => {
    const { url } = await handler.redirect();
    assert.match(url, /mcp-auth/);
    assert.equal(decodeURIComponent(url).includes('tiller-dev.tiller'), true);
  });

  test('end with the wait of the user', async () => {
    const abort = new AbortController();
    const { callback } = await handler.redirect();
    const waiting = callback('one', abort.signal);
    abort.abort(new Error('Cancelled.'));
    await assert.rejects(waiting, /Cancelled\./);
    await assert.rejects(callback('two', abort.signal), /Cancelled\./);
  });

  test('open web pages only', async () => {
    const { open } = await handler.redirect();
    await assert.rejects(open(new URL('file:///etc/passwd')), /file: is no web page\./);
  });
});
