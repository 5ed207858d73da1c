/** A thread that is longer than the model's window goes on from a summary (issue 16, point 1). */
import { describe, expect, it } from 'vitest';
import {
  calls,
  fails,
  type ModelRequest,
  prefixBreaches,
  says,
  type Step,
  usage,
  type Wire,
} from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const WIRES: readonly Wire[] = ['responses', 'chat'];

/** A window of so many tokens for the model of the scenario. */
function windowOf(contextWindow: number) {
  return { provider: { models: { 'test-model': { contextWindow } } } };
}

function requestOf({ server }: Scenario, index: number): ModelRequest {
  const request = server.requests.at(index);
  if (!request) throw new Error(`${server.requests.length} requests have arrived`);
  return request;
}

/** The texts of a request, element by element, as `role: text`. */
function textsOf({ input }: ModelRequest): string[] {
  return input
    .map((item) => {
      const content = item['content'] ?? item['output'] ?? '';
      const parts = Array.isArray(content) ? content : [{ text: content }];
      const text = parts.map((part: { text?: string }) => part.text ?? '').join('');
      return `${String(item['role'] ?? item['type'])}: ${text}`;
    })
    .filter((text) => !text.startsWith('system: '));
}

function asksForSummary(request: ModelRequest): boolean {
  return textsOf(request).at(-1)?.startsWith('user: <summary_request>') ?? false;
}

/** What stands in the history of the model but for the context that every thread begins with. */
function talkOf(request: ModelRequest): string[] {
  return textsOf(request).filter(
    (text) => !/^(?:developer|system): |^user: <environment_context>|^user: # AGENTS/.test(text),
  );
}

const SUMMARY = /^user: <thread_summary>\n[^\n]+\n\n(.*)\n<\/thread_summary>$/s;

async function compacted(chat: Scenario): Promise<void> {
  const ended = chat.turnEnds();
  chat.submit({ type: 'compact' });
  await ended;
}

describe.each(WIRES)('compacting by hand on %s', (wire) => {
  it('replaces all but the context and the user’s messages with a summary', async () => {
    await using chat = await startScenario({
      wire,
      sandbox: 'danger-full-access',
      files: { 'AGENTS.md': 'Use tabs.' },
      model: [
        [calls('exec_command', { cmd: 'echo out' })],
        [says('It said out.')],
        [says('The user said one.')],
        [says('Two.')],
        [says('Three.')],
      ],
    });
    await chat.send('one');
    await compacted(chat);
    await chat.send('two');
    await chat.send('three');

    const [first, second, asked, after, last] = [0, 1, 2, 3, 4].map((index) => requestOf(chat, index)) as [
      ModelRequest,
      ModelRequest,
      ModelRequest,
      ModelRequest,
      ModelRequest,
    ];
    expect(asksForSummary(asked)).toBe(true);
    expect(asked.toolNames).toEqual([]);
    expect(prefixBreaches({ ...first, tools: undefined }, { ...asked, tools: undefined })).toEqual([]);
    const context = textsOf(first).slice(0, -1);
    expect(context.some((text) => text.includes('Use tabs.'))).toBe(true);
    expect(textsOf(after)).toEqual([...context, 'user: one', expect.stringMatching(SUMMARY), 'user: two']);
    expect(SUMMARY.exec(textsOf(after).at(-2) ?? '')?.[1]).toBe('The user said one.');
    expect(after.toolNames).toEqual(first.toolNames);
    // The first request after it breaks the prefix, the next one does not.
    expect(prefixBreaches(second, after)).not.toEqual([]);
    expect(prefixBreaches(after, last)).toEqual([]);

    const [item] = chat.items('compaction');
    expect(item).toMatchObject({ status: 'completed', trigger: 'manual', summary: 'The user said one.' });
    expect(chat.said('token_count').at(2)).toMatchObject({ estimated: true, last: { input: item?.afterTokens } });
    // The transcript keeps everything.
    expect(chat.state.turns.flatMap(({ items }) => items.map(({ type }) => type))).toEqual([
      'user_message',
      'command_execution',
      'agent_message',
      'compaction',
      'user_message',
      'agent_message',
      'user_message',
      'agent_message',
    ]);
  });

  it('can be undone, and the next request has the full history again', async () => {
    await using chat = await startScenario({
      wire,
      model: [[says('One.')], [says('A summary.')], [says('Two.')], [says('Three.')]],
    });
    await chat.send('one');
    await compacted(chat);
    await chat.send('two');
    const [item] = chat.items('compaction');
    chat.submit({ type: 'undo_compaction', itemId: item?.id ?? '' });
    await chat.next('compaction_undone');
    await chat.send('three');
    expect(talkOf(chat.server.lastRequest)).toEqual([
      'user: one',
      'assistant: One.',
      'user: two',
      'assistant: Two.',
      'user: three',
    ]);
    expect(chat.state.turns[1]?.items).toMatchObject([{ type: 'compaction', status: 'completed', undone: true }]);
    expect(prefixBreaches(requestOf(chat, 0), chat.server.lastRequest)).toEqual([]);
  });

  it('leaves the history as it was when it fails, and says so', async () => {
    await using chat = await startScenario({
      wire,
      model: [[says('One.')], [fails(400, { message: 'not today' })], [says('Two.')]],
    });
    await chat.send('one');
    const ended = chat.turnEnds();
    chat.submit({ type: 'compact' });
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'failed' });
    expect(chat.said('error')).toMatchObject([
      {
        kind: 'invalid_request',
        message: expect.stringContaining('could not be compacted'),
        detail: expect.stringContaining('not today'),
      },
    ]);
    expect(chat.items('compaction')).toMatchObject([{ status: 'failed', summary: '', why: expect.any(String) }]);
    await chat.send('two');
    expect(talkOf(chat.server.lastRequest)).toEqual(['user: one', 'assistant: One.', 'user: two']);
  });
});

