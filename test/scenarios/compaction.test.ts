/** A thread that is longer than the model’s window continues from a summary. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { summaryMessage, summaryRequest } from '../../src/core/prompt/compaction.ts';
import { userText } from '../../src/core/prompt/notices.ts';
import { compactedHistory } from '../../src/core/session/compactedHistory.ts';
import { textOf } from '../../src/protocol/responseItem.ts';
import {
  calls,
  fails,
  hangs,
  incomplete,
  type ModelRequest,
  prefixBreaches,
  says,
  type Step,
  usage,
  waits,
  type Wire,
} from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const WIRES: readonly Wire[] = ['responses', 'chat', 'messages'];

/** The settings of a model whose window has this many tokens. */
function windowOf(contextWindow: number) {
  return { provider: { models: { 'test-model': { contextWindow } } } };
}

function requestOf({ server }: Scenario, index: number): ModelRequest {
  const request = server.requests.at(index);
  if (!request) throw new Error(`${server.requests.length} requests have arrived`);
  return request;
}

/** The texts of a request, element by element (on Messages block by block), as `role: text`. */
function textsOf({ input, wire }: ModelRequest): string[] {
  const items = wire === 'messages' ? input.flatMap(blocksOf) : input;
  return items
    .map((item) => {
      const content = item['content'] ?? item['output'] ?? '';
      const parts = Array.isArray(content) ? content : [{ text: content }];
      const text = parts.map((part: { text?: string }) => part.text ?? '').join('');
      return `${String(item['role'] ?? item['type'])}: ${text}`;
    })
    .filter((text) => !text.startsWith('system: '));
}

/** The blocks of a message as elements of their own. */
function blocksOf({ role, content }: ModelRequest['input'][number]): ModelRequest['input'] {
  return (content as ModelRequest['input']).map((block) =>
    block['type'] === 'text' ? { role, content: [block] } : { type: block['type'], content: block['content'] },
  );
}

function asksForSummary(request: ModelRequest): boolean {
  return textsOf(request).at(-1)?.startsWith('user: <summary_request>') ?? false;
}

