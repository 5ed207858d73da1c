/** A session under every action of users, models, tools and disks, in any order. */
import { RefusedFields } from '../../../src/core/model/fieldFallback.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChatBodies } from '../../../src/core/model/chatBody.ts';
import type { Prompt } from '../../../src/core/model/client.ts';
import { MessagesBodies } from '../../../src/core/model/messages/messagesBody.ts';
import { ResponsesBodies } from '../../../src/core/model/responsesBody.ts';
import type { Event } from '../../../src/protocol/event.ts';
import type { ApprovalDecision, ApprovalPolicy, SandboxMode } from '../../../src/protocol/policy.ts';
import { sandboxPolicySchema } from '../../../src/protocol/policy.ts';
import { parseLine } from '../../../src/core/rollout/parseLine.ts';
import type { ThreadState } from '../../../src/protocol/thread.ts';
import { FakeSession, PATH, type ModelStep, tick } from '../../support/fakeSession.ts';
import { MemoryStorage } from '../../support/memoryStorage.ts';
import { pairingBreaches, prefixBreaches, sentPrefix } from '../../support/modelServer.ts';
import { rounds } from '../../support/rounds.ts';

const run = (cmd: string): ModelStep => ({ type: 'calls', name: 'exec_command', arguments: JSON.stringify({ cmd }) });
const update = '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch';
const outside = '*** Begin Patch\n*** Add File: /etc/x\n+x\n*** End Patch';

const step: fc.Arbitrary<ModelStep> = fc.oneof(
  fc.constantFrom('make ok', 'make fail', 'make slow', 'make broken', 'ls').map(run),
  fc.constantFrom<ModelStep[]>(
    { type: 'says', text: 'Hello there.' },
    { type: 'thinks', text: 'Hm.' },
    { type: 'patches', patch: update },
    { type: 'patches', patch: outside },
    { type: 'patches', patch: 'no patch' },
    { type: 'calls', name: 'update_plan', arguments: '{"plan":[]}' },
    { type: 'calls', name: 'update_plan', arguments: '{"plan":[]}', callId: 'same' },
    { type: 'calls', name: 'exec_command', arguments: '{"cmd":' },
    { type: 'calls', name: 'weather', arguments: '{}' },
    { type: 'calls', name: 'unknown', arguments: '{}' },
    { type: 'waits', ticks: 2 },
    { type: 'hangs' },
    { type: 'goes_on' },
    { type: 'fails', retryable: true },
    { type: 'fails', retryable: false },
  ),
);
/** The same with requests that are too long. */
const longSteps: fc.Arbitrary<ModelStep> = fc.oneof(
  { weight: 5, arbitrary: step },
  { weight: 1, arbitrary: fc.constant<ModelStep>({ type: 'is_too_long' }) },
);
const answersOf = (each: fc.Arbitrary<ModelStep>) =>
  fc.array(fc.array(each, { maxLength: 4, size: 'max' }), { minLength: 2, maxLength: 10, size: 'max' });
const answers = answersOf(step);
const longAnswers = answersOf(longSteps);

