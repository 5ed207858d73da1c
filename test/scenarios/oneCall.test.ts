import { describe, expect, it } from 'vitest';
import { type OneCallThreadDeps, runOneCall } from '../../src/core/agent/oneCallThread.ts';
import type { Session } from '../../src/core/session/session.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';

const command = (line: string) => ({ tool: 'shell_command', arguments: { command: line } });

function depsOf(chat: Scenario, begun: (session: Session) => void = () => {}): OneCallThreadDeps {
  const [settings, host] = chat.thread;
  let count = 0;
  return {
    ids: { next: (prefix) => `${prefix}-${++count}` },
    start: async (models) => chat.service.start(settings, { ...host, models }),
    begin: (session) => {
      begun(session);
      chat.service.live.begin(session);
    },
  };
}

describe('one call in a thread of its own', () => {
  const free: ScenarioOptions = { model: [], policy: 'never', sandbox: 'danger-full-access' };
  const { signal } = new AbortController();

  it('returns what a model would read, and asks no model', async () => {
    await using chat = await startScenario(free);
    expect(await runOneCall(command('echo hi'), 'Called.', depsOf(chat), signal)).toContain('hi');
    expect(chat.server.requests).toHaveLength(0);
  });

  it('is asked about, and a denial is a result', async () => {
    await using chat = await startScenario({ model: [], policy: 'untrusted' });
    const deps = depsOf(chat, (session) => {
      session.onEvent(({ msg }) => {
        if (msg.type !== 'approval_requested') return;
        const decision = { denied: { message: 'not now' } };
        session.submit({ id: 'answer', op: { type: 'approval', approvalIds: [msg.approvalId], decision } });
      });
    });
    expect(await runOneCall(command('touch made'), 'Called.', deps, signal)).toBe('Denied by the user: not now');
    expect(Object.keys(chat.files())).toEqual([]);
  });

  it('ends when it is cancelled', async () => {
    await using chat = await startScenario({ model: [], policy: 'untrusted' });
    const abort = new AbortController();
    const deps = depsOf(chat, (session) => {
      session.onEvent(({ msg }) => {
        if (msg.type === 'approval_requested') abort.abort(new Error('Cancelled by the caller.'));
      });
    });
    await expect(runOneCall(command('touch made'), 'Called.', deps, abort.signal)).rejects.toThrow(
      'Cancelled by the caller.',
    );
    expect(Object.keys(chat.files())).toEqual([]);
  });

  it.each(['before it starts', 'while it starts'])('ends when it is cancelled %s', async (when) => {
    await using chat = await startScenario({ model: [], policy: 'untrusted' });
    const abort = new AbortController();
    if (when === 'before it starts') abort.abort(new Error('Cancelled.'));
    const deps = depsOf(chat, () => abort.abort(new Error('Cancelled.')));
    await expect(runOneCall(command('touch made'), 'Called.', deps, abort.signal)).rejects.toThrow('Cancelled.');
    expect(Object.keys(chat.files())).toEqual([]);
  });

  it('that a hook keeps from running says so', async () => {
    const hook = { command: 'echo "not here" >&2; exit 2', event: 'UserPromptSubmit' };
    const { selectHooks } = await import('../../src/core/hooks/selectHooks.ts');
    const trust = { decisionOn: async () => 'approved' as const };
    const hooks = async () => selectHooks({ UserPromptSubmit: [hook] }, [], 'linux', trust);
    await using chat = await startScenario({ ...free, host: { hooks } });
    await expect(runOneCall(command('touch made'), 'Called.', depsOf(chat), signal)).rejects.toThrow('not here');
  });
});
