/** A thread in a side copy: where it reads and writes, and what holds there. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SideCopy } from '../../src/core/sideCopies/sideCopy.ts';
import type { AgentCopy } from '../../src/core/session/sessionOptions.ts';
import { copyNoticesPath } from '../../src/core/rollout/copyNotices.ts';
import { SideCopies } from '../../src/node/sideCopies/sideCopies.ts';
import { agentIds, agentScript, agentsEnd, outputsOf, userTexts } from '../support/agentScript.ts';
import { FakeLanguages } from '../support/fakeLanguages.ts';
import { calls, hangs, says, waits } from '../support/modelServer.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';

const ALPHA_AND_BETA = ['ALPHA', 'BETA'].map((message) => [calls('spawn_agent', { message, agent_type: 'worker' })]);
/** The id of the second agent. */
const beta = (request: Parameters<typeof agentIds>[0]) => agentIds(request)[1] ?? '';

interface InCopy extends AsyncDisposable {
  /** The thread in the workspace, which says nothing. */
  readonly home: Scenario;
  /** The thread in the copy. */
  readonly chat: Scenario;
  readonly copies: SideCopies;
  readonly copy: SideCopy;
  read(name: string): string;
}

async function startInCopy(options: ScenarioOptions): Promise<InCopy> {
  let copies: SideCopies | undefined;
  const home = await startScenario({
    ...options,
    deps: (ports) => {
      const { storage, locks, clock } = ports;
      copies = new SideCopies({ home: storage.home, locks, clock });
      return { ...options.deps?.(ports), sideCopies: copies };
    },
  });
  if (copies === undefined) throw new Error('no ports');
  const signal = new AbortController().signal;
  const given = { roots: [home.folder.path], links: ['node_modules'], unsaved: new Map(), signal, progress: () => {} };
  const { copy } = await copies.make(given);
  const cwd = copy.folders[0]?.copy ?? '';
  const [settings, host] = home.thread;
  const thread = { ...settings, turn: { ...settings.turn, cwd } };
  const chat = home.with(await home.service.start(thread, host));
  return {
    home,
    chat,
    copies,
    copy,
    read: (name) => readFileSync(path.join(cwd, name), 'utf8'),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

const PATCH = '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch';

describe('a thread in a side copy', () => {
  it('patches the copy, and its model knows where it works', async () => {
    await using place = await startInCopy({
      files: { 'a.txt': 'one\n' },
      model: [[calls('apply_patch', { input: PATCH })], [says('Done.')]],
    });
    const { chat, home, copies, copy, read } = place;
    await chat.send('go');
    expect(read('a.txt')).toBe('two\n');
    expect(home.files()).toEqual({ 'a.txt': 'one\n' });
    expect(chat.server.lastRequest.text).toContain('You work in a side copy');
    const changes = await copies.changes(copy.id, new AbortController().signal);
    expect(changes.map((change) => change.home)).toEqual([home.folder.at('a.txt')]);
  });

  it('is asked about by the rules of the workspace that it was made of', async () => {
    await using place = await startInCopy({
      files: { 'a.txt': 'one\n' },
      sandbox: 'danger-full-access',
      policy: 'never',
      model: [[calls('exec_command', { cmd: 'touch b.txt' })], [says('Done.')]],
    });
    const { chat, home } = place;
    const here = { cwd: home.folder.path, trusted: true };
    await home.service.rules.add('workspace', { pattern: ['touch'], decision: 'forbidden' }, here);
    await chat.send('go');
    expect(chat.items('command_execution')).toMatchObject([{ status: 'declined' }]);
  });

  it.skipIf(noSandbox)('writes in the copy from the sandbox, and nowhere in the workspace', async () => {
    await using place = await startInCopy({
      box: 'real',
      files: { 'a.txt': 'one\n', 'node_modules/p/index.js': 'p\n' },
      model: [
        [calls('exec_command', { cmd: 'echo two > a.txt; echo x > node_modules/p/new.js; git status --porcelain' })],
        [says('Done.')],
      ],
    });
    const { chat, home, read } = place;
    writeFileSync(home.folder.at('later.txt'), 'later\n');
    await chat.send('go');
    expect(read('a.txt')).toBe('two\n');
    expect(home.files()).toEqual({ 'a.txt': 'one\n', 'later.txt': 'later\n', 'node_modules/p/index.js': 'p\n' });
  });

  it('has no code navigation, which knows the workspace and would rename there', async () => {
    const languages = new FakeLanguages();
    const before = 'const load = 1;\n';
    const rename = { op: 'rename', symbol: 'load', path: 'lib.ts', line: 1, new_name: 'fetch' };
    await using place = await startInCopy({
      files: { 'lib.ts': before },
      deps: () => ({ languages }),
      model: [[calls('code_navigation', rename)], [says('Done.')]],
    });
    const { chat, home, read } = place;
    languages.at = (name) => home.folder.at(name);
    await chat.send('go');
    expect(chat.server.lastRequest.toolNames).not.toContain('code_navigation');
    expect(languages.requests).toEqual([]);
    expect([home.files(), read('lib.ts')]).toEqual([{ 'lib.ts': before }, before]);
  });

  it('goes on in the workspace when its copy is gone', async () => {
    await using place = await startInCopy({ files: { 'a.txt': 'one\n' }, model: [[says('One.')], [says('Two.')]] });
    const { chat, home, copies, copy } = place;
    await chat.send('go');
    const id = chat.session.threadId;
    await home.service.live.close(id, 'suspend');
    await copies.remove(copy.id);
    const resumed = await home.service.resume({ id }, ...home.thread);
    if (resumed.type !== 'resumed') throw new Error(JSON.stringify(resumed));
    const again = home.with(resumed.session);
    await again.send('go on');
    expect(again.said('turn_started').at(-1)?.settings.cwd).toBe(home.folder.path);
  });
});

/** A front door that makes side copies for agents. `progress`: called while one is made. */
function agentCopies(progress = () => {}) {
  const made: AgentCopy[] = [];
  let copies: SideCopies | undefined;
  const options = {
    deps: ({ storage, locks, clock }: Parameters<NonNullable<ScenarioOptions['deps']>>[0]) => {
      copies = new SideCopies({ home: storage.home, locks, clock });
      return { sideCopies: copies };
    },
    host: {
      makeSideCopy: async (cwd: string, signal: AbortSignal): Promise<AgentCopy | undefined> => {
        const store = copies;
        if (store === undefined) return undefined;
        const given = { roots: [cwd], links: [], unsaved: new Map(), signal, progress };
        const { copy } = await store.make(given);
        const agentCopy = {
          cwd: copy.folders[0]?.copy ?? '',
          folders: copy.folders,
          assign: (threadId: string) => store.assign(copy.id, threadId),
          discard: async () => void (await store.remove(copy.id)),
        };
        made.push(agentCopy);
        return agentCopy;
      },
    },
  };
  return {
    made,
    options,
    get copies(): SideCopies {
      if (copies === undefined) throw new Error('no ports');
      return copies;
    },
  };
}

/** The last request of a thread, by a message of its user. */
function lastOf({ server }: Scenario, message: string) {
  const found = server.requests.findLast((request) => userTexts(request).includes(message));
  if (found === undefined) throw new Error(`No thread has sent ${message}.`);
  return found;
}

describe('agents that write at the same time', () => {
  const patch = (text: string) => PATCH.replace('+two', `+${text}`);

  /** Two workers that have both begun before one of them patches; each patches the same line. */
  async function two(sideCopies: 'never' | 'parallel') {
    const place = agentCopies();
    let here = 0;
    let meet = () => {};
    const together = new Promise<void>((resolve) => (meet = resolve));
    const work = (name: string) => [
      () => {
        if (++here === 2) meet();
        return [waits(together), calls('apply_patch', { input: patch(name) })];
      },
      [says('Done.')],
    ];
    const task = (prompt: string) => calls('task', { agent: 'worker', prompt });
    const chat = await startScenario({
      files: { 'a.txt': 'one\n' },
      agents: { sideCopies },
      ...place.options,
      model: agentScript({
        ROOT: [
          [task('ALPHA'), task('BETA')],
          [task('GAMMA')],
          [says('All done.')],
          ...Array.from({ length: 3 }, () => [says('I see.')]),
        ],
        ALPHA: work('ALPHA'),
        BETA: work('BETA'),
        GAMMA: [[says('Alone.')]],
      }),
    });
    return { chat, place };
  }

  it('work in side copies but the first, and their model reads that the changes are not home', async () => {
    const { chat: opened, place } = await two('parallel');
    const { made, copies } = place;
    await using chat = opened;
    await chat.send('ROOT');
    // One that works alone, as the third, needs none.
    expect(made).toHaveLength(1);
    const inCopy = chat.state.agents.filter(({ inSideCopy }) => inSideCopy === true);
    expect(inCopy).toHaveLength(1);
    const folder = made[0]?.folders[0]?.copy ?? '';
    const texts = new Set([chat.files()['a.txt'], readFileSync(path.join(folder, 'a.txt'), 'utf8')]);
    expect(texts).toEqual(new Set(['ALPHA\n', 'BETA\n']));
    const outputs = outputsOf(chat.server.lastRequest);
    expect(
      outputs.filter((output) =>
        /Changed there: a\.txt\..* not in the workspace until the user brings it home.*tests.* work without it/.test(
          output,
        ),
      ),
    ).toHaveLength(1);
    expect(copies.of(inCopy[0]?.agentId ?? '')?.folders).toEqual(made[0]?.folders);
  });

  /** Returns the notices about side copies in the last request of the root thread. */
  const noticesIn = (chat: Scenario): readonly unknown[] =>
    userTexts(lastOf(chat, 'ROOT'))
      .filter((text) => text.startsWith('<subagent_notification>'))
      .map((text) => JSON.parse(text.split('\n')[1] ?? ''));
  const at = expect.stringMatching(/^2\d{3}-.*Z$/);
  const home = (agent_id: string) => ({
    agent_id,
    status: { brought_home: ['a.txt'], at, meaning: expect.stringContaining('the workspace has them now') },
  });
  const undone = (agent_id: string) => ({
    agent_id,
    status: { undone: ['a.txt'], at, meaning: expect.stringContaining('has undone') },
  });
  const copiedAgent = (chat: Scenario) =>
    chat.state.agents.find(({ inSideCopy }) => inSideCopy === true)?.agentId ?? '';

  it('have their changes home by the next request of their parent, and not any more after an undo', async () => {
    const { chat: opened, place } = await two('parallel');
    await using chat = opened;
    await chat.send('ROOT');
    const agentId = copiedAgent(chat);
    const file = chat.folder.at('a.txt');
    await chat.service.noteCopy(agentId, [file], 'brought_home');
    await chat.send('And now?');
    expect(noticesIn(chat)).toEqual([home(agentId)]);
    await chat.service.noteCopy(agentId, [file], 'undone');
    await chat.service.noteCopy('another', [file], 'undone');
    const many = Array.from({ length: 60 }, (_, index) => chat.folder.at(`${index}.txt`));
    await chat.service.noteCopy(agentId, many, 'brought_home');
    await chat.send('And now?');
    const [first, second, third, ...others] = noticesIn(chat);
    expect([first, second, others]).toEqual([home(agentId), undone(agentId), []]);
    const { status } = third as { status: { brought_home: string[]; more_files: number } };
    expect([status.brought_home.length, status.more_files]).toEqual([50, 10]);
    expect(place.made).toHaveLength(1);
  });

  it('have them home for their parent that another window opens again, once', async () => {
    const { chat: opened } = await two('parallel');
    await using chat = opened;
    await chat.send('ROOT');
    const agentId = copiedAgent(chat);
    const file = chat.folder.at('a.txt');
    await chat.service.live.close(chat.session.threadId, 'suspend');
    await chat.service.noteCopy(agentId, [file], 'brought_home');
    await using window = await startScenario({ resume: chat, model: [1, 2, 3].map(() => [says('I see.')]) });
    await window.send('And now?');
    expect(noticesIn(window)).toEqual([home(agentId)]);
    // The first window has the copy open while the other one has the thread.
    await chat.service.noteCopy(agentId, [file], 'undone');
    await chat.service.noteCopy(agentId, [file], 'brought_home');
    await window.send('And now?');
    const all = [home(agentId), undone(agentId), home(agentId)];
    expect(noticesIn(window)).toEqual(all);
    await window.send('And now?');
    expect(noticesIn(window)).toEqual(all);
  });

  it('have them home once where the process was killed when the rollout had the notice', async () => {
    const { chat: opened } = await two('parallel');
    await using chat = opened;
    await chat.send('ROOT');
    const agentId = copiedAgent(chat);
    const { threadId } = chat.session;
    await chat.service.noteCopy(agentId, [chat.folder.at('a.txt')], 'brought_home');
    const kept = chat.home.at(copyNoticesPath(threadId));
    const before = readFileSync(kept);
    await chat.send('And now?');
    await chat.service.live.close(threadId, 'suspend');
    writeFileSync(kept, before);
    await using window = await startScenario({ resume: chat, model: [[says('I see.')]] });
    await window.send('And now?');
    expect(noticesIn(window)).toEqual([home(agentId)]);
    expect(readFileSync(kept, 'utf8')).toBe('[]');
  });

  it.each([
    ['other_folder', 'none of the folders that the window has open'],
    ['not_made', 'none could be made'],
  ] as const)('share the workspace where there is no copy (%s), and their parent reads why', async (cause, reason) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await using chat = await startScenario({
      files: { 'a.txt': 'one\n' },
      agents: { tools: 'all', sideCopies: 'parallel' },
      host: { makeSideCopy: async () => cause },
      model: agentScript({
        ROOT: [
          ...ALPHA_AND_BETA,
          [calls('task', { agent: 'worker', prompt: 'GAMMA' })],
          () => {
            release();
            return [says('Done.')];
          },
        ],
        ALPHA: [[waits(held), says('Alpha.')]],
        BETA: [[waits(held), says('Beta.')]],
        GAMMA: [[calls('apply_patch', { input: patch('GAMMA') })], [says('Gamma.')]],
      }),
    });
    await chat.send('ROOT');
    await agentsEnd(chat);
    const outputs = outputsOf(lastOf(chat, 'ROOT'));
    expect(outputs.map((output) => output.includes(reason))).toEqual([false, true, true]);
    expect(outputs[2]).toMatch(/^Gamma\.\n\nThis agent has no side copy, because/);
    expect(chat.state.agents.map(({ noSideCopy }) => noSideCopy)).toEqual([undefined, cause, cause]);
    expect(chat.files()).toEqual({ 'a.txt': 'GAMMA\n' });
  });

  it('share the workspace where the user wants no side copies', async () => {
    const {
      chat: opened,
      place: { made },
    } = await two('never');
    await using chat = opened;
    await chat.send('ROOT');
    expect(made).toEqual([]);
    expect(chat.state.agents.some(({ inSideCopy }) => inSideCopy === true)).toBe(false);
  });

  it('tell their parent in a wait, too, and not after the copy was removed and the agent opened again', async () => {
    const place = agentCopies();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const copyOf = (id: string) => place.copies.of(id)?.id ?? 'none';
    await using chat = await startScenario({
      files: { 'a.txt': 'one\n' },
      agents: { tools: 'all', sideCopies: 'parallel' },
      ...place.options,
      model: agentScript({
        ROOT: [
          ...ALPHA_AND_BETA,
          (request) => [calls('wait', { ids: [beta(request)] })],
          (request) => [calls('close_agent', { id: beta(request) })],
          (request) => [
            waits(place.copies.remove(copyOf(beta(request)))),
            calls('resume_agent', { id: beta(request) }),
          ],
          (request) => [calls('send_input', { id: beta(request), message: 'Again.' })],
          (request) => [calls('wait', { ids: [beta(request)] })],
          () => {
            release();
            return [says('Done.')];
          },
        ],
        ALPHA: [[waits(held), says('Alpha.')]],
        BETA: [[calls('apply_patch', { input: patch('BETA') })], [says('Beta.')], [says('Beta again.')]],
      }),
    });
    await chat.send('ROOT');
    const last = lastOf(chat, 'ROOT');
    const statuses = outputsOf(last).filter((output) => output.includes('timed_out'));
    expect(statuses).toHaveLength(2);
    expect(statuses[0]).toContain('not in the workspace until the user brings it home');
    expect(JSON.parse(statuses[0] ?? '').changed_in_side_copies).toEqual({ [beta(last)]: ['a.txt'] });
    expect(statuses[1]).not.toContain('side copy');
    expect(place.made).toHaveLength(1);
    expect(chat.files()).toEqual({ 'a.txt': 'one\n' });
    expect(chat.state.agents.some(({ inSideCopy }) => inSideCopy === true)).toBe(false);
  });

  it('work in a side copy, too, while one that had ended works again', async () => {
    const place = agentCopies();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const first = (request: Parameters<typeof agentIds>[0]) => agentIds(request)[0] ?? '';
    await using chat = await startScenario({
      files: { 'a.txt': 'one\n' },
      agents: { tools: 'all', sideCopies: 'parallel' },
      ...place.options,
      model: agentScript({
        ROOT: [
          [calls('spawn_agent', { message: 'ALPHA', agent_type: 'worker' })],
          (request) => [calls('wait', { ids: [first(request)] })],
          (request) => [calls('send_input', { id: first(request), message: 'Again.' })],
          [calls('task', { agent: 'worker', prompt: 'BETA' })],
          (request) => {
            release();
            return [calls('wait', { ids: [first(request)] })];
          },
          [calls('task', { agent: 'worker', prompt: 'GAMMA' })],
          [says('Done.')],
        ],
        ALPHA: [[says('Alpha.')], [waits(held), says('Alpha again.')]],
        BETA: [[calls('apply_patch', { input: patch('BETA') })], [says('Beta.')]],
        GAMMA: [[calls('apply_patch', { input: patch('GAMMA') })], [says('Gamma.')]],
      }),
    });
    await chat.send('ROOT');
    expect(chat.state.agents.map(({ inSideCopy }) => inSideCopy)).toEqual([undefined, true, undefined]);
    expect([chat.files(), place.made.length]).toEqual([{ 'a.txt': 'GAMMA\n' }, 1]);
  });

  it('leave no copy when their parent is stopped while it is made, and the next one works in the workspace', async () => {
    const stop = () => chat.service.live.submit(chat.session.threadId, { type: 'interrupt' });
    const place = agentCopies(() => void stop());
    await using chat = await startScenario({
      files: { 'a.txt': 'one\n' },
      agents: { tools: 'all', sideCopies: 'parallel' },
      ...place.options,
      model: agentScript({
        ROOT: [...ALPHA_AND_BETA],
        ALPHA: [[hangs()]],
        NEXT: [
          [calls('spawn_agent', { message: 'GAMMA', agent_type: 'worker' })],
          (request) => [calls('wait', { ids: [agentIds(request).at(-1)] })],
          [says('Done.')],
        ],
        GAMMA: [[calls('apply_patch', { input: patch('GAMMA') })], [says('Patched.')]],
      }),
    });
    expect(await chat.send('ROOT')).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    await agentsEnd(chat);
    expect(place.copies.all).toEqual([]);
    expect(readdirSync(chat.home.at('copies'))).toEqual([]);
    expect(chat.state.agents.map(({ state }) => state)).toEqual(['interrupted']);
    expect(await chat.send('NEXT')).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    expect([chat.files(), place.copies.all]).toEqual([{ 'a.txt': 'GAMMA\n' }, []]);
  });

  it('go on in their copies when the thread that has started them was suspended and is opened again', async () => {
    const place = agentCopies();
    await using chat = await startScenario({
      files: { 'a.txt': 'one\n' },
      agents: { tools: 'all', sideCopies: 'parallel' },
      ...place.options,
      model: agentScript({
        ROOT: [...ALPHA_AND_BETA, (request) => [calls('wait', { ids: [beta(request)] })], [says('Waiting.')]],
        ALPHA: [[hangs()]],
        BETA: [[says('Ready.')], [calls('apply_patch', { input: patch('BETA') })], [says('Patched.')]],
        NEXT: [
          (request) => [calls('resume_agent', { id: beta(request) })],
          (request) => [calls('send_input', { id: beta(request), message: 'Patch it.' })],
          (request) => [calls('wait', { ids: [beta(request)] })],
          [says('Done.')],
        ],
      }),
    });
    await chat.send('ROOT');
    const id = chat.session.threadId;
    await chat.service.live.close(id, 'suspend');
    const resumed = await chat.service.resume({ id }, ...chat.thread);
    if (resumed.type !== 'resumed') throw new Error(JSON.stringify(resumed));
    await using again = chat.with(resumed.session);
    await again.send('NEXT');
    const folder = place.made[0]?.folders[0]?.copy ?? '';
    expect([readFileSync(path.join(folder, 'a.txt'), 'utf8'), chat.files()]).toEqual(['BETA\n', { 'a.txt': 'one\n' }]);
    const last = lastOf(chat, 'NEXT');
    expect(outputsOf(last).at(-1)).toContain(`"changed_in_side_copies":{"${beta(last)}":["a.txt"]}`);
    // The notice has only the agent that no wait has returned: the one that was stopped.
    const notices = userTexts(last).filter((text) => text.startsWith('<subagent_notification>'));
    expect(notices).toEqual([expect.stringContaining('"errored":"Interrupted"')]);
    expect(again.state.agents.map(({ inSideCopy }) => inSideCopy)).toEqual([undefined, true]);
  });
});
