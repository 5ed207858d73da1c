/** Effects of the settings of a provider and of its models on real requests. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { calls, callsLocalShell, fails, reasons, says } from '../support/modelServer.ts';
import { startScenario } from '../support/startScenario.ts';

afterEach(() => vi.unstubAllEnvs());

describe('a provider', () => {
  it('gets headers from the environment, and one warning for each that is missing', async () => {
    vi.stubEnv('TILLER_TEST_ORGANIZATION', 'org-42');
    await using chat = await startScenario({
      provider: {
        headers: { 'X-Title': 'Tiller' },
        envHeaders: { 'OpenAI-Organization': 'TILLER_TEST_ORGANIZATION', 'OpenAI-Project': 'TILLER_TEST_MISSING' },
        queryParams: { 'api-version': 'preview' },
      },
      model: [[says('Hello.')], [says('Again.')]],
    });
    await chat.send('hi');
    await chat.send('and again');
    const { headers, url } = chat.server.lastRequest;
    expect(headers).toMatchObject({ 'openai-organization': 'org-42', 'x-title': 'Tiller' });
    expect(headers).not.toHaveProperty('openai-project');
    expect(url).toContain('api-version=preview');
    expect(chat.said('warning').map(({ message }) => message)).toEqual([
      '“test” gets no header “OpenAI-Project”: the environment variable TILLER_TEST_MISSING is not set.',
    ]);
  });

  it('never shows a header of the environment that the server repeats', async () => {
    vi.stubEnv('TILLER_TEST_SECRET', 'topsecret-12345');
    await using chat = await startScenario({
      provider: { envHeaders: { 'X-Gateway': 'TILLER_TEST_SECRET' } },
      model: [[fails(400, { message: 'No gateway topsecret-12345 here.' })]],
    });
    await chat.send('hi');
    expect(JSON.stringify(chat.events)).toContain('No gateway');
    expect(JSON.stringify(chat.events)).not.toContain('topsecret-12345');
  });

  it('redacts what the server repeats in a refusal, too', async () => {
    await using chat = await startScenario({
      wire: 'chat',
      provider: { headers: { 'X-Api-Key': 'topsecret-12345' } },
      model: [[fails(400, { message: 'the account topsecret-12345 does not support tools' })], [says('Hello.')]],
    });
    await chat.send('hi');
    expect(chat.said('warning').map(({ message }) => message)).toEqual([
      expect.stringMatching(/the account \[hidden\] does not/),
    ]);
    expect(JSON.stringify(chat.events)).not.toContain('topsecret-12345');
  });

  it('may limit the attempts of a request', async () => {
    await using chat = await startScenario({
      provider: { maxAttempts: 1 },
      maxAttempts: 5,
      model: [[fails(500, { message: 'Down.' })]],
    });
    await chat.send('hi');
    expect(chat.server.requests).toHaveLength(1);
    expect(chat.said('error')).toMatchObject([{ kind: 'bad_response' }]);
  });

  it.each([
    [true, true],
    [false, false],
    [undefined, undefined],
  ])('with store %s sends store %s', async (store, sent) => {
    await using chat = await startScenario({ provider: { store }, model: [[says('Hello.')]] });
    await chat.send('hi');
    expect(chat.server.lastRequest.body['store']).toBe(sent);
  });
});

describe('a reasoning effort', () => {
  const effort = { type: 'override_turn_context', effort: 'high' } as const;

  it.each([
    ['plain', 'responses', { reasoning: { effort: 'high' } }],
    ['plain', 'chat', { reasoning_effort: 'high' }],
    ['openai', 'chat', { reasoning_effort: 'high' }],
    ['openrouter', 'chat', { reasoning: { effort: 'high' } }],
    ['openrouter', 'responses', { reasoning: { effort: 'high' } }],
  ] as const)('that the user chooses reaches a %s server on %s', async (dialect, wire, expected) => {
    await using chat = await startScenario({ wire, provider: { dialect }, model: [[says('One.')], [says('Two.')]] });
    await chat.send('hi');
    chat.submit(effort);
    await chat.send('and on');
    const [before, after] = chat.server.requests.map(({ body }) => body);
    for (const field of Object.keys(expected)) expect(before).not.toHaveProperty(field);
    expect(after).toMatchObject(expected);
  });

  it.each(['responses', 'chat'] as const)('that a server on %s refuses is dropped, with one warning', async (wire) => {
    await using chat = await startScenario({
      wire,
      model: [
        [fails(400, { message: '"test-model" does not support thinking' })],
        [says('Without.')],
        [says('Still without.')],
      ],
    });
    chat.submit(effort);
    await chat.send('hi');
    await chat.send('and on');
    const sent = chat.server.requests.map(({ body }) =>
      wire === 'chat' ? body['reasoning_effort'] : (body['reasoning'] as { effort?: string } | undefined)?.effort,
    );
    expect(sent).toEqual(['high', undefined, undefined]);
    expect(chat.said('warning').map(({ message }) => message)).toEqual([
      '“test” does not take this reasoning effort for test-model; none is sent from now on.',
    ]);
  });

  it('is refused for one model and still sent to another', async () => {
    await using chat = await startScenario({
      wire: 'chat',
      model: [[fails(400, { message: '"test-model" does not support thinking' })], [says('No.')], [says('Yes.')]],
    });
    chat.submit(effort);
    await chat.send('hi');
    chat.submit({ type: 'override_turn_context', model: 'other-model' });
    await chat.send('and you');
    expect(chat.server.requests.map(({ body }) => body['reasoning_effort'])).toEqual(['high', undefined, 'high']);
  });

  it('without effect is named once in a thread, also after a resume', async () => {
    const provider = { models: { 'test-model': { reasoning: false as const } } };
    await using chat = await startScenario({ provider, model: [[says('One.')], [says('Two.')]] });
    chat.submit(effort);
    await chat.send('hi');
    await chat.send('and on');
    const told = 'The reasoning effort has no effect: test-model takes none.';
    expect(chat.said('warning').map(({ message }) => message)).toEqual([told]);
    await chat.session.dispose();
    await using again = await startScenario({ provider, resume: chat, model: [[says('Three.')]] });
    await again.send('still there?');
    expect(again.said('warning')).toEqual([]);
  });
});

describe('raw reasoning without a choice of the user', () => {
  it.each(['responses', 'chat'] as const)('is shown on %s where no summary comes with it', async (wire) => {
    await using chat = await startScenario({
      wire,
      showRawReasoning: null,
      model: [[reasons([], { raw: 'step by step' }), says('Done.')]],
    });
    await chat.send('go');
    expect(chat.items('reasoning')).toMatchObject([{ status: 'completed', raw: 'step by step' }]);
  });

  it('is hidden behind a summary', async () => {
    await using chat = await startScenario({
      showRawReasoning: null,
      model: [[reasons('In short.', { raw: 'step by step' }), says('Done.')]],
    });
    await chat.send('go');
    const [item] = chat.items('reasoning');
    expect(item).toMatchObject({ summary: ['In short.'] });
    expect(item).not.toHaveProperty('raw');
  });
});

describe('the rate limits of a server', () => {
  it.each(['responses', 'chat'] as const)('are shown with the count of tokens on %s', async (wire) => {
    const headers = { 'x-ratelimit-limit-requests': '60', 'x-ratelimit-remaining-requests': '59' };
    let hasLimits = true;
    await using chat = await startScenario({
      wire,
      model: [[says('One.')], [says('Two.')]],
      deps: (ports) => ({
        fetch: async (...request) => {
          const { body, status, headers: sent } = await ports.fetch(...request);
          return new Response(body, {
            status,
            headers: { ...Object.fromEntries(sent), ...(hasLimits ? headers : {}) },
          });
        },
      }),
    });
    await chat.send('hi');
    expect(chat.said('token_count').at(-1)?.rateLimits).toEqual({ requests: { limit: 60, remaining: 59 } });
    hasLimits = false;
    await chat.send('and on');
    expect(chat.said('token_count').at(-1)).not.toHaveProperty('rateLimits');
  });
});

describe('the shell tool', () => {
  it.each([
    ['shell', 'responses', ['echo', 'hi'], 'function'],
    ['shell', 'chat', ['echo', 'hi'], 'function'],
    ['shell_command', 'responses', 'echo hi', 'function'],
    ['shell_command', 'chat', 'echo hi', 'function'],
    ['local_shell', 'responses', undefined, 'local_shell'],
  ] as const)('is %s on %s where the settings say so', async (shell, wire, command, type) => {
    await using chat = await startScenario({
      wire,
      policy: 'never',
      sandbox: 'danger-full-access',
      provider: { models: { 'test-model': { shell } } },
      model: [[command ? calls(shell, { command }) : callsLocalShell(['echo', 'hi'])], [says('Done.')]],
    });
    await chat.send('go');
    const tools = (chat.server.requests[0]?.body['tools'] ?? []) as readonly { type: string }[];
    expect(tools.map((tool) => tool.type)).toContain(type);
    expect(chat.server.requests[0]?.toolNames).toContain(shell);
    expect(chat.server.requests[0]?.toolNames).not.toContain('exec_command');
    expect(chat.outputs().join('')).toContain('hi');
  });
});

describe('the tools', () => {
  it('that a model does not take are left out, and the answer of the server is shown', async () => {
    await using chat = await startScenario({
      wire: 'chat',
      model: [
        [fails(400, { error: { message: 'registry.ollama.ai/library/test-model does not support tools' } })],
        [says('I can only talk.')],
      ],
    });
    await chat.send('hi');
    expect(chat.server.lastRequest.body).not.toHaveProperty('tools');
    expect(chat.said('warning').map(({ message }) => message)).toEqual([
      '“test” takes no tools for test-model: it can answer, but neither read, run nor change anything. The server’s answer: HTTP 400: registry.ollama.ai/library/test-model does not support tools',
    ]);
    expect(chat.items('agent_message')).toMatchObject([{ text: 'I can only talk.' }]);
  });
});