type Move =
  | { readonly type: 'compacts' | 'continues' | 'undoes_compaction' }
  | { readonly type: 'rolls_back' | 'removes_output'; readonly which: number }
  | { readonly type: 'says' | 'steers' | 'interrupts' | 'retries' | 'titles' | 'leaves' | 'responds' }
  | { readonly type: 'holds'; readonly which: number; readonly held: boolean }
  | { readonly type: 'edits'; readonly which: number; readonly withdraws: boolean }
  | { readonly type: 'answers'; readonly decision: ApprovalDecision; readonly stale: boolean }
  | { readonly type: 'overrides'; readonly policy: ApprovalPolicy; readonly mode: SandboxMode };

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.constantFrom<Move[]>(
    { type: 'says' },
    { type: 'says' },
    { type: 'steers' },
    { type: 'steers' },
    { type: 'steers' },
    { type: 'interrupts' },
    { type: 'retries' },
    { type: 'titles' },
    { type: 'responds' },
  ),
  fc.record({ type: fc.constant('holds' as const), which: fc.nat(3), held: fc.constantFrom(true, true, false) }),
  fc.record({ type: fc.constant('edits' as const), which: fc.nat(3), withdraws: fc.boolean() }),
  fc.record({
    type: fc.constant('answers' as const),
    decision: fc.constantFrom<ApprovalDecision[]>('approved', 'approved_for_thread', { denied: {} }, 'abort'),
    stale: fc.constantFrom(true, false, false, false),
  }),
  fc.record({
    type: fc.constant('overrides' as const),
    policy: fc.constantFrom<ApprovalPolicy[]>('untrusted', 'on-request', 'never'),
    mode: fc.constantFrom<SandboxMode[]>('workspace-write', 'danger-full-access'),
  }),
);
const compaction = fc.constantFrom<Move[]>({ type: 'compacts' }, { type: 'continues' }, { type: 'undoes_compaction' });
const edit = fc.record({ type: fc.constantFrom('rolls_back' as const, 'removes_output' as const), which: fc.nat(5) });
const says: Move = { type: 'says' };
const storyOf = (each: fc.Arbitrary<Move>) =>
  fc
    .array(fc.record({ move: each, ticks: fc.nat(8) }), { minLength: 3, maxLength: 16, size: 'max' })
    .map((moves) => [{ move: says, ticks: 2 }, ...moves]);
const story = storyOf(move);
const longStory = storyOf(
  fc.oneof({ weight: 6, arbitrary: move }, { weight: 4, arbitrary: compaction }, { weight: 2, arbitrary: edit }),
);
const leaves: { move: Move; ticks: number } = { move: { type: 'leaves' }, ticks: 1 };

/** The messages, by the id of their submission. */
type Words = Map<string, string>;

function make(chat: FakeSession, move: Move, words: Words): void {
  const input = [{ type: 'text' as const, text: `words ${words.size}` }];
  const text = input[0]?.text ?? '';
  switch (move.type) {
    case 'says':
      return void words.set(chat.submit({ type: 'user_turn', input }), text);
    case 'steers':
      return void words.set(chat.submit({ type: 'steer', input }), text);
    case 'interrupts':
      return void chat.submit({ type: 'interrupt' });
    case 'retries':
      return void chat.submit({ type: 'retry' });
    case 'compacts':
      return void chat.submit({ type: 'compact' });
    case 'continues':
      return void chat.submit({ type: 'compact', continueTurn: true });
    case 'undoes_compaction': {
      const items = chat.state.turns.flatMap((turn) => turn.items.filter(({ type }) => type === 'compaction'));
      return void chat.submit({ type: 'undo_compaction', itemId: items.at(-1)?.id ?? 'none' });
    }
    case 'rolls_back': {
      const first = chat.state.turns.flatMap(({ items }) => items.find(({ type }) => type === 'user_message') ?? []);
      const toItemId = first.at(-1 - move.which)?.id ?? 'none';
      return void chat.submit({ type: 'rollback', toItemId, files: false, conversation: true });
    }
    case 'removes_output': {
      const commands = chat.state.turns.flatMap(({ items }) =>
        items.filter(({ type }) => type === 'command_execution'),
      );
      return void chat.submit({ type: 'purge_output', itemId: commands.at(-1 - move.which)?.id ?? 'none' });
    }
    case 'titles':
      return void chat.submit({ type: 'set_title', title: 'Mine' });
    case 'leaves':
      return chat.session.endOfInput();
    case 'responds': {
      const callId = chat.state.dynamicCalls[0]?.callId ?? 'nobody';
      return void chat.submit({ type: 'dynamic_tool_response', callId, contentItems: [], success: true });
    }
    case 'holds': {
      const id = chat.state.queuedInputs[move.which]?.id ?? 'nobody';
      return void chat.submit({ type: 'hold_queued', id, held: move.held });
    }
    case 'edits': {
      const id = chat.state.queuedInputs[move.which]?.id ?? 'nobody';
      return void chat.submit({
        type: 'edit_queued',
        id,
        input: move.withdraws ? null : [{ type: 'text', text: words.get(id) ?? 'nothing' }],
      });
    }
    case 'answers': {
      const approvalId = move.stale ? 'stale' : (chat.state.approvals[0]?.approvalId ?? 'nobody');
      return void chat.submit({ type: 'approval', approvalIds: [approvalId], decision: move.decision });
    }
    case 'overrides':
      return void chat.submit({
        type: 'override_turn_context',
        policy: move.policy,
        box: sandboxPolicySchema.parse({ type: move.mode }),
      });
  }
}

