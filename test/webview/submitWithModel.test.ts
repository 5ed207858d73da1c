/** A message that is sent before a model is chosen. */
import { expect, test } from 'vitest';
import type { Op } from '../../src/protocol/op.ts';
import { submitWithModel } from '../../src/vscode/chat/submitWithModel.ts';

/** Submits `op` while the user chooses `chosen` in the list, and returns the calls made. */
async function submitted(
  op: Op,
  { model, chosen, fault }: { readonly model: string; readonly chosen: string | Error; readonly fault?: Error },
) {
  let current = model;
  const log: string[] = [];
  const done = submitWithModel(op, {
    hasModel: () => current !== '',
    selectModel: async () => {
      log.push('asked');
      if (chosen instanceof Error) throw chosen;
      current = chosen;
    },
    submit: async ({ type }) => {
      if (fault !== undefined) throw fault;
      log.push(`submitted ${type}`);
    },
    hold: () => {
      log.push('held');
      return () => void log.push('released');
    },
    giveBack: (input) => log.push(`back: ${JSON.stringify(input)}`),
  });
  const failure = await done.then(
    () => undefined,
    (error: unknown) => error,
  );
  return { log, failure };
}

const input = [{ type: 'text' as const, text: 'Hi.' }];
const message = { type: 'user_turn', input } as const;
const BACK = `back: ${JSON.stringify(input)}`;

test.each<[string, Op, { model: string; chosen: string }, string[]]>([
  ['is sent at once with a model', message, { model: 'm', chosen: '' }, ['submitted user_turn']],
  [
    'is sent after the choice',
    message,
    { model: '', chosen: 'm' },
    ['held', 'asked', 'submitted user_turn', 'released'],
  ],
  ['goes back without a choice', message, { model: '', chosen: '' }, ['held', 'asked', BACK, 'released']],
  ['asks for nothing when it is no message', { type: 'interrupt' }, { model: '', chosen: '' }, ['submitted interrupt']],
])('%s', async (_case, op, choice, log) => {
  expect(await submitted(op, choice)).toEqual({ log, failure: undefined });
});

test('a message returns to the composer when the choice of a model fails, and the failure is reported', async () => {
  const failure = new Error('The settings cannot be written.');
  expect(await submitted(message, { model: '', chosen: failure })).toEqual({
    log: ['held', 'asked', BACK, 'released'],
    failure,
  });
});

test('a message returns to the composer when it cannot be submitted, and the reason is reported; other ops do not', async () => {
  const fault = new Error('Its thread is gone.');
  const choice = { model: 'm', chosen: '', fault };
  expect(await submitted(message, choice)).toEqual({ log: [BACK], failure: fault });
  expect(await submitted({ type: 'edit_queued', id: 'q', input }, choice)).toEqual({ log: [BACK], failure: fault });
  expect(await submitted({ type: 'edit_queued', id: 'q', input: null }, choice)).toEqual({ log: [], failure: fault });
  expect(await submitted({ type: 'interrupt' }, choice)).toEqual({ log: [], failure: fault });
});
