import { expect, it } from 'vitest';
import { parseLine } from '../../../src/core/rollout/parseLine.ts';

const settings = {
  model: 'm',
  effort: null,
  summary: 'auto',
  cwd: '/work',
  approvalPolicy: 'on-request',
  sandboxPolicy: { type: 'read-only' },
  box: 'none',
};

it('fields of rollouts of 0.1 are read under the names that they have now', () => {
  const old = { ...settings, noBoxCause: 'There is no bubblewrap.' };
  const now = { noSandboxCause: 'There is no bubblewrap.' };
  expect(read('turn_context', old)).toMatchObject(now);
  const started = { type: 'turn_started', settings: old, contextWindow: null };
  expect(read('event_msg', { turnId: 't', submissionId: null, msg: started })).toMatchObject({
    msg: { settings: now },
  });
});

function read(type: string, payload: unknown): unknown {
  return parseLine(JSON.stringify({ timestamp: '', type, payload }))?.payload;
}