const WEATHER = { name: 'weather', description: '', inputSchema: {} };

async function play(chat: FakeSession, moves: readonly { move: Move; ticks: number }[]): Promise<Words> {
  const words: Words = new Map();
  chat.submit({ type: 'register_tools', tools: [WEATHER] });
  for (const { move, ticks } of moves) {
    make(chat, move, words);
    for (let left = ticks; left > 0; left--) await tick();
  }
  return words;
}

function turnBreaches(events: readonly Event[]): string[] {
  const ended = new Set<string>();
  const started = new Set<string>();
  const breaches: string[] = [];
  for (const { turnId, msg } of events) {
    if (turnId === null) continue;
    if (ended.has(turnId)) breaches.push(`${msg.type} after the end of ${turnId}`);
    if (msg.type === 'turn_started') {
      if ([...started].some((other) => !ended.has(other))) breaches.push(`${turnId} beside another turn`);
      started.add(turnId);
    } else if (!started.has(turnId)) breaches.push(`${msg.type} before the start of ${turnId}`);
    if (msg.type === 'turn_completed' || msg.type === 'turn_aborted') ended.add(turnId);
  }
  for (const turnId of started) if (!ended.has(turnId)) breaches.push(`${turnId} has no end`);
  return breaches;
}

function itemBreaches(events: readonly Event[]): string[] {
  const open = new Set<string>();
  const breaches: string[] = [];
  for (const { msg } of events) {
    if (msg.type === 'item_started') {
      if (open.has(msg.item.id)) breaches.push(`${msg.item.type} started twice`);
      open.add(msg.item.id);
    }
    if (msg.type === 'item_delta' && !open.has(msg.itemId))
      breaches.push(`a delta for ${msg.itemId}, which is not open`);
    if (msg.type === 'item_completed') open.delete(msg.item.id);
  }
  return [...breaches, ...[...open].map((id) => `${id} never ended`)];
}

/** Every message is in the thread or was rolled back with its turn, or a warning says that it is not. */
function lostWords(chat: FakeSession, words: Words): string[] {
  const shown = chat.state.turns.flatMap((turn) =>
    turn.items.flatMap((item) => (item.type === 'user_message' ? item.content : [])),
  );
  const gone = new Set(chat.said('turns_rolled_back').flatMap(({ turnIds }) => turnIds));
  const rolledBack = chat.events.flatMap(({ turnId, msg }) =>
    msg.type === 'item_started' && msg.item.type === 'user_message' && gone.has(turnId ?? '') ? msg.item.content : [],
  );
  const heard = [...shown, ...rolledBack];
  const given = new Set(
    chat.events.flatMap(({ submissionId, msg }) => {
      if (msg.type === 'warning' || msg.type === 'error') return [submissionId];
      return msg.type === 'input_dequeued' && msg.reason !== 'joined' ? [msg.id] : [];
    }),
  );
  return [...words]
    .filter(([id, text]) => !given.has(id) && !heard.some((part) => part.type === 'text' && part.text === text))
    .map(([, text]) => text);
}

