/** One question to the model outside of threads, such as for a commit message. */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commitMessageIn, commitRequest } from '../../src/core/prompt/commitMessage.ts';
import { fails, hangs, says, usage } from '../support/modelServer.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';

const QUESTION = { instructions: 'Be brief.', text: 'What is 1 + 1?' };
const { signal } = new AbortController();

async function asking(options: ScenarioOptions, count = 1) {
  await using chat = await startScenario(options);
  const answers: string[] = [];
  for (let index = 0; index < count; index++) {
    const asked = chat.service.ask(QUESTION, ...chat.thread, signal);
    answers.push(await asked.catch((error: Error) => error.message));
  }
  return { answers, requests: chat.server.requests, hasThread: existsSync(chat.home.at('threads')) };
}

/** The same models; `onText` is called with each text of an answer. */
function modelsThatSay([settings, host]: Scenario['thread'], onText: () => void): Scenario['thread'] {
  const connect: typeof host.models.connect = (...given) => {
    const connected = host.models.connect(...given);
    const { client } = connected;
    const stream: typeof client.stream = async function* (prompt, stop) {
      for await (const event of client.stream(prompt, stop)) {
        yield event;
        if (event.type === 'text_delta') onText();
      }
    };
    return { ...connected, client: { stream } };
  };
  return [settings, { ...host, models: { ...host.models, connect } }];
}

describe('a question outside of threads', () => {
  it('is one request without tools and history, and leaves no thread', async () => {
    const { answers, requests, hasThread } = await asking({ model: [[says('Two.')]] });
    expect(answers).toEqual(['Two.']);
    expect(requests.map(({ toolNames }) => toolNames)).toEqual([[]]);
    expect(requests[0]?.body['instructions']).toBe('Be brief.');
    expect(requests[0]?.input).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'What is 1 + 1?' }] },
    ]);
    expect(hasThread).toBe(false);
  });

  it('works on the other wire', async () => {
    expect((await asking({ model: [[says('Two.')]], wire: 'chat' })).answers).toEqual(['Two.']);
  });

  it('fails with a sentence', async () => {
    expect((await asking({ model: [[fails(401)]] })).answers).toEqual([expect.stringMatching(/.+/)]);
  });

  it('counts for the cap of the day, and is not asked when it is reached', async () => {
    const counts = { total: 900, input: 800, output: 100 };
    const { answers, requests } = await asking(
      { model: [[says('Two.'), usage(counts)]], caps: { day: { tokens: 800, cost: null } } },
      2,
    );
    expect(answers).toEqual(['Two.', expect.stringContaining('the cap is 800')]);
    expect(requests).toHaveLength(1);
  });

  it('counts for the cap of the day by an estimate when it is cancelled while the model answers', async () => {
    await using chat = await startScenario({
      model: [[says('Two.'), hangs()]],
      caps: { day: { tokens: 5, cost: null } },
    });
    const abort = new AbortController();
    const asked = chat.service.ask(
      QUESTION,
      ...modelsThatSay(chat.thread, () => abort.abort(new Error('Cancelled.'))),
      abort.signal,
    );
    await expect(asked).rejects.toThrow('Cancelled.');
    await expect(chat.service.ask(QUESTION, ...chat.thread, signal)).rejects.toThrow('the cap is 5');
    expect(chat.server.requests).toHaveLength(1);
  });

  it('ends when it is cancelled', async () => {
    await using chat = await startScenario({ model: [[hangs()]] });
    const abort = new AbortController();
    const asked = chat.service.ask(QUESTION, ...chat.thread, abort.signal);
    await chat.server.received(1);
    abort.abort(new Error('Cancelled.'));
    await expect(asked).rejects.toThrow('Cancelled.');
  });
});

describe('a commit message', () => {
  it('is requested with the recent ones and what the user has begun', () => {
    expect(commitRequest({ changes: 'diff', recent: ['a: b', 'c: d'], begun: ' fix ' })).toBe(
      'Recent messages:\na: b\nc: d\n\nThe user has begun the message; keep what it says:\nfix\n\nChanges:\ndiff',
    );
    expect(commitRequest({ changes: 'diff', recent: [], begun: '' })).toBe('Changes:\ndiff');
  });

  it.each([
    ['Fix it\n\nBecause.\n', 'Fix it\n\nBecause.'],
    ['```\nFix it\n```', 'Fix it'],
    ['```text\nFix it\n\nBecause.\n```\n', 'Fix it\n\nBecause.'],
    ['Add ``` to the list', 'Add ``` to the list'],
    ['  ', ''],
  ])('is taken from %j', (answer, message) => {
    expect(commitMessageIn(answer)).toBe(message);
  });
});