/** Goes on with the work, or sums up: the words of a model whose summaries keep the code word. */
function remembering(answer: (request: ModelRequest, index: number) => readonly Step[]) {
  return (request: ModelRequest, index: number): readonly Step[] => {
    if (!asksForSummary(request)) return answer(request, index);
    const facts =
      textsOf(request)
        .join('\n')
        .match(/code word is \w+/g) ?? [];
    return [says([...new Set(facts)].join('. ') || 'Nothing to remember.')];
  };
}

const full = usage({ input: 90_000, output: 10 });

describe.each(WIRES)('compacting by itself on %s', (wire) => {
  it('comes before a turn, when the last request has filled 90 % of the effective window', async () => {
    await using chat = await startScenario({
      wire,
      ...windowOf(100_000),
      model: [
        [says('One.'), usage({ input: 85_000, output: 0 })],
        [says('Two.'), usage({ input: 85_500, output: 0 })],
        [says('A summary.')],
        [says('Three.')],
      ],
    });
    await chat.send('one');
    await chat.send('two');
    await chat.send('three');
    expect(chat.server.requests.map(asksForSummary)).toEqual([false, false, true, false]);
    // The message that began the turn is no part of what is summed up.
    expect(textsOf(requestOf(chat, 2))).not.toContain('user: three');
    expect(talkOf(chat.server.lastRequest)).toEqual([
      'user: one',
      'user: two',
      expect.stringMatching(SUMMARY),
      'user: three',
    ]);
    expect(chat.items('compaction')).toMatchObject([{ trigger: 'limit', beforeTokens: 85_500, status: 'completed' }]);
    expect(chat.state.turns.at(-1)?.items.map(({ type }) => type)).toEqual([
      'user_message',
      'compaction',
      'agent_message',
    ]);
    expect(chat.said('token_count')[0]).toMatchObject({ contextWindow: 100_000, compactsAt: 85_500 });
  });

  it('comes between rounds, and the work goes on from the summary', async () => {
    await using chat = await startScenario({
      wire,
      sandbox: 'danger-full-access',
      ...windowOf(100_000),
      model: [
        [calls('exec_command', { cmd: 'echo first' }), usage({ input: 85_485, output: 10 })],
        [says('Ran echo first.')],
        [calls('exec_command', { cmd: 'echo second' })],
        [says('Done.')],
      ],
    });
    expect(await chat.send('go')).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    // The output of the call has brought it over the limit.
    expect(chat.items('compaction')).toMatchObject([{ trigger: 'limit', status: 'completed' }]);
    expect(chat.items('compaction')[0]?.beforeTokens).toBeGreaterThan(85_500);
    expect(talkOf(requestOf(chat, 2))).toEqual(['user: go', expect.stringMatching(SUMMARY)]);
    expect(chat.outputs()).toHaveLength(1);
  });

  it('comes when the server finds a request too long, and the turn goes on by itself', async () => {
    await using chat = await startScenario({
      wire,
      model: [
        [says('One.')],
        [fails(400, { code: 'context_length_exceeded', message: 'too long' })],
        [says('A summary.')],
        [says('Two.')],
      ],
    });
    await chat.send('one');
    expect(await chat.send('two')).toEqual({ type: 'turn_completed', lastMessage: 'Two.' });
    expect(chat.said('error')).toEqual([]);
    expect(chat.items('compaction')).toMatchObject([{ trigger: 'context_exceeded', status: 'completed' }]);
    expect(talkOf(chat.server.lastRequest)).toEqual(['user: one', 'user: two', expect.stringMatching(SUMMARY)]);
  });

  it('comes once for a request: what is still too long fails the turn', async () => {
    const tooLong = fails(400, { code: 'context_length_exceeded', message: 'too long' });
    await using chat = await startScenario({
      wire,
      ...windowOf(100_000),
      model: [[tooLong], [says('A summary.')], [tooLong], [says('Another.')], [says('At last.')]],
    });
    expect(await chat.send('one')).toEqual({ type: 'turn_aborted', reason: 'failed' });
    expect(chat.said('error')).toMatchObject([{ kind: 'context_exceeded', action: 'compact' }]);
    const ended = chat.turnEnds();
    chat.submit({ type: 'compact', continueTurn: true });
    expect(await ended).toEqual({ type: 'turn_completed', lastMessage: 'At last.' });
  });

  it('leaves out the oldest when the history is too long to be summed up, and calls stay with their outputs', async () => {
    const tooLong = fails(400, { code: 'context_length_exceeded', message: 'too long' });
    const work = (word: string): Step[] => [
      calls('exec_command', { cmd: `echo ${word}` }),
      calls('exec_command', { cmd: 'true' }),
    ];
    await using chat = await startScenario({
      wire,
      sandbox: 'danger-full-access',
      userInstructions: 'x'.repeat(200),
      model: [
        work('first'),
        work('second'),
        [says('One.')],
        [tooLong],
        [tooLong],
        [tooLong],
        [says('A summary.')],
        [says('Two.')],
      ],
    });
    await chat.send('one');
    await compacted(chat);
    const asked = chat.server.requests.filter(asksForSummary);
    expect(asked).toHaveLength(4);
    const lengths = asked.map(({ text }) => text.length);
    expect(lengths).toEqual(lengths.toSorted((left, right) => right - left));
    expect(new Set(lengths).size).toBe(4);
    expect(textsOf(requestOf(chat, -1)).at(-2)).toBe('assistant: One.');
    await chat.send('two');
    expect(talkOf(chat.server.lastRequest)).toEqual(['user: one', expect.stringMatching(SUMMARY), 'user: two']);
  });

  it('goes on with the whole history when it fails, and tries no more in that turn', async () => {
    await using chat = await startScenario({
      wire,
      sandbox: 'danger-full-access',
      ...windowOf(100_000),
      model: [
        [says('One.'), full],
        [fails(400, { message: 'not today' })],
        [calls('exec_command', { cmd: 'true' }), full],
        [says('Two.'), full],
        [says('A summary.')],
        [says('Three.')],
      ],
    });
    await chat.send('one');
    expect(await chat.send('two')).toMatchObject({ type: 'turn_completed', lastMessage: 'Two.' });
    expect(chat.said('warning').map(({ message }) => message)).toEqual([
      expect.stringContaining('could not be compacted'),
    ]);
    expect(talkOf(requestOf(chat, 2))).toEqual(['user: one', 'assistant: One.', 'user: two']);
    await chat.send('three');
    expect(chat.server.requests.map(asksForSummary)).toEqual([false, true, false, false, true, false]);
  });

  it('works ten times over in a window of 8,000 tokens, and the model still knows what its first turn said', async () => {
    await using chat = await startScenario({
      wire,
      ...windowOf(8000),
      model: remembering((request, index) => {
        const asked = textsOf(request).at(-1) ?? '';
        const input = Math.ceil(request.text.length / 4);
        if (asked.includes('What is the code word?')) {
          const known = /code word is (\w+)/.exec(textsOf(request).join('\n'))?.[1];
          return [says(known ?? 'I do not know.'), usage({ input, output: 10 })];
        }
        const word = index === 0 ? 'The code word is heron. ' : '';
        return [says(`${word}${'All is well with it. '.repeat(400)}`), usage({ input, output: 2000 })];
      }),
    });
    for (let turn = 1; chat.items('compaction').length < 10 && turn < 60; turn++) await chat.send(`Look at ${turn}.`);
    const compactions = chat.items('compaction');
    expect(compactions).toHaveLength(10);
    for (const { beforeTokens, afterTokens } of compactions) {
      expect(beforeTokens).toBeGreaterThanOrEqual(6840);
      expect(afterTokens).toBeLessThan(6840);
    }
    expect(await chat.send('What is the code word?')).toEqual({ type: 'turn_completed', lastMessage: 'heron' });
    const summaries = talkOf(chat.server.lastRequest).filter((text) => SUMMARY.test(text));
    expect(summaries).toHaveLength(1);
    for (const request of chat.server.requests) expect(request.text.length / 4).toBeLessThan(8000);
  });
});