/** State that exists only during streaming is in no rollout. */
function whatLasts(chat: FakeSession) {
  return { ...chat.state, lastSeq: 0, turns: chat.state.turns.map((turn) => ({ ...turn, retry: null })) };
}

function expectOrder(chat: FakeSession, words: Words): void {
  expect(chat.events.map(({ seq }) => seq)).toEqual(chat.events.map((_, index) => index + 1));
  expect(turnBreaches(chat.events)).toEqual([]);
  expect(itemBreaches(chat.events)).toEqual([]);
  expectPaired(chat);
  expect(lostWords(chat, words)).toEqual([]);
  expect(chat.exec.running).toBe(0);
}

/** The elements whose prompt cache a request would lose against the one before (design §5). */
function cacheBreaches(prompts: readonly Prompt[]): readonly string[] {
  const chat = new ChatBodies({ baseUrl: '' }, new RefusedFields());
  const responses = new ResponsesBodies({ baseUrl: '', dialect: 'openai' }, new RefusedFields());
  const messages = new MessagesBodies({ baseUrl: '' }, new RefusedFields());
  const plain = new ResponsesBodies({ baseUrl: '', dialect: 'plain' }, new RefusedFields());
  const requests = prompts.map((prompt) => [
    sentPrefix('chat', chat.build(prompt).text),
    sentPrefix('responses', responses.build({ ...prompt, model: 'gpt-5.5' }).text),
    sentPrefix('responses', plain.build(prompt).text),
    // Serialized as another process would, which has created none of the earlier elements.
    sentPrefix('chat', new ChatBodies({ baseUrl: '' }, new RefusedFields()).build(prompt).text),
    sentPrefix('messages', messages.build({ ...prompt, model: CLAUDE }).text),
  ]);
  return requests.slice(1).flatMap((later, index) =>
    later.flatMap((request, form) => {
      const earlier = requests[index]?.[form];
      return earlier ? prefixBreaches(earlier, request) : [];
    }),
  );
}

/** "Try Again" after an answer with reasoning behind it; found with seed 1679987170. */
const TRIED_AGAIN_AFTER_REASONING: [ModelStep[][], { move: Move; ticks: number }[]] = [
  [
    [
      { type: 'says', text: 'Hello there.' },
      { type: 'thinks', text: 'Hm.' },
    ],
    [run('make ok')],
    [],
  ],
  [
    { move: says, ticks: 8 },
    { move: { type: 'retries' }, ticks: 8 },
  ],
];

