/**
 * Recipes of recorded threads. A recipe contains the responses of the model and the actions of the user and the client;
 * running it records the thread.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Ports } from '../../src/core/ports.ts';
import type { Skill } from '../../src/core/skills/skillFile.ts';
import type { UserInput } from '../../src/protocol/item.ts';
import type { OpOf } from '../../src/protocol/op.ts';
import { dataUrl, png } from './images.ts';
import {
  type Answer,
  calls,
  callsCustom,
  callsLocalShell,
  cuts,
  endsTurn,
  fails,
  hangs,
  reasons,
  says,
  searches,
  type Step,
  usage,
} from './modelServer.ts';
import { agentScript } from './agentScript.ts';
import { inTimeZone } from './timeZone.ts';
import { type Scenario, type ScenarioOptions, startScenario } from './startScenario.ts';

export interface ThreadRecipe {
  readonly name: string;
  /** Runs the recipe. Resolves with the scenario whose thread is the recording, and ends all others. */
  readonly record: (begin: Begin) => Promise<Scenario>;
}

/** Like `startScenario`, but each recording has the same ids and times. */
type Begin = typeof startScenario;

/**
 * Returns a `startScenario` that gives the same ids in each recording, and in which the clock stands still. Waits take
 * real time.
 */
function steadyBegin(): Begin {
  let ids = 0;
  const now = () => new Date('2026-01-15T12:00:00.000Z');
  const deps = (real: Ports): Partial<Ports> => ({
    clock: { ...real.clock, now, monotonic: () => 0 },
    ids: {
      uuid: () => `019bc1a0-0000-7000-8000-${String(++ids).padStart(12, '0')}`,
      next: (prefix) => `${prefix}_${++ids}`,
      random: () => 0.5,
    },
    host: { ...real.host, shell: '/bin/bash', ...inTimeZone('Europe/Berlin') },
  });
  return (options) => startScenario({ baseInstructions: 'Recorded.', atOnce: true, ...options, deps });
}

/**
 * Runs a recipe and returns its rollout. Folders of the machine and the port are replaced by names that are the same in
 * each recording; everything else is unchanged.
 */
export async function recordingOf(record: ThreadRecipe['record']): Promise<string> {
  const chat = await record(steadyBegin());
  await chat.session.dispose();
  await chat.server.close();
  const rollouts = readdirSync(chat.home.at('threads'), { recursive: true, encoding: 'utf8' });
  const rollout = rollouts.find((name) => name.endsWith(`${chat.session.threadId}.jsonl`)) ?? '';
  const recorded = readFileSync(chat.home.at('threads', rollout), 'utf8')
    .replaceAll(chat.folder.path, '/home/user/project')
    .replaceAll(chat.home.path, '/home/user/.tiller')
    .replaceAll(new URL(chat.server.baseUrl).origin, 'http://127.0.0.1:1234');
  chat.folder[Symbol.dispose]();
  chat.home[Symbol.dispose]();
  return recorded;
}

const text = (said: string): UserInput[] => [{ type: 'text', text: said }];
const exec = (cmd: string, more: object = {}): Step => calls('exec_command', { cmd, yield_time_ms: 20_000, ...more });
const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const change = (from: string, to: string) => patch('*** Update File: a.txt', '@@', `-${from}`, `+${to}`);
const add = (file: string, line: string) => patch(`*** Add File: ${file}`, `+${line}`);
const free = { sandbox: 'danger-full-access' } as const;
const openai = { provider: { dialect: 'openai' } } as const;

/** Returns a usage with this total. */
function uses(total: number): Step {
  return usage({ input: total - 10, output: 10, total });
}

function sessionIn(output: string): number {
  return Number(/^Process running with session ID (\d+)$/m.exec(output)?.[1]);
}

