// Calls of one response that only read run beside each other; a call that changes something runs alone, in its turn.
import { readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ExecRequest, Ports } from '../../src/core/ports.ts';
import { calls, says } from '../support/modelServer.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { startScenario } from '../support/startScenario.ts';

const run = (cmd: string) => calls('exec_command', { cmd });
const print = (name: string) => run(`cat ${name}.txt`);

/** Commands that start only when as many were started as `together` says. */
function startingTogether(together: number) {
  const scripts: string[] = [];
  let atOnce = 0;
  let most = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const deps = ({ exec }: Ports): Partial<Ports> => ({
    exec: {
      async spawn(request: ExecRequest) {
        scripts.push(request.argv.at(-1) ?? '');
        most = Math.max(most, ++atOnce);
        if (scripts.length === together) release();
        await released;
        const child = await exec.spawn(request);
        void child.exited.then(() => atOnce--);
        return child;
      },
    },
  });
  return { deps, scripts, most: () => most };
}

/** Returns the number of open descriptors of this process; 0 where the system does not list them. */
function openDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}

function outputsOf(chat: { outputs(): string[] }): string[] {
  return chat.outputs().map((output) => output.split('Output:\n')[1] ?? output);
}

describe('calls of one response that only read', () => {
  it('are shown above a patch behind them, which is shown while the model writes it', async () => {
    const patch = '*** Begin Patch\n*** Update File: one.txt\n@@\n-one\n+two\n*** End Patch';
    await using chat = await startScenario({
      files: { 'one.txt': 'one\n' },
      model: [[print('one'), print('one'), calls('apply_patch', { input: patch }, { deltas: 4 })], [says('Done.')]],
    });
    await chat.send('go');
    const shown = chat.said('item_started').map(({ item }) => item.type);
    expect(shown).toEqual(['user_message', 'command_execution', 'command_execution', 'file_change', 'agent_message']);
    const [change] = chat.items('file_change');
    const written = chat.said('item_delta').filter(({ itemId }) => itemId === change?.id);
    expect(written.map(({ text }) => text).join('')).toBe(written.length === 0 ? '' : patch);
    expect(chat.files()).toEqual({ 'one.txt': 'two\n' });
  });

  it('run beside each other, with rows and outputs in the order of the calls', async () => {
    const { deps } = startingTogether(3);
    const names = ['one', 'two', 'three'];
    await using chat = await startScenario({
      files: Object.fromEntries(names.map((name) => [`${name}.txt`, `${name}\n`])),
      model: [names.map(print), [says('Done.')]],
      deps,
    });
    expect(await chat.send('go')).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    expect(outputsOf(chat)).toEqual(['one\n', 'two\n', 'three\n']);
    const shown = chat.said('item_started').flatMap(({ item }) => (item.type === 'command_execution' ? item : []));
    expect(shown.map(({ command }) => command)).toEqual(names.map((name) => `cat ${name}.txt`));
  });

  it('wait for a call before them that changes something, and are waited for by one after them', async () => {
    const { deps, scripts } = startingTogether(1);
    await using chat = await startScenario({
      files: { 'a.txt': 'old\n' },
      policy: 'never',
      sandbox: 'danger-full-access',
      model: [[print('a'), run('sleep 0.3; cat a.txt'), run('echo new > a.txt'), print('a')], [says('Done.')]],
      deps,
    });
    await chat.send('go');
    expect(outputsOf(chat)).toEqual(['old\n', 'old\n', '', 'new\n']);
    expect(scripts.at(-2)).toBe('echo new > a.txt');
  });

  it('run alone when a rule asks about them', async () => {
    const { deps, most } = startingTogether(1);
    await using chat = await startScenario({
      files: { 'a.txt': 'a\n', 'b.txt': 'b\n' },
      model: [[print('a'), print('b')], [says('Done.')]],
      deps,
    });
    const rule = { pattern: ['cat'], decision: 'prompt' };
    writeFileSync(chat.home.at('rules.json'), JSON.stringify({ version: 1, rules: [rule] }));
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    while (chat.state.approvals.length < 2) await chat.next('approval_requested');
    const approvalIds = chat.state.approvals.map(({ approvalId }) => approvalId);
    chat.submit({ type: 'approval', approvalIds, decision: 'approved' });
    await ended;
    expect(outputsOf(chat)).toEqual(['a\n', 'b\n']);
    expect(most()).toBe(1);
  });

  it.each([undefined, ...(noSandbox === false ? (['real'] as const) : [])])(
    'run at most sixteen at once, each once, hold up no call after them, and leave nothing behind (sandbox: %s)',
    async (box) => {
      const { deps, scripts, most } = startingTogether(16);
      const names = Array.from({ length: 64 }, (_, index) => `file${index}`);
      const all = [...names.map(print), run('echo new > file0.txt'), print('file0')];
      await using chat = await startScenario({
        files: Object.fromEntries(names.map((name) => [`${name}.txt`, `${name}\n`])),
        model: [all, [says('Done.')]],
        ...(box === undefined ? { sandbox: 'danger-full-access' } : { box }),
        deps,
      });
      const before = openDescriptors();
      await chat.send('go');
      expect(outputsOf(chat)).toEqual([...names.map((name) => `${name}\n`), '', 'new\n']);
      expect(scripts).toHaveLength(66);
      expect(most()).toBe(16);
      // The connection to the model and the rollout, not one for each call.
      expect(openDescriptors() - before).toBeLessThan(32);
      // On a busy machine some take a second, and then have a row of their own.
      expect(chat.state.processes.filter(({ status }) => status.type !== 'exited')).toEqual([]);
    },
    180_000,
  );

  it('are stopped by an interrupt while they are being started', async () => {
    const waiting: (AbortSignal | undefined)[] = [];
    await using chat = await startScenario({
      files: { 'a.txt': 'a\n' },
      model: [[print('a'), print('a')]],
      deps: () => ({
        exec: {
          spawn: (_, signal) => {
            waiting.push(signal);
            if (waiting.length === 2) chat.submit({ type: 'interrupt' });
            return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
          },
        },
      }),
    });
    expect(await chat.send('go')).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    expect(chat.items('command_execution').map(({ status }) => status)).toEqual(['aborted', 'aborted']);
    expect(waiting.map((signal) => signal?.aborted)).toEqual([true, true]);
  });

  it.skipIf(noSandbox)('share a sandbox when they start together, and with no call that may write', async () => {
    const look = run('cat /proc/self/stat');
    await using chat = await startScenario({
      box: 'real',
      model: [[look, look, run('exec cat /proc/self/stat > made')], [look], [says('Done.')]],
    });
    await chat.send('go');
    // Alone, a command is a child of the first process inside.
    const parentIn = (stat: string | undefined) => Number(/^\d+ \(cat\) \S (\d+)/.exec(stat ?? '')?.[1]);
    const [one, two, , four] = outputsOf(chat).map(parentIn);
    expect([one, two, parentIn(chat.files().made), four]).toEqual([2, 2, 1, 1]);
  });

  it('are stopped by an interrupt, also those that have not started', async () => {
    const model = [Array.from({ length: 20 }, () => run('sleep 60')), [says('Done.')]];
    await using chat = await startScenario({ model });
    const ended = chat.turnEnds();
    let count = 0;
    let isRead = false;
    const started = new Promise<void>((resolve) => {
      chat.session.onEvent(({ msg }) => {
        if (msg.type === 'item_started') count++;
        if (msg.type === 'token_count') isRead = true;
        if (isRead && count >= 16) resolve();
      });
    });
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await started;
    chat.submit({ type: 'interrupt' });
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    await chat.send('again');
    expect(chat.outputs()).toHaveLength(20);
  });
});

describe('a response of a thousand calls', () => {
  it('gets an output for each', async () => {
    const model = [Array.from({ length: 1_000 }, () => calls('no_such_tool', {})), [says('Done.')]];
    await using chat = await startScenario({ model });
    expect(await chat.send('go')).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    expect(chat.outputs()).toHaveLength(1_000);
  });
});