describe('for any sequence of actions', () => {
  it('the prompt is only appended to, on both wires', async () => {
    await fc.assert(
      fc.asyncProperty(answers, story, async (answers, moves) => {
        // No Chat server can request that the turn continues.
        const known = answers.map((steps) => steps.filter((step) => step.type !== 'goes_on'));
        const chat = new FakeSession({ answers: known });
        await play(chat, moves);
        await chat.session.dispose();
        expect(cacheBreaches(chat.model.prompts)).toEqual([]);
      }),
      { numRuns: rounds(50, 1000), examples: [TRIED_AGAIN_AFTER_REASONING] },
    );
  });

  it('turns begin and end, calls are answered, messages are kept, and the rollout gives the same state', async () => {
    await fc.assert(
      fc.asyncProperty(longAnswers, longStory, async (answers, moves) => {
        const chat = new FakeSession({ answers });
        const words = await play(chat, moves);
        await chat.session.dispose();
        expectOrder(chat, words);
        if (chat.state.turns.length > 0) {
          // `thread_closed` and all events before it are on disk, in this order.
          expect({ ...chat.rollout().state, lastSeq: 0 }).toEqual(whatLasts(chat));
        }
      }),
      { numRuns: rounds(50, 1000) },
    );
  });

  it('a resumed thread sends the model the same request as the thread before it', async () => {
    const ending = (steps: readonly ModelStep[]) =>
      steps.filter((step) => step.type !== 'hangs' && !JSON.stringify(step).includes('slow'));
    await fc.assert(
      fc.asyncProperty(longAnswers, longStory, async (answers, moves) => {
        const chat = new FakeSession({ answers: answers.map(ending), compactionTokens: 1500 });
        await play(chat, [...moves, leaves]);
        await chat.session.idle();
        const copy = new MemoryStorage();
        for (const [path, text] of chat.storage.files) copy.files.set(path, text);
        if (!copy.files.get(PATH)) return chat.session.dispose();
        const settings = chat.state.settings ?? {};
        const again = new FakeSession({ answers: [], storage: copy, compactionTokens: 1500, settings });
        again.submit({ type: 'register_tools', tools: [WEATHER] });
        const before = chat.model.prompts.length;
        for (const each of [chat, again]) {
          await each.session.idle();
          each.say('The last words.');
          await each.session.idle();
        }
        const inputs = (session: FakeSession, from: number) =>
          session.model.prompts.slice(from).map(({ input, tools }) => ({ input, offers: tools.length > 0 }));
        expect(inputs(again, 0)[0]).toEqual(inputs(chat, before)[0]);
        await again.session.dispose();
        await chat.session.dispose();
      }),
      { numRuns: rounds(40, 1000) },
    );
  });

  it('the session becomes idle by itself without a client, unless the model never answers', async () => {
    const ending = (steps: readonly ModelStep[]) =>
      steps.filter((step) => step.type !== 'hangs' && !JSON.stringify(step).includes('slow'));
    await fc.assert(
      fc.asyncProperty(longAnswers, longStory, async (answers, moves) => {
        const chat = new FakeSession({ answers: answers.map(ending) });
        const words = await play(chat, [...moves, leaves]);
        await chat.session.idle();
        expect(chat.state.activeTurnId).toBe(null);
        await chat.session.dispose();
        expectOrder(chat, words);
      }),
      { numRuns: rounds(40, 1000) },
    );
  });

  it('the same holds on a disk that is full for a while, and nothing is missing afterwards', async () => {
    const window = fc.record({ from: fc.nat(40), length: fc.integer({ min: 1, max: 20 }) });
    await fc.assert(
      fc.asyncProperty(longAnswers, longStory, window, async (answers, moves, { from, length }) => {
        const storage = new MemoryStorage();
        let appends = 0;
        storage.refuses = () => {
          const at = appends++;
          return at >= from && at < from + length;
        };
        const chat = new FakeSession({ answers, storage });
        const words = await play(chat, moves);
        storage.refuses = undefined;
        await chat.session.dispose();
        expectOrder(chat, words);
        if (chat.state.turns.length > 0) expect({ ...chat.rollout().state, lastSeq: 0 }).toEqual(whatLasts(chat));
      }),
      { numRuns: rounds(40, 1000) },
    );
  });

  it('a process that is killed at any line leaves a thread that continues, with every call answered and none run twice', async () => {
    await fc.assert(
      fc.asyncProperty(longAnswers, longStory, fc.nat(), async (answers, moves, cut) => {
        const first = new FakeSession({ answers });
        await play(first, moves);
        await first.session.dispose();
        const [[path, text] = ['', '']] = [...first.storage.files];
        if (path === '') return;
        const lines = text.split('\n');
        const kept = lines.slice(0, 1 + (cut % lines.length)).join('\n');

        const second = new FakeSession({ storage: new MemoryStorage({ [path]: `${kept}\n` }) });
        await tick();
        second.session.endOfInput();
        await second.session.idle();
        const words: Words = new Map([[second.say('and now?'), 'and now?']]);
        await second.session.idle();
        await second.session.dispose();
        expect(lostWords(second, words)).toEqual([]);
        expectPaired(second);
        const running = second.state.turns.filter((turn) => turn.status.type === 'running');
        expect([running, second.state.approvals, second.state.queuedInputs]).toEqual([[], [], []]);
      }),
      { numRuns: rounds(40, 1000) },
    );
  });

  it('after repeated crashes no turn has events after its end, every call has one output, and the rollout gives the shown state', async () => {
    const lives = fc.array(fc.record({ answers, moves: story, cut: fc.nat() }), { minLength: 2, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(lives, async (lives) => {
        let left = '';
        for (const { answers, moves, cut } of lives) {
          const storage = new MemoryStorage(left === '' ? {} : { [PATH]: left });
          const chat = new FakeSession({ answers, storage });
          await play(chat, moves);
          await chat.session.dispose();
          expectPaired(chat);
          const written = storage.files.get(PATH);
          if (written === undefined) continue;
          expect({ ...chat.rollout().state, lastSeq: 0 }).toEqual(whatLasts(chat));
          expect(lateEvents(written)).toEqual([]);
          const lines = written.split('\n');
          left = lines.slice(0, 1 + (cut % lines.length)).join('\n');
          if (cut % 2 === 0) left = left.slice(0, Math.max((lines[0]?.length ?? 0) + 1, left.length - (cut % 50)));
          left = `${left}\n`;
        }
      }),
      { numRuns: rounds(15, 300) },
    );
  });

  it('a second recovery changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(longAnswers, longStory, fc.nat(), async (answers, moves, cut) => {
        const first = new FakeSession({ answers });
        await play(first, moves);
        await first.session.dispose();
        const lines = (first.storage.files.get(PATH) ?? '').split('\n');
        const left = `${lines.slice(0, 1 + (cut % lines.length)).join('\n')}\n`;
        if (left.trim() === '') return;
        const recovered = async (text: string) => {
          const chat = new FakeSession({ storage: new MemoryStorage({ [PATH]: text }), interactive: false });
          await chat.session.idle();
          const { state } = chat;
          await chat.session.suspend();
          return { text: chat.storage.files.get(PATH) ?? '', state: comparable(state) };
        };
        const once = await recovered(left);
        const twice = await recovered(once.text);
        expect(twice.state.turns.map(({ status }) => status.type)).toEqual(
          once.state.turns.map(({ status }) => status.type),
        );
        expect(twice.state).toEqual(once.state);
      }),
      { numRuns: rounds(15, 300) },
    );
  });
});