/** Sends input to the first background process. */
function writes(chars: string, more: object = {}): Answer {
  return ({ input }) => {
    const texts = input.map((item) => String(item['output'] ?? item['content']));
    const sessionId = sessionIn(texts.find((output) => sessionIn(output) > 0) ?? '');
    return [calls('write_stdin', { session_id: sessionId, chars, yield_time_ms: 500, ...more })];
  };
}

function start(chat: Scenario, said = 'go', more: Partial<OpOf<'user_turn'>> = {}) {
  const ended = chat.turnEnds();
  chat.submit({ type: 'user_turn', input: text(said), ...more });
  return ended;
}

async function commandStarts(chat: Scenario, command: string): Promise<void> {
  while (true) {
    const { item } = await chat.next('item_started');
    if (item.type === 'command_execution' && item.command === command) return;
  }
}

async function commandEnds(chat: Scenario, command: string): Promise<void> {
  while (true) {
    const { item } = await chat.next('item_completed');
    if (item.type === 'command_execution' && item.command === command) return;
  }
}

/** Returns the recipe of a thread with one message. `meanwhile`: the actions while its turn runs. */
function recipe(name: string, options: ScenarioOptions, meanwhile?: (chat: Scenario) => Promise<void>): ThreadRecipe {
  return conversation(name, options, async (chat) => {
    const ended = start(chat);
    await meanwhile?.(chat);
    await ended;
  });
}

function conversation(name: string, options: ScenarioOptions, talk: (chat: Scenario) => Promise<void>): ThreadRecipe {
  return {
    name,
    record: async (begin) => {
      const chat = await begin(options);
      await talk(chat);
      return chat;
    },
  };
}

const TWENTY = `${Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join('\n')}\n`;
const THREE_HUNKS = patch(
  '*** Update File: a.txt',
  ...['2', '10', '18'].flatMap((number) => ['@@', `-line ${number}`, `+LINE ${number}`]),
);
const camera = { name: 'camera', description: 'Takes a picture.', inputSchema: { type: 'object', properties: {} } };

