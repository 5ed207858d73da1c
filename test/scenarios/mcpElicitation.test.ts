/** Requests of MCP servers to the user and to Tiller during a call. */
import { describe, expect, test } from 'vitest';
import { mcpScenario, modern, scripted } from '../support/mcpServers.ts';
import { calls, says } from '../support/modelServer.ts';
import { noSandbox } from '../support/sandboxed.ts';

const LONG = 60_000;

describe('a server that asks the user', { timeout: LONG }, () => {
  const legacy = { notes: scripted() };
  const filled = { name: 'Ann' };

  test.skipIf(noSandbox)('gets what the user enters, with the request of 2025', async () => {
    await using made = await mcpScenario(legacy, { model: [[calls('mcp__notes__ask')], [says('Done.')]] });
    const { chat } = made;
    const ended = chat.send('go');
    const { request } = await chat.next('question_requested');
    expect(request).toMatchObject({ source: 'mcp', server: 'notes', message: 'Who are you?' });
    chat.submit({ type: 'elicitation_answer', questionId: request.questionId, action: 'accept', content: filled });
    await ended;
    expect(JSON.parse(chat.outputs()[0] ?? '')).toEqual({ action: 'accept', content: filled });
  });

  test.skipIf(noSandbox)('gets what the user enters, with the retry of 2026 and its state untouched', async () => {
    await using made = await mcpScenario(
      { notes: modern({ protocol: 'auto' }) },
      { model: [[calls('mcp__notes__greet')], [says('Done.')]] },
    );
    const { chat } = made;
    const ended = chat.send('go');
    const { request } = await chat.next('question_requested');
    chat.submit({ type: 'elicitation_answer', questionId: request.questionId, action: 'accept', content: filled });
    await ended;
    expect(chat.outputs()[0]).toBe(`${JSON.stringify({ action: 'accept', content: filled })} state-1`);
  });

  test.skipIf(noSandbox).each(['decline', 'cancel'] as const)('gets the answer %s', async (action) => {
    await using made = await mcpScenario(legacy, { model: [[calls('mcp__notes__ask')], [says('Done.')]] });
    const { chat } = made;
    const ended = chat.send('go');
    const { request } = await chat.next('question_requested');
    chat.submit({ type: 'elicitation_answer', questionId: request.questionId, action });
    await ended;
    expect(JSON.parse(chat.outputs()[0] ?? '')).toEqual({ action });
  });

  test.skipIf(noSandbox).each([
    ['without a user', { interactive: false }],
    ['under the policy never', { policy: 'never' }],
  ] as const)('is declined %s', async (_when, options) => {
    await using made = await mcpScenario(legacy, { ...options, model: [[calls('mcp__notes__ask')], [says('Done.')]] });
    await made.chat.send('go');
    expect(JSON.parse(made.chat.outputs()[0] ?? '')).toEqual({ action: 'decline' });
  });

  test.skipIf(noSandbox)('with an address shows it', async () => {
    await using made = await mcpScenario(legacy, { model: [[calls('mcp__notes__ask_url')], [says('Done.')]] });
    const { chat } = made;
    const ended = chat.send('go');
    const { request } = await chat.next('question_requested');
    expect(request).toMatchObject({ message: 'Sign in', url: 'https://example.test/sign-in' });
    chat.submit({ type: 'elicitation_answer', questionId: request.questionId, action: 'accept' });
    await ended;
    expect(JSON.parse(chat.outputs()[0] ?? '')).toMatchObject({ action: 'accept' });
  });

  test.skipIf(noSandbox)(
    'to open a page before a call is called again as often as the user has opened it',
    async () => {
      await using made = await mcpScenario(legacy, { model: [[calls('mcp__notes__sign_in')], [says('Done.')]] });
      const { chat } = made;
      const ended = chat.send('go');
      for (let time = 1; time <= 2; time++) {
        const { request } = await chat.next('question_requested');
        expect(request).toMatchObject({ message: 'Sign in first', url: 'https://example.test/first' });
        chat.submit({ type: 'elicitation_answer', questionId: request.questionId, action: 'accept' });
      }
      await ended;
      expect(chat.outputs()).toEqual(['signed in']);
    },
  );

  test.skipIf(noSandbox)('to open a page before a call, and is declined, fails the call', async () => {
    await using made = await mcpScenario(legacy, { model: [[calls('mcp__notes__sign_in')], [says('Done.')]] });
    const { chat } = made;
    const ended = chat.send('go');
    const { request } = await chat.next('question_requested');
    chat.submit({ type: 'elicitation_answer', questionId: request.questionId, action: 'decline' });
    await ended;
    expect(chat.outputs()).toEqual(['tool call error: The user did not open the page that it needs.']);
  });

  test.skipIf(noSandbox)('for the open folders gets them', async () => {
    await using made = await mcpScenario(legacy, { model: [[calls('mcp__notes__roots')], [says('Done.')]] });
    await made.chat.send('go');
    const { roots } = JSON.parse(made.chat.outputs()[0] ?? '{}');
    expect(roots).toMatchObject([{ uri: `file://${made.chat.folder.path}` }]);
  });
});