/** The history of a request without the context that every thread begins with. */
function talkOf(request: ModelRequest): string[] {
  return textsOf(request).filter(
    (text) => !/^(?:developer|system): |^user: <(?:environment_context|permissions)>|^user: # AGENTS/.test(text),
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
    // The first request after the compaction breaks the cached prefix, the next one does not.
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

  it('leaves the history unchanged when it fails, and reports it', async () => {
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

/** Continues the work, or summarizes: a model whose summaries keep the code word. */
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

describe.each(WIRES)('automatic compaction on %s', (wire) => {
  it('runs before a turn when the last request has filled 90 % of the effective window', async () => {
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
    // The message that began the turn is not summarized.
    expect(textsOf(requestOf(chat, 2))).not.toContain('user: three');
    expect(talkOf(chat.server.lastRequest)).toEqual([
      'user: one',
      'user: two',
      expect.stringMatching(SUMMARY),
      'user: three',
    ]);
    expect(chat.items('compaction')).toMatchObject([{ trigger: 'limit', status: 'completed' }]);
    expect(chat.items('compaction')[0]?.beforeTokens).toBeGreaterThan(85_500);
    expect(chat.state.turns.at(-1)?.items.map(({ type }) => type)).toEqual([
      'user_message',
      'compaction',
      'agent_message',
    ]);
    expect(chat.said('token_count')[0]).toMatchObject({ contextWindow: 100_000, compactsAt: 85_500 });
  });

  it('runs between rounds, and the turn continues from the summary', async () => {
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
    // The output of the call exceeds the limit.
    expect(chat.items('compaction')).toMatchObject([{ trigger: 'limit', status: 'completed' }]);
    expect(chat.items('compaction')[0]?.beforeTokens).toBeGreaterThan(85_500);
    expect(talkOf(requestOf(chat, 2))).toEqual(['user: go', expect.stringMatching(SUMMARY)]);
    expect(chat.outputs()).toHaveLength(1);
  });

  it('runs when the server rejects a request as too long, and the turn continues by itself', async () => {
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

  it('runs once for a request: one that is still too long fails the turn', async () => {
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

  it('offers another model when nothing that could be summed up fits', async () => {
    const tooLong = fails(400, { code: 'context_length_exceeded', message: 'too long' });
    await using chat = await startScenario({ wire, model: () => [tooLong] });
    expect(await chat.send('one')).toEqual({ type: 'turn_aborted', reason: 'failed' });
    expect(chat.said('error')).toMatchObject([
      { kind: 'context_exceeded', action: 'select_model', message: expect.stringContaining('larger context window') },
    ]);
  });

  it('leaves out the oldest rounds when the history is too long for one summary, and keeps calls with their outputs', async () => {
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

  it('cuts what cannot be left out: a message and an output that are each longer than an unknown window', async () => {
    const tooLong = fails(400, { code: 'context_length_exceeded', message: 'too long' });
    await using chat = await startScenario({
      wire,
      sandbox: 'danger-full-access',
      model: (request, index) => {
        if (request.text.length > 30_000) return [tooLong];
        if (asksForSummary(request)) return [says('A summary.')];
        return index === 0 ? [calls('exec_command', { cmd: 'seq 9999' })] : [says('Done.')];
      },
    });
    expect(await chat.send('one')).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    expect(await chat.send(`two ${'x'.repeat(60_000)}`)).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    expect(chat.items('compaction').map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(talkOf(chat.server.lastRequest)[0]).toMatch(/^user: two x+…\d+ tokens truncated…x+$/);
  });

  it('describes calls as text where the server accepts none without tools', async () => {
    const isRefused = ({ input, toolNames }: ModelRequest) =>
      toolNames.length === 0 &&
      input.some((item) => /"(?:tool_calls|function_call|tool_use)"/.test(JSON.stringify(item)));
    await using chat = await startScenario({
      wire,
      sandbox: 'danger-full-access',
      model: (request, index) => {
        if (isRefused(request)) return [fails(400, { message: 'tool calling needs tools' })];
        if (asksForSummary(request)) return [says('A summary.')];
        return index === 0 ? [calls('exec_command', { cmd: 'echo secret' })] : [says('Done.')];
      },
    });
    await chat.send('one');
    await compacted(chat);
    expect(chat.items('compaction')).toMatchObject([{ status: 'completed', summary: 'A summary.' }]);
    const asked = talkOf(requestOf(chat, -1));
    expect(asked[1]).toMatch(/^assistant: \[Call of exec_command: .*echo secret/);
    expect(asked[2]).toMatch(/^user: \[Output of the call: [^]*\nsecret\n/);
    expect(asked).toHaveLength(5);
  });

  it('continues with the whole history when it fails, and does not try again in that turn', async () => {
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

  it('runs ten times in a window of 8,000 tokens, and the summary still has the content of the first turn', async () => {
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

/** A promise with its resolve function. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('during a compaction', () => {
  it('an interrupt leaves the history unchanged, with the message that began the turn', async () => {
    const door = gate();
    await using chat = await startScenario({
      ...windowOf(100_000),
      model: [[says('One.'), full], [waits(door.opened), says('Too late.')], [says('A summary.')], [says('Three.')]],
    });
    await chat.send('one');
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'two' }] });
    await chat.server.received(2);
    chat.submit({ type: 'interrupt' });
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    door.open();
    expect(chat.items('compaction')).toMatchObject([{ status: 'aborted', summary: '' }]);
    await chat.send('three');
    // The next turn requests the summary of the same history again.
    expect(talkOf(requestOf(chat, 2)).slice(0, -1)).toEqual([
      'user: one',
      'assistant: One.',
      'user: two',
      expect.stringContaining('<turn_aborted>'),
    ]);
    expect(talkOf(chat.server.lastRequest)).toEqual([
      'user: one',
      'user: two',
      expect.stringMatching(SUMMARY),
      'user: three',
    ]);
  });

  it('an interrupt of a compaction by hand leaves the history exactly as it was', async () => {
    await using chat = await startScenario({ model: [[says('One.')], [hangs()], [says('Two.')]] });
    await chat.send('one');
    const ended = chat.turnEnds();
    chat.submit({ type: 'compact' });
    await chat.server.received(2);
    chat.submit({ type: 'interrupt' });
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    await chat.send('two');
    expect(talkOf(chat.server.lastRequest)).toEqual(['user: one', 'assistant: One.', 'user: two']);
  });

  it('a message of the user waits for its end: by hand it becomes the next turn, between rounds it joins', async () => {
    const [first, second] = [gate(), gate()];
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      ...windowOf(100_000),
      model: [
        [says('One.')],
        [waits(first.opened), says('A summary.')],
        [calls('exec_command', { cmd: 'true' }), full],
        [waits(second.opened), says('Another summary.')],
        [says('Two and three.')],
      ],
    });
    await chat.send('one');
    chat.submit({ type: 'compact' });
    await chat.server.received(2);
    chat.submit({ type: 'compact' });
    expect(await chat.next('warning')).toMatchObject({ message: expect.stringContaining('A turn is running') });
    chat.submit({ type: 'steer', input: [{ type: 'text', text: 'two' }] });
    await chat.next('input_queued');
    first.open();
    await chat.server.received(4);
    chat.submit({ type: 'steer', input: [{ type: 'text', text: 'three' }] });
    await chat.next('input_queued');
    second.open();
    expect(await chat.turnEnds()).toEqual({ type: 'turn_completed', lastMessage: 'Two and three.' });
    expect(talkOf(chat.server.lastRequest)).toEqual([
      'user: one',
      'user: two',
      expect.stringMatching(SUMMARY),
      'user: three',
    ]);
    expect(chat.state.queuedInputs).toEqual([]);
  });

  it('a withdrawn message does not continue the turn', async () => {
    const door = gate();
    const answering = gate();
    await using chat = await startScenario({
      ...windowOf(100_000),
      model: [[says('One.')], [waits(answering.opened), says('Two.'), full], [waits(door.opened), says('A summary.')]],
    });
    await chat.send('one');
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'two' }] });
    await chat.server.received(2);
    const id = chat.submit({ type: 'steer', input: [{ type: 'text', text: 'three' }] });
    await chat.next('input_queued');
    answering.open();
    await chat.server.received(3);
    chat.submit({ type: 'edit_queued', id, input: null });
    await chat.next('input_dequeued');
    const ended = chat.turnEnds();
    door.open();
    expect(await ended).toEqual({ type: 'turn_completed', lastMessage: 'Two.' });
  });

  it('a response without text, or with a call, leads to a placeholder summary', async () => {
    await using chat = await startScenario({
      model: [[says('One.')], [calls('exec_command', { cmd: 'touch no' })], [says('Two.')]],
    });
    await chat.send('one');
    await compacted(chat);
    await chat.send('two');
    expect(SUMMARY.exec(talkOf(chat.server.lastRequest)[1] ?? '')?.[1]).toBe('(no summary available)');
    expect(chat.files()).toEqual({});
  });

  it('a summary that the server cuts for its length fails the compaction, and is not requested again', async () => {
    await using chat = await startScenario({
      wire: 'chat',
      model: [[says('One.')], [says('A summ'), incomplete('max_output_tokens')]],
    });
    await chat.send('one');
    await compacted(chat);
    expect(chat.items('compaction')).toMatchObject([{ status: 'failed' }]);
    expect(chat.server.requests).toHaveLength(2);
  });

  it('a transient error is retried', async () => {
    await using chat = await startScenario({
      deps: ({ clock }) => ({ clock: { ...clock, sleep: (ms, signal) => clock.sleep(ms / 100, signal) } }),
      model: [[says('One.')], [fails(503)], [says('A summary.')], [says('Two.')]],
    });
    await chat.send('one');
    await compacted(chat);
    expect(chat.said('stream_error')).toMatchObject([{ kind: 'overloaded', attempt: 1 }]);
    expect(chat.items('compaction')).toMatchObject([{ status: 'completed', summary: 'A summary.' }]);
    await chat.send('two');
  });
});

describe('what a compaction keeps', () => {
  it('of the user is the newest 20,000 tokens, with the message that does not fit cut in its middle', async () => {
    const long = (word: string) => `${word} ${'x'.repeat(60_000)} ${word}`;
    await using chat = await startScenario({
      model: [[says('1')], [says('2')], [says('3')], [says('A summary.')], [says('4')]],
    });
    await chat.send(long('oldest'));
    await chat.send(long('middle'));
    await chat.send(long('newest'));
    await compacted(chat);
    await chat.send('last');
    const [cut, whole, ...rest] = talkOf(chat.server.lastRequest);
    expect(cut).toMatch(/^user: middle x+…\d+ tokens truncated…x+ middle$/);
    expect(whole).toBe(`user: ${long('newest')}`);
    expect(rest).toEqual([expect.stringMatching(SUMMARY), 'user: last']);
    expect((cut?.length ?? 0) + (whole?.length ?? 0)).toBeLessThan(80_500);
    expect((cut?.length ?? 0) + (whole?.length ?? 0)).toBeGreaterThan(78_000);
  });

  it('does not include earlier summaries and notices, of Tiller or of Codex', () => {
    const others = [
      '<environment_context>\n  <cwd>/w</cwd>\n</environment_context>',
      '<turn_aborted>\nStopped.\n</turn_aborted>',
      '<user_instructions>\nUse tabs.\n</user_instructions>',
      '<subagent_notification>{}</subagent_notification>',
      '<user_shell_command>ls</user_shell_command>',
      '# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>',
      'Another language model started to solve this problem and produced a summary of its thinking process.',
      textOf(summaryMessage('An earlier one.').content),
      textOf(summaryRequest('').content),
    ].map(userText);
    const own = ['What is <skill> for?', 'Another model would have known.'].map(userText);
    const compact = compactedHistory([...others, ...own], { context: [], summary: 'Done.', budget: 20_000 });
    expect(compact).toEqual([...own, summaryMessage('Done.')]);
  });

  it('has no key that Tiller holds, also where the summary repeats one', async () => {
    const key = 'key-of-the-user';
    await using chat = await startScenario({
      deps: ({ keys }) => {
        keys.hold(key);
        return {};
      },
      model: [[says('One.')], [says(`Use ${key}.`)], [says('Two.')]],
    });
    await chat.send('one');
    await compacted(chat);
    await chat.send('two');
    expect(SUMMARY.exec(talkOf(chat.server.lastRequest)[1] ?? '')?.[1]).toBe('Use [hidden].');
  });

  it('is requested with the prompt of the setting', async () => {
    await using chat = await startScenario({
      compaction: 'Say it in one word.',
      model: [[says('One.')], [says('Word.')]],
    });
    await chat.send('one');
    await compacted(chat);
    expect(textsOf(chat.server.lastRequest).at(-1)).toBe(
      'user: <summary_request>\nSay it in one word.\n</summary_request>',
    );
  });

  it('is limited by the setting, also where the window is unknown', async () => {
    await using early = await startScenario({
      compactionTokens: 1000,
      model: [[says('One.'), usage({ input: 995, output: 0 })], [says('A summary.')], [says('Two.')]],
    });
    await early.send('one');
    await early.send('two');
    expect(early.items('compaction')).toHaveLength(1);

    await using never = await startScenario({
      compactionTokens: 0,
      ...windowOf(1000),
      model: [[says('One.'), usage({ input: 999, output: 0 })], [says('Two.')]],
    });
    await never.send('one');
    await never.send('two');
    expect(never.items('compaction')).toEqual([]);
  });
});

describe('a compacted thread', () => {
  it('is resumed compacted, with its undo', async () => {
    await using first = await startScenario({
      ...windowOf(100_000),
      model: [[says('One.')], [says('A summary.')], [says('Two.')]],
    });
    await first.send('one');
    await compacted(first);
    await first.send('two');
    await first.session.dispose();

    await using second = await startScenario({
      ...windowOf(100_000),
      resume: first,
      model: [[says('Three.')], [says('Four.'), full], [says('Five.')], [says('Late.')], [says('Six.')]],
    });
    expect(second.session.initialState.tokens?.parts).toEqual(first.state.tokens?.parts);
    await second.send('three');
    expect(talkOf(second.server.lastRequest)).toEqual([
      'user: one',
      expect.stringMatching(SUMMARY),
      'user: two',
      'assistant: Two.',
      'user: three',
    ]);
    const itemId = first.items('compaction')[0]?.id ?? '';
    second.submit({ type: 'undo_compaction', itemId });
    await second.next('compaction_undone');
    await second.send('four');
    const whole = ['user: one', 'assistant: One.', 'user: two', 'assistant: Two.', 'user: three', 'assistant: Three.'];
    expect(talkOf(second.server.lastRequest)).toEqual([...whole, 'user: four']);
    await second.session.dispose();

    // An undo stays undone in a third process; and a full window is compacted again from there.
    await using third = await startScenario({
      ...windowOf(100_000),
      resume: second,
      model: [[says('Late.')], [says('Five.')]],
    });
    await third.send('five');
    expect(talkOf(requestOf(third, 0)).slice(0, -1)).toEqual([...whole, 'user: four', 'assistant: Four.']);
    expect(third.items('compaction')).toMatchObject([{ trigger: 'limit', status: 'completed' }]);
  });

  it('can be undone while the turn after it is being stopped', async () => {
    const held = gate();
    await using chat = await startScenario({
      model: [[says('One.')], [says('A summary.')], [waits(held.opened), says('Never read.')]],
    });
    await chat.send('one');
    await compacted(chat);
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'two' }] });
    await chat.server.received(3);
    chat.submit({ type: 'interrupt' });
    chat.submit({ type: 'undo_compaction', itemId: chat.items('compaction')[0]?.id ?? '' });
    await chat.next('compaction_undone');
    const ends = ['turn_aborted', 'compaction_undone'];
    const last = chat.events.map(({ msg }) => msg.type).filter((type) => ends.includes(type));
    expect(last).toEqual(ends);
    held.open();
  });

  it('is compacted automatically again only in the turn after the one that follows an undo', async () => {
    // About 7,000 tokens with the instructions, estimated by length.
    const long = says('All is well with it. '.repeat(900));
    const counts = (request: ModelRequest, output: number) =>
      usage({ input: Math.ceil(request.text.length / 4), output });
    const model = (request: ModelRequest, index: number): readonly Step[] => {
      if (asksForSummary(request)) return [says('A summary.')];
      return index === 0 ? [long, counts(request, 4725)] : [says('Well.'), counts(request, 2)];
    };
    await using chat = await startScenario({ ...windowOf(8000), model });
    await chat.send('one');
    await chat.send('two');
    expect(chat.server.requests.map(asksForSummary)).toEqual([false, true, false]);
    chat.submit({ type: 'undo_compaction', itemId: chat.items('compaction')[0]?.id ?? '' });
    expect((await chat.next('token_count')).last.total).toBeGreaterThan(6840);
    await chat.send('three');
    expect(talkOf(chat.server.lastRequest)).toHaveLength(5);
    await chat.send('four');
    expect(chat.server.requests.map(asksForSummary)).toEqual([false, true, false, false, true, false]);
  });

  it('sends the current context once, including changes made before the compaction', async () => {
    await using chat = await startScenario({
      ...windowOf(100_000),
      model: [[says('One.'), full], [says('A summary.')], [says('Two.')], [says('Another.')], [says('Three.')]],
    });
    const told = (words: string) => textsOf(chat.server.lastRequest).filter((text) => text.includes(words)).length;
    await chat.send('one');
    chat.submit({ type: 'override_turn_context', policy: 'never' });
    await chat.send('two');
    expect([told('the user is never asked'), told('<environment_context>'), told('<permissions>')]).toEqual([1, 1, 1]);
    chat.submit({ type: 'override_turn_context', policy: 'untrusted' });
    await compacted(chat);
    await chat.send('three');
    expect([told('the user is never asked'), told('<environment_context>'), told('<permissions>')]).toEqual([0, 1, 1]);
  });

  it('does not restore an output that the user has removed meanwhile', async () => {
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      model: [[calls('exec_command', { cmd: 'echo secret' })], [says('One.')], [says('A summary.')], [says('Two.')]],
    });
    await chat.send('one');
    await compacted(chat);
    chat.submit({ type: 'purge_output', itemId: chat.items('command_execution')[0]?.id ?? '' });
    await chat.next('output_purged');
    chat.submit({ type: 'undo_compaction', itemId: chat.items('compaction')[0]?.id ?? '' });
    await chat.next('compaction_undone');
    await chat.send('two');
    expect(chat.outputs()).toEqual(['[output removed by the user]']);
  });

  it('is forked compacted after the compaction, and complete before it', async () => {
    await using chat = await startScenario({
      model: [[says('One.')], [says('A summary.')], [says('Two.')], [says('Fork.')], [says('Fork.')]],
    });
    await chat.send('one');
    await compacted(chat);
    await chat.send('two');
    const talkOfFork = async (itemId: string | null) => {
      const forked = await chat.service.fork({ id: chat.session.threadId }, itemId, ...chat.thread);
      if (forked.type !== 'resumed') throw new Error(JSON.stringify(forked));
      const { session } = forked;
      const ended = new Promise<void>((resolve) => {
        session.onEvent(({ msg }) => msg.type === 'turn_completed' && resolve());
      });
      session.start();
      session.submit({ id: 'x', op: { type: 'user_turn', input: [{ type: 'text', text: 'fork' }] } });
      await ended;
      await session.dispose();
      return talkOf(chat.server.lastRequest);
    };
    expect(await talkOfFork(null)).toEqual([
      'user: one',
      expect.stringMatching(SUMMARY),
      'user: two',
      'assistant: Two.',
      'user: fork',
    ]);
    expect(await talkOfFork(chat.items('agent_message')[0]?.id ?? '')).toEqual([
      'user: one',
      'assistant: One.',
      'user: fork',
    ]);
  });

  it('refuses to undo an item that is not its last compaction, and to compact an empty thread', async () => {
    await using chat = await startScenario({
      model: [[says('One.')], [says('A summary.')], [says('Two.')], [says('Another.')]],
    });
    const warned = async (op: Parameters<Scenario['submit']>[0]) => {
      const warning = chat.next('warning');
      chat.submit(op);
      return (await warning).message;
    };
    expect(await warned({ type: 'compact' })).toBe('There is nothing to compact yet.');
    await chat.send('one');
    await compacted(chat);
    await chat.send('two');
    await compacted(chat);
    const [older] = chat.items('compaction');
    expect(await warned({ type: 'undo_compaction', itemId: older?.id ?? '' })).toMatch(/later compaction/);
    expect(await warned({ type: 'undo_compaction', itemId: 'nonsense' })).toMatch(/no compaction nonsense/);
    expect(await warned({ type: 'retry' })).toMatch(/nothing to try again/);
  });

  it('is not compacted when a crash comes before the compaction has completed', async () => {
    await using first = await startScenario({ model: [[says('One.')], [says('A summary.')]] });
    await first.send('one');
    await compacted(first);
    await first.session.dispose();
    const file = first.home.at((await first.service.catalog.find(first.session.threadId))?.path ?? '');
    const lines = readFileSync(file, 'utf8').split('\n');
    const line = lines.findIndex((each) => each.includes('"type":"compacted"'));
    expect(line).toBeGreaterThan(0);
    writeFileSync(file, `${lines.slice(0, line + 1).join('\n')}\n`);
    await using second = await startScenario({ resume: first, model: [[says('Two.')]] });
    expect(second.said('item_completed')).toMatchObject([{ item: { type: 'compaction', status: 'aborted' } }]);
    await second.send('two');
    expect(talkOf(second.server.lastRequest)).toEqual([
      'user: one',
      'assistant: One.',
      expect.stringContaining('<turn_aborted>'),
      'user: two',
    ]);
  });
});