export const THREAD_RECIPES: readonly ThreadRecipe[] = [
  recipe('answer-responses', { model: [[says('Hello.')]] }),
  recipe('answer-chat', { wire: 'chat', model: [[says('Hello.')]] }),
  recipe('reasoning-responses', {
    ...openai,
    modelName: 'gpt-5.5',
    model: [
      [reasons(['Look.', 'Then say.'], { encrypted: 'opaque' }), says('Soon.', { phase: 'commentary' }), exec('pwd')],
      [says('Done.', { phase: 'final_answer' })],
    ],
    ...free,
  }),
  recipe('reasoning-chat', {
    wire: 'chat',
    model: [[reasons('Think.', { raw: 'Let me think.' }), says('First.'), exec('echo one')], [says('Done.')]],
    ...free,
  }),
  recipe('reasoning-messages', {
    wire: 'messages',
    modelName: 'claude-opus-4-6',
    model: [
      [
        reasons('Think.', { encrypted: 'signed' }),
        says('First.'),
        // There is only one command: of two commands that only read, either could end first.
        calls('update_plan', { plan: [{ step: 'Look', status: 'completed' }] }),
        exec('echo one'),
      ],
      [says('Done.')],
    ],
    ...free,
  }),
  recipe('commands', {
    model: [
      [exec('echo out; echo err >&2')],
      [exec('echo no; exit 3')],
      [exec('pwd', { workdir: 'missing' })],
      [says('Done.')],
    ],
    ...free,
  }),
  recipe(
    'commands-side-by-side-chat',
    {
      wire: 'chat',
      model: [
        [says('Both.'), exec('echo one'), exec('until [ -e go ]; do sleep 0.01; done; echo two')],
        [says('Done.')],
      ],
      ...free,
    },
    // Wait for the first command, because otherwise either one could end first.
    async (chat) => {
      await commandEnds(chat, 'echo one');
      writeFileSync(chat.folder.at('go'), '');
    },
  ),
  recipe('local-shell', {
    ...openai,
    modelName: 'codex-mini-latest',
    model: [[callsLocalShell(['echo', 'local'])], [says('Done.')]],
    ...free,
  }),
  recipe('plan', {
    model: [
      [calls('update_plan', { explanation: 'First.', plan: [{ step: 'Look', status: 'in_progress' }] })],
      [calls('update_plan', { plan: [{ step: 'Look', status: 'completed' }] })],
      [says('Done.')],
    ],
  }),
  recipe('patch-applied', {
    files: { 'a.txt': 'one\n' },
    model: [[calls('apply_patch', { input: change('one', 'two') })], [says('Done.')]],
  }),
  recipe('patch-freeform', {
    ...openai,
    modelName: 'gpt-5.5',
    files: { 'a.txt': 'one\n' },
    model: [[says('I edit.'), callsCustom('apply_patch', change('one', 'two'))], [says('Done.')]],
  }),
  recipe('patch-chat', {
    wire: 'chat',
    model: [[calls('apply_patch', { input: add('new.txt', 'n') })], [says('Done.')]],
  }),
  recipe('patch-does-not-fit', {
    files: { 'a.txt': 'one\n' },
    model: [
      [calls('apply_patch', { input: change('three', 'two') })],
      [calls('apply_patch', { input: change('one', 'two') })],
      [says('Done.')],
    ],
  }),
  recipe(
    'patch-denied',
    {
      review: 'before',
      files: { 'a.txt': 'one\n' },
      model: [[calls('apply_patch', { input: change('one', 'two') })], [says('As you like.')]],
    },
    (chat) => chat.answer({ denied: { message: 'Keep it.' } }),
  ),
  recipe(
    'patch-partly-accepted',
    {
      review: 'before',
      files: { 'a.txt': TWENTY },
      model: [[calls('apply_patch', { input: THREE_HUNKS })], [says('Done.')]],
    },
    (chat) => chat.answer({ approved_reviewed: { files: [{ path: 'a.txt', leftOut: [1] }] } }),
  ),
  recipe('patch-outside-forbidden', {
    policy: 'never',
    model: [[calls('apply_patch', { input: add('/etc/tiller-recording', 'x') })], [says('Right.')]],
  }),
  recipe('approved', { policy: 'untrusted', model: [[exec('touch a')], [says('Done.')]] }, (chat) =>
    chat.answer('approved'),
  ),
  recipe('denied', { policy: 'untrusted', wire: 'chat', model: [[exec('touch a')], [says('Then not.')]] }, (chat) =>
    chat.answer({ denied: { message: 'Not here.' } }),
  ),
  recipe(
    'approved-for-thread',
    { policy: 'untrusted', model: [[exec('touch a')], [exec('touch a')], [says('Done.')]] },
    (chat) => chat.answer('approved_for_thread'),
  ),
  recipe(
    'approved-by-rule',
    { policy: 'untrusted', model: [[exec('touch a')], [exec('touch b')], [says('Done.')]] },
    (chat) => chat.answer({ approved_rule: { rule: { pattern: ['touch'], decision: 'allow' }, scope: 'thread' } }),
  ),
  recipe(
    'one-answer-for-two',
    { policy: 'untrusted', model: [[exec('touch a'), exec('touch a'), exec('touch b')], [says('Done.')]] },
    async (chat) => {
      // Wait for all requests, also that of the last command, which could come after the answer.
      while (chat.said('approval_requested').length < 2) await chat.next('approval_requested');
      if (chat.said('approval_joined').length === 0) await chat.next('approval_joined');
      const resolved = chat.next('approval_resolved');
      await chat.answer('approved');
      await resolved;
      await chat.answer({ denied: {} });
    },
  ),
  conversation(
    'stopped-at-a-question',
    { policy: 'untrusted', model: [[exec('touch a')], [says('What then?')]] },
    async (chat) => {
      const ended = start(chat);
      await chat.answer('abort');
      await ended;
      await chat.send('go on');
    },
  ),
  recipe('nobody-to-ask', {
    policy: 'untrusted',
    interactive: false,
    model: [[exec('touch a')], [says('I may not.')]],
  }),
  conversation('interrupted-answer', { model: [[says('I begin to'), hangs()], [says('Yes.')]] }, async (chat) => {
    const ended = start(chat);
    // The two pieces of the message may arrive at different times.
    const received = () => chat.said('item_delta').reduce((sum, { text }) => sum + text, '');
    while (received() !== 'I begin to') await chat.next('item_delta');
    chat.submit({ type: 'interrupt' });
    await ended;
    await chat.send('still there?');
  }),
  conversation(
    'interrupted-command',
    { model: [[exec('echo one')], [says('I wait.'), exec('sleep 60')], [says('Stopped.')]], ...free },
    async (chat) => {
      const ended = start(chat);
      await commandStarts(chat, 'sleep 60');
      chat.submit({ type: 'interrupt' });
      await ended;
      await chat.send('what happened?');
    },
  ),
  recipe('steered', { model: [[exec('sleep 0.5')], [says('Both.')]], ...free }, async (chat) => {
    await commandStarts(chat, 'sleep 0.5');
    const kept = chat.submit({ type: 'steer', input: text('also thsi') });
    const withdrawn = chat.submit({ type: 'steer', input: text('never mind') });
    chat.submit({ type: 'edit_queued', id: kept, input: text('also this') });
    chat.submit({ type: 'edit_queued', id: withdrawn, input: null });
  }),
  recipe('background-process', {
    model: [
      [exec('read line; echo got $line; sleep 60', { tty: true, yield_time_ms: 250 })],
      writes('hello\n'),
      writes('\u0003'),
      [says('Done.')],
    ],
    ...free,
  }),
  conversation('image', { model: [[says('A dot.')], [says('Still.')]] }, async (chat) => {
    await chat.send('see', { input: [...text('see'), { type: 'image', imageUrl: dataUrl(png()) }] });
    await chat.send('again');
  }),
  conversation(
    'mentions',
    { files: { 'a.txt': 'one\ntwo\n' }, model: [[says('Two lines.')], [says('Still.')]] },
    async (chat) => {
      const mention = { type: 'mention', kind: 'file', name: 'a.txt', path: 'a.txt' } as const;
      const gone = { ...mention, name: 'gone.txt', path: 'gone.txt' };
      await chat.send('', { input: [...text('see @a.txt and @gone.txt'), mention, gone] });
      chat.write('a.txt', 'changed\n');
      await chat.send('again');
    },
  ),
  conversation(
    'view-image',
    {
      // The calls are in separate rounds: together they could end in either order.
      model: [[calls('view_image', { path: 'dot.png' })], [calls('view_image', { path: 'a.txt' })], [says('A dot.')]],
      files: { 'a.txt': 'one\n' },
    },
    async (chat) => {
      writeFileSync(chat.folder.at('dot.png'), png(2, 2));
      await start(chat);
    },
  ),
  conversation(
    'image-refused',
    {
      model: [
        [fails(400, { message: 'The image data you provided does not represent a valid image.' })],
        [says('I see none.')],
        [says('No.')],
      ],
    },
    async (chat) => {
      await chat.send('see', { input: [...text('see'), { type: 'image', imageUrl: dataUrl(png(2, 2)) }] });
      await chat.send('none at all?');
    },
  ),
  conversation('client-tool', { wire: 'chat', model: [[calls('camera')], [says('Click.')]] }, async (chat) => {
    chat.submit({ type: 'register_tools', tools: [camera] });
    const requested = chat.next('dynamic_tool_requested');
    const ended = start(chat);
    const { callId } = await requested;
    const contentItems = [
      { type: 'input_text' as const, text: 'Click.' },
      { type: 'input_image' as const, imageUrl: dataUrl(png()) },
    ];
    chat.submit({ type: 'dynamic_tool_response', callId, contentItems, success: true });
    await ended;
  }),
  recipe('retried', {
    model: [[fails(503)], [says('I look.'), exec('echo once'), cuts()], [says('Half'), cuts()], [says('Done.')]],
    ...free,
  }),
  recipe('tasks-of-agents', {
    model: agentScript({
      go: [
        [calls('task', { agent: 'explorer', prompt: 'ONE' })],
        [calls('task', { agent: 'nobody', prompt: 'x' })],
        [says('Done.')],
      ],
      ONE: [[says('One.')]],
    }),
    ...free,
  }),
  conversation(
    'failed-and-tried-again',
    { model: [[fails(401, { message: 'no such key' })], [says('Now.')]] },
    async (chat) => {
      await chat.send('go');
      const ended = chat.turnEnds();
      chat.submit({ type: 'retry' });
      await ended;
    },
  ),
  conversation(
    'paused',
    { maxToolRounds: 2, model: [[exec('echo 1')], [exec('echo 2')], [says('Three.')]], ...free },
    async (chat) => {
      await chat.send('count');
      const ended = chat.turnEnds();
      chat.submit({ type: 'retry' });
      await ended;
    },
  ),
  conversation(
    'paused-at-caps',
    {
      caps: { turn: { tokens: 1000, cost: null }, day: { tokens: 5000, cost: null } },
      model: [
        [exec('echo 1'), uses(400)],
        [exec('echo 2'), uses(500)],
        [says('Two.'), uses(50)],
        [exec('echo 3'), uses(1200)],
        [exec('echo 4'), uses(3000)],
        [says('Four.'), uses(10)],
      ],
      ...free,
    },
    async (chat) => {
      await chat.send('go');
      const answers = async (label: string) => {
        while (chat.state.questions.length === 0) await chat.next('question_requested');
        const questionId = chat.state.questions[0]?.questionId ?? '';
        chat.submit({ type: 'user_input_answer', questionId, answers: { cap: [label] } });
      };
      const again = async (...labels: readonly string[]) => {
        const ended = chat.turnEnds();
        for (const label of labels) {
          await answers(label);
          if (label === 'Continue') await chat.next('question_resolved');
        }
        await ended;
      };
      const ended = chat.turnEnds();
      chat.submit({ type: 'user_turn', input: text('more') });
      await answers('Stop');
      await ended;
      // The cap of the turn is reached after its first request, that of the day before the first request of the next
      // turn.
      const retry = () => void chat.submit({ type: 'retry' });
      retry();
      await again('Continue', 'Stop');
      retry();
      await again('Stop');
      retry();
      await again('Continue');
    },
  ),
  recipe('the-same-call-again', {
    model: [[exec('echo 1')], [exec('echo 1')], [exec('echo 1')], [says('Enough.')]],
    ...free,
  }),
  recipe('unusable-calls', {
    model: [[calls('frobnicate', {})], [calls('exec_command', '{"cmd":')], [says('Sorry.')]],
  }),
  recipe(
    'questions',
    {
      model: [
        [
          calls('request_user_input', {
            questions: [
              {
                id: 'colour',
                header: 'Colour',
                question: 'Which colour?',
                options: [
                  { label: 'Red', description: 'Like a rose.' },
                  { label: 'Blue', description: 'Like the sky.' },
                ],
              },
            ],
          }),
        ],
        [says('Done.')],
      ],
    },
    async (chat) => {
      const { request } = await chat.next('question_requested');
      const answers = { colour: ['Neither: green'] };
      chat.submit({ type: 'user_input_answer', questionId: request.questionId, answers });
    },
  ),
  recipe('web-search', { ...openai, modelName: 'gpt-5', model: [[searches('tiller'), says('Found.')]] }),
  recipe('goes-on-by-itself', { model: [[says('One.'), endsTurn(false)], [says('Two.')]] }),
  conversation(
    'settings-changed',
    {
      files: { 'AGENTS.md': 'Use tabs.\n', 'sub/AGENTS.md': 'Use spaces.\n' },
      model: [[says('One.')], [says('Two.')], [says('Three.')]],
    },
    async (chat) => {
      await chat.send('one');
      await chat.send('two', { overrides: { policy: 'never', cwd: 'sub', effort: 'low' } });
      chat.submit({ type: 'override_turn_context', box: { type: 'read-only', networkAccess: false } });
      chat.submit({ type: 'set_title', title: 'Settings' });
      await chat.send('three');
    },
  ),
  conversation(
    'output-removed',
    { model: [[exec('echo secret')], [says('Done.')], [says('Gone.')]], ...free },
    async (chat) => {
      await chat.send('go');
      const [item] = chat.items('command_execution');
      chat.submit({ type: 'purge_output', itemId: item?.id ?? '' });
      await chat.send('again');
    },
  ),
  {
    name: 'resumed',
    record: async (begin) => {
      const first = await begin({ model: [[exec('echo one')], [says('One.')]], ...free });
      await first.send('one');
      await first[Symbol.asyncDispose]();
      const second = await begin({ model: [[says('Two.')]], resume: first, ...free });
      await second.send('two');
      return second;
    },
  },
  {
    name: 'memory-of-another-thread',
    record: async (begin) => {
      const first = await begin({
        model: [
          [says('It is heron.')],
          ({ text: sent }) => [calls('get_memory', { memory_id: /- ([0-9a-f-]{36}) \(/.exec(sent)?.[1] ?? '' })],
          [says('Heron.')],
          [says('Yes.')],
        ],
        memory: true,
        ...free,
      });
      await first.send('Remember the word');
      await first.service.memoriesWritten();
      const second = await first.another();
      await first.session.dispose();
      await second.send('Which word was it?');
      await second.send('Sure?');
      return second;
    },
  },
  {
    name: 'skills',
    record: async (begin) => {
      const skill: Skill = {
        kind: 'skill',
        name: 'deploy',
        description: `Deploys <it>. ${'Use it for releases. '.repeat(20)}`,
        argumentHint: '',
        source: '/home/me/.agents/skills/deploy/SKILL.md',
        text: 'Ship it to $ARGUMENTS.',
        allowedTools: null,
        forModel: true,
        forUser: true,
      };
      let skills: readonly Skill[] = [skill];
      const chat = await begin({
        model: [[says('Shipped.')], [says('There are two.')], [says('None.')]],
        host: { skills: async () => skills },
        ...free,
      });
      await chat.send('/deploy staging');
      skills = [skill, { ...skill, name: 'test', description: 'Tests.' }];
      await chat.send('Which skills are there?');
      skills = [];
      await chat.send('And now?');
      return chat;
    },
  },
  {
    name: 'resumed-at-a-question',
    record: async (begin) => {
      const options: ScenarioOptions = { policy: 'untrusted', model: [[exec('touch a')]] };
      const first = await begin(options);
      void start(first);
      await first.next('approval_requested');
      await first.session.suspend();
      await first.server.close();
      const second = await begin({ ...options, model: [[says('Done.')]], resume: first });
      const ended = second.turnEnds();
      await second.answer('approved');
      await ended;
      return second;
    },
  },
  {
    name: 'forked',
    record: async (begin) => {
      const first = await begin({ model: [[says('One.')], [says('Two.')], [says('Three.')]] });
      await first.send('one');
      await first.send('two');
      const message = first.items('user_message')[1]?.id ?? '';
      const forked = await first.service.fork({ id: first.session.threadId }, message, ...first.thread);
      if (forked.type !== 'resumed') throw new Error(JSON.stringify(forked));
      await first.session.dispose();
      const second = first.with(forked.session);
      await second.send('another two');
      return second;
    },
  },
];
