/** The model and the effort that each chat mode remembers. */
import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import type { TurnSettings } from '../../src/protocol/event.ts';
import { type SandboxMode, type SandboxPolicy, sandboxPolicySchema } from '../../src/protocol/policy.ts';
import { modeOverrides } from '../../src/vscode/chat/modeOverrides.ts';
import { ModeMemory } from '../../src/vscode/chat/modeMemory.ts';

const policyOf = (type: SandboxMode): SandboxPolicy => sandboxPolicySchema.parse({ type });

function turn(sandbox: SandboxMode, more: Partial<TurnSettings>): TurnSettings {
  const sandboxPolicy = policyOf(sandbox);
  return {
    model: 'm',
    effort: null,
    summary: 'auto',
    cwd: '/',
    approvalPolicy: 'on-request',
    sandboxPolicy,
    box: 'none',
    ...more,
  };
}

function mementoOf(stored = new Map<string, unknown>()) {
  return {
    get: (key: string) => stored.get(key),
    update: async (key: string, value: unknown) => void stored.set(key, value),
  };
}

suite('the model of a mode', () => {
  test('comes back with the mode, also in the next window', async () => {
    const memento = mementoOf();
    const memory = new ModeMemory(memento);
    await memory.note(turn('read-only', { model: 'large', effort: 'high', planMode: true }), 'openai');
    await memory.note(turn('workspace-write', { model: 'small' }), 'ollama');
    const next = new ModeMemory(memento);
    assert.deepEqual(
      modeOverrides('plan', policyOf, (mode) => next.of(mode)),
      {
        policy: 'on-request',
        box: policyOf('read-only'),
        planMode: true,
        provider: 'openai',
        model: 'large',
        effort: 'high',
      },
    );
    assert.deepEqual(next.of('agent'), { provider: 'ollama', model: 'small', effort: null });
  });

  test('is nothing before the first turn in it, for a custom mode, and in a damaged store', async () => {
    const memory = new ModeMemory(mementoOf());
    await memory.note(turn('danger-full-access', {}), 'openai');
    assert.equal(memory.of('full-access'), undefined);
    assert.equal(new ModeMemory(mementoOf(new Map([['tiller.modelOfMode', 'nonsense']]))).of('agent'), undefined);
    const chosen = modeOverrides('agent', policyOf, (mode) => memory.of(mode));
    assert.deepEqual(chosen, { policy: 'on-request', box: policyOf('workspace-write'), planMode: false });
  });
});
