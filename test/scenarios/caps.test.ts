// Caps on what a turn and a day may use: a question before the next request.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CapSettings } from '../../src/core/session/caps.ts';
import type { Ports } from '../../src/core/ports.ts';
import { localDay } from '../../src/core/util/localDay.ts';
import type { TokenUsage } from '../../src/protocol/event.ts';
import {
  calls,
  type ModelScript,
  ModelServer,
  says,
  type Step,
  usage,
  waits,
  type Wire,
} from '../support/modelServer.ts';
import { runCli } from '../support/runCli.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';

const used = (total: number): Partial<TokenUsage> => ({ input: total - 10, output: 10, total });
/** A round that used so many tokens and calls a tool, so that another request follows. */
const works = (tokens: number): readonly Step[] => [calls('update_plan', { plan: [] }), usage(used(tokens))];
const ends = (tokens: number): readonly Step[] => [says('Done.'), usage(used(tokens))];
const turnCap = (tokens: number): Partial<CapSettings> => ({ turn: { tokens, cost: null } });
const dayCap = (tokens: number): Partial<CapSettings> => ({ day: { tokens, cost: null } });
/** Dollars for a million tokens. */
const PRICES = { models: { 'test-model': { inputPrice: 1_000_000, outputPrice: 0 } } };

function go(chat: Scenario): Promise<unknown> {
  const ended = chat.turnEnds();
  chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
  return ended;
}

/** The text of the pending question, once there is one. */
async function asked(chat: Scenario): Promise<string> {
  if (chat.state.questions.length === 0) await chat.next('question_requested');
  const [question] = chat.state.questions;
  return question?.source === 'tiller' ? (question.questions[0]?.question ?? '') : '';
}

function choose(chat: Scenario, label: string): void {
  const [question] = chat.state.questions;
  chat.submit({ type: 'user_input_answer', questionId: question?.questionId ?? '', answers: { cap: [label] } });
}

function allAsked(chat: Scenario): string[] {
  return chat
    .said('question_requested')
    .map(({ request }) => ('questions' in request ? (request.questions[0]?.question ?? '') : ''));
}

describe.each<Wire>(['responses', 'chat'])('a turn that reaches its cap of tokens on %s', (wire) => {
  const start = (model: ModelScript, more: Partial<ScenarioOptions> = {}) =>
    startScenario({ wire, model, caps: turnCap(200_000), ...more });

  it('asks before its next request, and goes on with the cap raised by its amount', async () => {
    await using chat = await start([works(150_000), works(60_000), works(180_000), works(100_000), ends(5)]);
    const ended = go(chat);
    expect(await asked(chat)).toBe('This turn has used 210,000 tokens; the cap is 200,000. Continue?');
    expect(chat.server.requests).toHaveLength(2);
    choose(chat, 'Continue');
    await chat.next('question_resolved');
    expect(await asked(chat)).toBe('This turn has used 490,000 tokens; the cap is 400,000. Continue?');
    expect(chat.server.requests).toHaveLength(4);
    choose(chat, 'Continue');
    expect(await ended).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    expect(chat.said('question_resolved').map(({ by }) => by)).toEqual(['user', 'user']);
  });

  it('ends as paused when the user stops, and goes on as another turn when asked to', async () => {
    await using chat = await start([works(210_000), ends(5)]);
    const ended = go(chat);
    await asked(chat);
    choose(chat, 'Stop');
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'failed' });
    expect(chat.said('error')).toEqual([
      {
        type: 'error',
        kind: 'paused',
        message: 'This turn has used 210,000 tokens; the cap is 200,000. Try again to continue.',
        action: 'retry',
      },
    ]);
    expect(chat.server.requests).toHaveLength(1);
    const retried = chat.turnEnds();
    chat.submit({ type: 'retry' });
    expect(await retried).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
  });

  it('stays pending after an answer for a server, and skipping the question stops', async () => {
    await using chat = await start([works(200_000)]);
    const ended = go(chat);
    await asked(chat);
    const questionId = chat.state.questions[0]?.questionId ?? '';
    const warned = chat.next('warning');
    chat.submit({ type: 'elicitation_answer', questionId, action: 'accept' });
    expect((await warned).message).toBe(
      'This was asked by Tiller: answer with user_input_answer. The request is still pending.',
    );
    chat.submit({ type: 'user_input_answer', questionId, answers: null });
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'failed' });
    expect(chat.server.requests).toHaveLength(1);
  });

  it('is not asked about when it needs no more request', async () => {
    await using chat = await start([works(150_000), ends(200_000), ends(199_999)]);
    expect(await go(chat)).toMatchObject({ type: 'turn_completed' });
    // The next turn counts from the start.
    expect(await go(chat)).toMatchObject({ type: 'turn_completed' });
    expect(allAsked(chat)).toEqual([]);
  });

  it('ends as paused at once where no user can answer', async () => {
    await using chat = await start([works(200_000)], { interactive: false });
    expect(await go(chat)).toEqual({ type: 'turn_aborted', reason: 'failed' });
    expect(chat.said('error')).toMatchObject([
      { kind: 'paused', message: expect.stringMatching(/^This turn has used/) },
    ]);
    expect(chat.said('question_resolved')).toMatchObject([{ by: 'non_interactive' }]);
  });

  it('says "about" when the server reports no count', async () => {
    await using chat = await start([[calls('update_plan', { plan: [] }), usage(null)], ends(1)], { caps: turnCap(50) });
    const ended = go(chat);
    expect(await asked(chat)).toMatch(/^This turn has used about [\d,]+ tokens; the cap is 50\. Continue\?$/);
    choose(chat, 'Continue');
    await ended;
    expect(allAsked(chat)).toHaveLength(1);
  });

  it('is stopped by an interrupt while the question is pending', async () => {
    await using chat = await start([works(200_000), ends(1)]);
    const ended = go(chat);
    await asked(chat);
    chat.submit({ type: 'interrupt' });
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    expect(chat.said('question_resolved')).toMatchObject([{ by: 'turn_ended' }]);
    expect(chat.state.questions).toEqual([]);
    expect(await go(chat)).toMatchObject({ type: 'turn_completed' });
  });
});

