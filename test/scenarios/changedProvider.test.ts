/** A thread that goes on with a model of another provider, on every wire. */
import { afterEach, describe, expect, it } from 'vitest';
import { HttpModels } from '../../src/core/model/httpModels.ts';
import type { ProviderConfig } from '../../src/core/model/provider.ts';
import { createNodePorts } from '../../src/node/ports.ts';
import { calls, callsCustom, ModelServer, reasons, says, type ModelScript, type Wire } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const open: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** A second server, and how a thread reaches its models. */
async function second(wire: Wire, script: ModelScript, more: Partial<ProviderConfig> = {}) {
  const server = await ModelServer.start(script, { wire });
  open.push(server);
  const http = new HttpModels(createNodePorts({ roots: [] }), '0');
  const provider = { id: 'other', baseUrl: server.baseUrl, wireApi: wire, auth: 'none', ...more } as const;
  return { server, host: { modelsOf: (id: string) => (id === 'other' ? http.of(provider) : undefined) } };
}

/** Names of models that send reasoning on their wire. */
const MODELS: Readonly<Record<Wire, string>> = { responses: 'gpt-5.5', chat: 'gpt-5.5', messages: 'claude-opus-4-6' };

const OTHER: Readonly<Record<Wire, string>> = { ...MODELS, responses: 'other-model', chat: 'other-model' };

const toOther = { type: 'override_turn_context', provider: 'other', model: 'other-model' } as const;
const toFirst = { type: 'override_turn_context', provider: 'test', model: 'gpt-5.5' } as const;

/** Types, or roles, of what a server was sent after the first user message. */
function kinds(server: ModelServer): readonly string[] {
  const { input } = server.lastRequest;
  const first = input.findIndex((item) => JSON.stringify(item).includes('"go"'));
  return input.slice(first).map(({ type, role }) => String(type === 'message' || type === undefined ? role : type));
}

async function switched(from: Wire, to: Wire): Promise<{ chat: Scenario; other: ModelServer }> {
  const { server: other, host } = await second(to, [
    [reasons('Mine.', { raw: 'thoughts of the other' }), says('I go on.')],
    [says('And on.')],
  ]);
  const chat = await startScenario({
    wire: from,
    modelName: MODELS[from],
    provider: { dialect: 'openai' },
    host,
    model: [
      [
        reasons(['Thinking.'], { encrypted: 'c2VhbA==', raw: 'thoughts of the first' }),
        from === 'responses'
          ? callsCustom('apply_patch', '*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch')
          : calls('apply_patch', { input: '*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch' }),
      ],
      [says('Done.')],
      [says('Back again.')],
    ],
  });
  await chat.send('go');
  chat.submit({ ...toOther, model: OTHER[to] });
  await chat.send('go on');
  return { chat, other };
}

const WIRES: readonly Wire[] = ['responses', 'chat', 'messages'];
const KINDS: Readonly<Record<Wire, readonly string[]>> = {
  responses: ['user', 'function_call', 'function_call_output', 'assistant', 'user'],
  chat: ['user', 'assistant', 'tool', 'assistant', 'user'],
  messages: ['user', 'assistant', 'user', 'assistant', 'user'],
};

describe.each(WIRES.flatMap((from) => WIRES.map((to) => ({ from, to }))))('from $from to $to', ({ from, to }) => {
  it('sends messages, calls and outputs, and no reasoning of the other provider', async () => {
    const { chat, other } = await switched(from, to);
    await using _chat = chat;
    expect(chat.items('agent_message').map(({ text }) => text)).toEqual(['Done.', 'I go on.']);
    const { text, body } = other.lastRequest;
    expect(body['model']).toBe(OTHER[to]);
    expect(text).not.toContain('thoughts of the first');
    expect(text).not.toContain('c2VhbA==');
    expect(kinds(other)).toEqual(KINDS[to]);
    await chat.send('further');
    expect(other.lastRequest.text).toContain('thoughts of the other');
  });

  it('goes back, and finds its own reasoning again', async () => {
    const { chat } = await switched(from, to);
    await using _chat = chat;
    chat.submit({ ...toFirst, model: MODELS[from] });
    await chat.send('and back');
    const { text, body } = chat.server.lastRequest;
    expect(body['model']).toBe(MODELS[from]);
    expect(text).toContain('thoughts of the first');
    expect(text).not.toContain('thoughts of the other');
    expect(text).toContain('I go on.');
    const settings = chat.said('turn_started').map(({ settings: { provider, model } }) => [provider, model]);
    expect(settings).toEqual([
      [undefined, MODELS[from]],
      ['other', OTHER[to]],
      [undefined, MODELS[from]],
    ]);
  });
});

it('a resumed thread keeps the provider that it has changed to', async () => {
  const { host, server } = await second('chat', [[says('I go on.')], [says('Still me.')]]);
  await using chat = await startScenario({ modelName: 'gpt-5.5', host, model: [[says('Hello.')]] });
  await chat.send('go');
  chat.submit(toOther);
  await chat.send('go on');
  await chat.session.dispose();
  await using again = await startScenario({ modelName: 'gpt-5.5', host, resume: chat, model: [] });
  await again.send('who are you?');
  expect(server.requests).toHaveLength(2);
  expect(again.items('agent_message').map(({ text }) => text)).toEqual(['Still me.']);
});

it('a resumed thread whose provider is gone goes on with the one of the settings', async () => {
  const { host } = await second('chat', [[reasons('Hm.', { raw: 'gone thoughts' }), says('I go on.')]]);
  await using chat = await startScenario({ modelName: 'gpt-5.5', host, model: [[says('Hello.')]] });
  await chat.send('go');
  chat.submit(toOther);
  await chat.send('go on');
  await chat.session.dispose();
  await using again = await startScenario({ modelName: 'gpt-5.5', resume: chat, model: [[says('I take over.')]] });
  await again.send('who are you?');
  expect(again.items('agent_message').map(({ text }) => text)).toEqual(['I take over.']);
  expect(again.server.lastRequest.text).not.toContain('gone thoughts');
});

it('a provider that the settings do not have fails the turn with the way out, and another choice helps', async () => {
  await using chat = await startScenario({ modelName: 'gpt-5.5', model: [[says('Here.')]] });
  chat.submit({ type: 'override_turn_context', provider: 'nowhere', model: 'm' });
  await chat.send('go');
  expect(chat.said('error')).toMatchObject([
    { kind: 'config', message: 'The settings have no provider “nowhere”.', action: 'select_model' },
  ]);
  chat.submit(toFirst);
  expect(await chat.send('go')).toMatchObject({ type: 'turn_completed', lastMessage: 'Here.' });
});

it('a server cannot name the origin of an item', async () => {
  const stolen = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'c2VhbA==', origin: 'other' };
  await using chat = await startScenario({
    modelName: 'gpt-5.5',
    provider: { dialect: 'openai' },
    model: [
      [
        {
          type: 'raw',
          text: `data: ${JSON.stringify({ type: 'response.output_item.done', output_index: 0, item: stolen })}\n\n`,
        },
        says('Hello.'),
      ],
      [says('Again.')],
    ],
  });
  await chat.send('go');
  await chat.send('go on');
  expect(chat.server.lastRequest.text).toContain('c2VhbA==');
});