const CLAUDE = 'claude-opus-4-6';

/** Each request is one that a server of any wire accepts. */
function expectPaired({ model: { prompts } }: FakeSession): void {
  const bodies = new ChatBodies({ baseUrl: '' }, new RefusedFields());
  const messages = new MessagesBodies({ baseUrl: '' }, new RefusedFields());
  const breaches = prompts.flatMap((prompt) => [
    ...pairingBreaches({ wire: 'responses', input: prompt.input }),
    ...pairingBreaches({ wire: 'chat', input: JSON.parse(bodies.build(prompt).text).messages }),
    ...messagesBreachesOf(messages.build({ ...prompt, model: CLAUDE }).text),
  ]);
  expect(breaches).toEqual([]);
}

function messagesBreachesOf(text: string): readonly string[] {
  const body = JSON.parse(text);
  return pairingBreaches({ wire: 'messages', input: body.messages, body });
}

/** Lines of a rollout that name an ended turn, from any process. */
function lateEvents(text: string): string[] {
  const ended = new Set<string>();
  return text.split('\n').flatMap((line) => {
    const entry = parseLine(line);
    if (entry?.type !== 'event_msg') return [];
    const { turnId, msg } = entry.payload;
    const late = turnId !== null && ended.has(turnId);
    if (turnId !== null && (msg.type === 'turn_completed' || msg.type === 'turn_aborted')) ended.add(turnId);
    return late ? [`${msg.type} after the end of ${turnId}`] : [];
  });
}

/** Leaves out the lines that each process writes about itself. */
function comparable(state: ThreadState) {
  return { ...state, started: null, lastSeq: 0 };
}