describe('the caps of a turn', () => {
  it('count requests for summaries, and ask before one', async () => {
    await using chat = await startScenario({
      caps: turnCap(1000),
      compactionTokens: 500,
      model: [works(600), [says('A summary.'), usage(used(500))], ends(5)],
    });
    const ended = go(chat);
    expect(await asked(chat)).toBe('This turn has used 1,100 tokens; the cap is 1,000. Continue?');
    expect(chat.items('compaction')).toMatchObject([{ status: 'completed' }]);
    choose(chat, 'Continue');
    expect(await ended).toMatchObject({ type: 'turn_completed' });
  });

  it('leave the history as it was when the user stops before a summary', async () => {
    await using chat = await startScenario({ caps: turnCap(600), compactionTokens: 500, model: [works(600), ends(5)] });
    const ended = go(chat);
    await asked(chat);
    choose(chat, 'Stop');
    await ended;
    expect(chat.items('compaction')).toEqual([]);
    expect(chat.server.requests).toHaveLength(1);
  });

  it('limit the cost where prices are known', async () => {
    const caps = { turn: { tokens: null, cost: 1.5 } };
    await using chat = await startScenario({ caps, provider: PRICES, model: [works(11), works(11), ends(11)] });
    const ended = go(chat);
    expect(await asked(chat)).toBe('This turn has cost 2; the cap is 1.5. Continue?');
    choose(chat, 'Continue');
    await ended;
    await using unpriced = await startScenario({ caps, model: [works(1_000_000), ends(1)] });
    expect(await go(unpriced)).toMatchObject({ type: 'turn_completed' });
    expect(allAsked(unpriced)).toEqual([]);
  });

  it('limit the cost that the server reports', async () => {
    const caps = { turn: { tokens: null, cost: 1.5 } };
    const costs = (cost: number) => [usage({ input: 10, output: 1, cost })];
    for (const wire of ['chat', 'responses'] as const) {
      const model = [
        [...works(11), ...costs(2)],
        [...ends(11), ...costs(0.5)],
      ];
      await using chat = await startScenario({ caps, wire, model });
      const ended = go(chat);
      expect(await asked(chat)).toBe('This turn has cost 2; the cap is 1.5. Continue?');
      choose(chat, 'Continue');
      await ended;
      expect(chat.said('token_count').at(-1)?.cost).toEqual({ last: 0.5, total: 2.5 });
    }
  });

  it('count the requests of sub-agents, which ask for themselves', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    const script = [[waits(gate), ...works(500)], works(600), ends(5), ends(5), works(900)];
    await using chat = await startScenario({ caps: turnCap(1000), model: script });
    const ended = go(chat);
    await expect.poll(() => chat.server.requests.length).toBe(1);
    const agent = await chat.subAgent();
    expect(await go(agent)).toMatchObject({ type: 'turn_completed' });
    open();
    expect(await asked(chat)).toBe('This turn has used 1,105 tokens; the cap is 1,000. Continue?');
    choose(chat, 'Continue');
    expect(await ended).toMatchObject({ type: 'turn_completed' });
    const paused = go(agent);
    expect(await asked(agent)).toBe('This turn has used 2,010 tokens; the cap is 2,000. Continue?');
    choose(agent, 'Stop');
    expect(await paused).toMatchObject({ type: 'turn_aborted', reason: 'failed' });
  });

  it('take no pause at the limit of rounds for a question', async () => {
    await using chat = await startScenario({
      caps: turnCap(100),
      maxToolRounds: 1,
      compactionTokens: 100,
      model: [works(200)],
    });
    await go(chat);
    expect(chat.said('error')).toMatchObject([{ message: 'Paused after 1 tool rounds. Try again to continue.' }]);
    expect(allAsked(chat)).toEqual([]);
  });
});

