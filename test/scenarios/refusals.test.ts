/** A server that rejects a field of a request: the field is left out, with one warning, and remembered for the provider (design decision 2). */
import { describe, expect, it } from 'vitest';
import { calls, callsLocalShell, fails, says, type Step } from '../support/modelServer.ts';
import { startScenario } from '../support/startScenario.ts';

const OPENAI = { id: 'acme', dialect: 'openai' } as const;
const refuse = (message: string, param: string): readonly Step[] => [fails(400, { message, param })];
const noLocalShell = refuse("Invalid value: 'local_shell'. Supported values are: 'function' and 'custom'.", 'tools[0]');

describe('a model with a shell tool of its wire', () => {
  it('uses it where the server supports it', async () => {
    await using chat = await startScenario({
      modelName: 'codex-mini-latest',
      provider: OPENAI,
      sandbox: 'danger-full-access',
      model: [[callsLocalShell(['touch', 'made'])], [says('Done.')]],
    });
    await chat.send('go');
    expect(chat.server.requests[0]?.toolNames).toContain('local_shell');
    expect(chat.said('warning')).toEqual([]);
    expect(chat.files()).toEqual({ made: '' });
  });

  it('gets an equivalent function where the server refuses it, with one warning', async () => {
    await using chat = await startScenario({
      modelName: 'codex-mini-latest',
      provider: OPENAI,
      sandbox: 'danger-full-access',
      model: [
        [callsLocalShell(['touch', 'before'])],
        noLocalShell,
        [calls('shell', { command: ['touch', 'after'] })],
        [says('Done.')],
        [says('Again.')],
      ],
    });
    expect(await chat.send('go')).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    await chat.send('and again');
    expect(chat.files()).toEqual({ after: '', before: '' });
    expect(chat.said('warning').map(({ message }) => message)).toEqual([
      '“acme” has no shell tool of its own; the model is offered Tiller’s from now on.',
    ]);
    expect(chat.server.requests.map(({ toolNames }) => toolNames.filter((name) => /shell/.test(name)))).toEqual([
      ['local_shell'],
      ['local_shell'],
      ['shell'],
      ['shell'],
      ['shell'],
    ]);
    // Earlier calls under the old name are sent under the new one.
    expect(chat.server.lastRequest.input).toContainEqual({
      type: 'function_call',
      call_id: 'call_1',
      name: 'shell',
      arguments: '{"command":["touch","before"]}',
    });
  });
});

describe('a field that the server refused to one thread', () => {
  it('is not sent by the next one', async () => {
    await using chat = await startScenario({
      modelName: 'gpt-5.5',
      provider: OPENAI,
      model: [refuse("Unknown parameter: 'include'.", 'include'), [says('One.')], [says('Two.')]],
    });
    await chat.send('go');
    await using next = await chat.another();
    await next.send('go');
    expect(chat.said('warning')).toHaveLength(1);
    expect(next.said('warning')).toEqual([]);
    expect(chat.server.requests.map(({ body }) => 'include' in body)).toEqual([true, false, false]);
  });
});
