/** A thread in a side copy: where it reads and writes, and what holds there. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SideCopy } from '../../src/core/sideCopies/sideCopy.ts';
import type { AgentCopy } from '../../src/core/session/sessionOptions.ts';
import { SideCopies } from '../../src/node/sideCopies/sideCopies.ts';
import { agentScript, outputsOf } from '../support/agentScript.ts';
import { calls, says, waits } from '../support/modelServer.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';

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
    deps: ({ storage, locks, clock }) => {
      copies = new SideCopies({ home: storage.home, locks, clock });
      return { sideCopies: copies };
    },
  });
  if (copies === undefined) throw new Error('no ports');
  const signal = new AbortController().signal;
  const given = { roots: [home.folder.path], links: ['node_modules'], unsaved: new Map(), signal, progress: () => {} };
  const { copy } = await copies.make(given);
  const cwd = copy.folders[0]?.copy ?? '';
  const [settings, host] = home.thread;
  const thread = { ...settings, turn: { ...settings.turn, cwd } };
  const chat = home.with(await home.manager.start(thread, host));
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
    await home.manager.rules.add('workspace', { pattern: ['touch'], decision: 'forbidden' }, here);
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

  it('goes on in the workspace when its copy is gone', async () => {
    await using place = await startInCopy({ files: { 'a.txt': 'one\n' }, model: [[says('One.')], [says('Two.')]] });
    const { chat, home, copies, copy } = place;
    await chat.send('go');
    const id = chat.session.threadId;
    await home.manager.live.close(id, 'suspend');
    await copies.remove(copy.id);
    const resumed = await home.manager.resume({ id }, ...home.thread);
    if (resumed.type !== 'resumed') throw new Error(JSON.stringify(resumed));
    const again = home.with(resumed.session);
    await again.send('go on');
    expect(again.said('turn_started').at(-1)?.settings.cwd).toBe(home.folder.path);
  });
});

describe('agents that write at the same time', () => {
  const patch = (text: string) => PATCH.replace('+two', `+${text}`);

  /** Two workers that have both begun before one of them patches; each patches the same line. */
  async function two(sideCopies: 'never' | 'parallel') {
    const made: AgentCopy[] = [];
    let copies: SideCopies | undefined;
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
      deps: ({ storage, locks, clock }) => {
        const store = new SideCopies({ home: storage.home, locks, clock });
        copies = store;
        return { sideCopies: store };
      },
      host: {
        makeSideCopy: async (cwd, signal) => {
          const given = { roots: [cwd], links: [], unsaved: new Map(), signal, progress: () => {} };
          const { copy } = (await copies?.make(given)) ?? {};
          if (copies === undefined || copy === undefined) return undefined;
          const store = copies;
          const agentCopy = {
            folders: copy.folders,
            assign: (threadId: string) => store.assign(copy.id, threadId),
            discard: async () => void (await store.remove(copy.id)),
          };
          made.push(agentCopy);
          return agentCopy;
        },
      },
      model: agentScript({
        ROOT: [[task('ALPHA'), task('BETA')], [task('GAMMA')], [says('All done.')]],
        ALPHA: work('ALPHA'),
        BETA: work('BETA'),
        GAMMA: [[says('Alone.')]],
      }),
    });
    return { chat, made, copies };
  }

  it('work in side copies but the first, and their model reads that the changes are not home', async () => {
    const { chat: opened, made, copies } = await two('parallel');
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
      outputs.filter((output) => output.includes('not in the workspace until the user brings it home')),
    ).toHaveLength(1);
    expect(copies?.of(inCopy[0]?.agentId ?? '')?.folders).toEqual(made[0]?.folders);
  });

  it('share the workspace where the user wants no side copies', async () => {
    const { chat: opened, made } = await two('never');
    await using chat = opened;
    await chat.send('ROOT');
    expect(made).toEqual([]);
    expect(chat.state.agents.some(({ inSideCopy }) => inSideCopy === true)).toBe(false);
  });
});