describe('a thread that is resumed', () => {
  it('ends the turn whose question about a cap was pending, and asks anew', async () => {
    const first = await startScenario({ caps: turnCap(100), model: [works(200)] });
    void go(first);
    await asked(first);
    await first.session.suspend();
    await using chat = await startScenario({ resume: first, caps: dayCap(150), model: [ends(1)] });
    expect(chat.said('question_resolved')).toMatchObject([{ by: 'turn_ended' }]);
    expect(chat.state.questions).toEqual([]);
    expect(chat.state.turns.at(-1)?.status).toMatchObject({ type: 'aborted', reason: 'crashed' });
    const ended = chat.turnEnds();
    chat.submit({ type: 'retry' });
    expect(await asked(chat)).toBe('200 tokens were used today; the cap is 150. Continue?');
    choose(chat, 'Continue');
    expect(await ended).toMatchObject({ type: 'turn_completed' });
    await first.server.close();
  });

  it('counts on from what a turn with a pending approval had used', async () => {
    const writes = [calls('exec_command', { cmd: 'touch a' }), usage(used(900))];
    const first = await startScenario({ policy: 'untrusted', caps: turnCap(1000), model: [works(50), writes] });
    void go(first);
    await first.next('approval_requested');
    await first.session.suspend();
    const options = { resume: first, policy: 'untrusted', caps: turnCap(900), model: [ends(1)] } as const;
    await using chat = await startScenario(options);
    const ended = chat.turnEnds();
    await chat.answer({ denied: {} });
    expect(await asked(chat)).toBe('This turn has used 950 tokens; the cap is 900. Continue?');
    choose(chat, 'Stop');
    expect(await ended).toMatchObject({ type: 'turn_aborted', reason: 'failed' });
    await first.server.close();
  });
});

describe('the cap of a month', () => {
  it('counts the days of the month, is raised for it, and starts anew with the next one', async () => {
    let now = new Date('2026-11-29T12:00:00Z');
    const clock = (ports: Ports) => ({ clock: { ...ports.clock, now: () => now } });
    const caps = { month: { tokens: 1000, cost: null } };
    await using chat = await startScenario({
      deps: clock,
      caps,
      model: [ends(700), ends(500), ends(400), ends(900)],
    });
    expect(await go(chat)).toMatchObject({ type: 'turn_completed' });
    now = new Date('2026-11-30T12:00:00Z');
    expect(await go(chat)).toMatchObject({ type: 'turn_completed' });
    const ended = go(chat);
    expect(await asked(chat)).toBe('1,200 tokens were used this month; the cap is 1,000. Continue?');
    choose(chat, 'Continue');
    expect(await ended).toMatchObject({ type: 'turn_completed' });
    now = new Date('2026-12-01T12:00:00Z');
    expect(await go(chat)).toMatchObject({ type: 'turn_completed' });
    await chat.session.idle();
    const { days, months } = JSON.parse(readFileSync(chat.home.at('spending.json'), 'utf8'));
    expect(Object.keys(days)).toEqual(['2026-11-30', '2026-12-01']);
    expect(months).toMatchObject({
      '2026-11': { tokens: 1600, raised: { tokens: { cap: 1000, to: 2000 } } },
      '2026-12': { tokens: 900, raised: {} },
    });
  });
});

describe('the caps of a day', () => {
  const today = () => localDay(new Date(), Intl.DateTimeFormat().resolvedOptions().timeZone);
  const stored = (chat: Scenario) => JSON.parse(readFileSync(chat.home.at('spending.json'), 'utf8'));

  it('count every thread, and are raised for all of them', async () => {
    await using chat = await startScenario({ caps: dayCap(1000), model: [ends(1200), ends(500), ends(400)] });
    expect(await go(chat)).toMatchObject({ type: 'turn_completed' });
    const other = await chat.another();
    const ended = go(other);
    expect(await asked(other)).toBe('1,200 tokens were used today; the cap is 1,000. Continue?');
    expect(chat.server.requests).toHaveLength(1);
    choose(other, 'Continue');
    expect(await ended).toMatchObject({ type: 'turn_completed' });
    expect(await go(chat)).toMatchObject({ type: 'turn_completed' });
    // Saved at the latest when the turn has ended.
    await chat.session.idle();
    expect(stored(chat)).toEqual({
      version: 1,
      days: { [today()]: { tokens: 2100, cost: 0, estimated: false, raised: { tokens: { cap: 1000, to: 2000 } } } },
      months: { [today().slice(0, 7)]: { tokens: 2100, cost: 0, estimated: false, raised: {} } },
    });
    expect(statSync(chat.home.at('spending.json')).mode & 0o777).toBe(0o600);
    const again = go(chat);
    expect(await asked(chat)).toBe('2,100 tokens were used today; the cap is 2,000. Continue?');
    choose(chat, 'Stop');
    expect(await again).toMatchObject({ type: 'turn_aborted', reason: 'failed' });
    await other.session.dispose();
  });

  it('ask before a summary that the user wants, and name the way to try it again', async () => {
    await using chat = await startScenario({ caps: dayCap(1000), model: [ends(1200)] });
    await go(chat);
    const ended = chat.turnEnds();
    chat.submit({ type: 'compact' });
    await asked(chat);
    choose(chat, 'Stop');
    expect(await ended).toMatchObject({ type: 'turn_aborted', reason: 'failed' });
    expect(chat.said('error')).toMatchObject([{ kind: 'paused', action: 'compact' }]);
    expect(chat.items('compaction')).toEqual([]);
  });

  it('count what threads without a cap have used, but no other day', async () => {
    const free = await startScenario({ model: [ends(1200)] });
    await go(free);
    await free[Symbol.asyncDispose]();
    let now = new Date();
    const clock = (ports: Ports) => ({ clock: { ...ports.clock, now: () => now } });
    await using chat = await startScenario({ resume: free, deps: clock, caps: dayCap(1000), model: [ends(7)] });
    const ended = go(chat);
    expect(await asked(chat)).toBe('1,200 tokens were used today; the cap is 1,000. Continue?');
    choose(chat, 'Stop');
    await ended;
    now = new Date(now.getTime() + 3 * 24 * 60 * 60 * 1000);
    const retried = chat.turnEnds();
    chat.submit({ type: 'retry' });
    expect(await retried).toMatchObject({ type: 'turn_completed' });
    // Days that are over are removed.
    await chat.session.idle();
    expect(Object.values(stored(chat).days)).toMatchObject([{ tokens: 7 }]);
  });

  it.each([
    [
      'is damaged',
      (chat: Scenario) => writeFileSync(chat.home.at('spending.json'), '{"version":1,"days":{"2026'),
      /was damaged/,
    ],
    ['is a folder', (chat: Scenario) => mkdirSync(chat.home.at('spending.json')), /cannot be used/],
  ] as const)('go on when the file %s, with one warning', async (_title, spoil, warning) => {
    await using chat = await startScenario({ caps: dayCap(1000), model: [works(100), works(100), ends(900), ends(5)] });
    spoil(chat);
    expect(await go(chat)).toMatchObject({ type: 'turn_completed' });
    expect(chat.said('warning')).toMatchObject([{ message: expect.stringMatching(warning) }]);
    // This process still counts.
    const ended = go(chat);
    expect(await asked(chat)).toBe('1,100 tokens were used today; the cap is 1,000. Continue?');
    choose(chat, 'Continue');
    expect(await ended).toMatchObject({ type: 'turn_completed' });
    expect(chat.said('warning')).toHaveLength(1);
  });

  it('say nothing of a file that no cap needs', async () => {
    await using chat = await startScenario({ model: [works(100), ends(900)] });
    mkdirSync(chat.home.at('spending.json'));
    expect(await go(chat)).toMatchObject({ type: 'turn_completed' });
    expect(chat.said('warning')).toEqual([]);
  });
});

describe('tiller exec', () => {
  it('pauses at once with exit code 1 at a cap of the day that other processes have reached together', async () => {
    using folder = tempFolder();
    await using server = await ModelServer.start(() => ends(600));
    const run = (more: readonly string[] = []) =>
      runCli(['exec', '--model', 'm', '--base-url', server.baseUrl, ...more, 'hi'], { home: folder.path });
    const both = await Promise.all([run(), run()]);
    expect(both.map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, 'Done.\n'],
      [0, 'Done.\n'],
    ]);
    const third = await run(['-c', 'caps.dayTokens=1200']);
    expect(third.code).toBe(1);
    expect(third.stderr).toContain('1,200 tokens were used today; the cap is 1,200. Try again to continue.');
    expect(server.requests).toHaveLength(2);
    expect((await run(['-c', 'caps.dayTokens=1201'])).code).toBe(0);
  });
});
