// A pending patch is approved in part, or as the user rewrote it.
import { describe, expect, it } from 'vitest';
import type { ProposalChoices } from '../../src/protocol/policy.ts';
import { calls, says } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
const TEXT = `${LINES.join('\n')}\n`;
const update = (...chunks: string[]) =>
  ['*** Begin Patch', '*** Update File: a.txt', ...chunks, '*** End Patch'].join('\n');
const change = (number: number, text: string) => ['@@', `-line ${number}`, `+${text}`].join('\n');
const PATCH = update(change(2, 'TWO'), change(10, 'TEN'), change(18, 'EIGHTEEN'));

async function waiting(
  files: Record<string, string> = { 'a.txt': TEXT },
  input = PATCH,
): Promise<{ chat: Scenario; ended: Promise<unknown> }> {
  const chat = await startScenario({
    review: 'before',
    files,
    model: [[calls('apply_patch', { input })], [says('Done.')]],
  });
  const ended = chat.turnEnds();
  chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
  await chat.next('approval_requested');
  return { chat, ended };
}

const reviewed = (files: ProposalChoices) => ({ approved_reviewed: { files } });

describe('a patch approved in part', () => {
  it('is applied without the rejected hunks, and the model gets the list of them', async () => {
    const { chat, ended } = await waiting();
    await chat.answer(reviewed([{ path: 'a.txt', leftOut: [1] }]));
    await ended;
    expect(chat.files()).toEqual({ 'a.txt': TEXT.replace('line 2\n', 'TWO\n').replace('line 18', 'EIGHTEEN') });
    expect(chat.items('file_change')).toMatchObject([
      { status: 'completed', changes: [{ path: 'a.txt', added: 2, removed: 2, decision: 'partial' }] },
    ]);
    const [output = ''] = chat.outputs();
    expect(output).toContain('Patch applied to these files:\nM a.txt');
    expect(output).toContain('did not take it as you wrote it: 1 of 3 hunks in a.txt rejected.');
    expect(output).toContain('-TEN\n+line 10');
    expect(output).not.toContain('EIGHTEEN\n+');
    expect(chat.said('turn_diff').at(-1)?.unifiedDiff).not.toContain('TEN');
    const [resolved] = chat.rollout().filter(({ payload }) => JSON.stringify(payload).includes('approval_resolved'));
    expect(JSON.stringify(resolved)).toContain('"leftOut":[1]');
    await chat[Symbol.asyncDispose]();
  });

  it('applies the other files unchanged', async () => {
    const patch = [
      '*** Begin Patch',
      '*** Add File: new.txt',
      '+n',
      '*** Delete File: old.txt',
      '*** Update File: a.txt',
      '*** Move to: b.txt',
      change(2, 'TWO'),
      '*** End Patch',
    ].join('\n');
    const { chat, ended } = await waiting({ 'a.txt': TEXT, 'old.txt': 'o\n' }, patch);
    await chat.answer(
      reviewed([
        { path: 'old.txt', leftOut: 'file' },
        { path: 'a.txt', leftOut: [0] },
      ]),
    );
    await ended;
    expect(chat.files()).toEqual({ 'b.txt': TEXT, 'new.txt': 'n\n', 'old.txt': 'o\n' });
    const [item] = chat.items('file_change');
    expect(item?.changes.map(({ path, decision }) => [path, decision])).toEqual([
      ['new.txt', 'accepted'],
      ['a.txt', 'partial'],
      ['old.txt', 'declined'],
    ]);
    expect(chat.outputs()[0]).toContain('Patch applied to these files:\nA new.txt\nM b.txt\n');
    expect(chat.outputs()[0]).toContain('old.txt was rejected and is unchanged');
    await chat[Symbol.asyncDispose]();
  });

  it('is denied when no hunk is left, and nothing is applied', async () => {
    const { chat, ended } = await waiting();
    await chat.answer(reviewed([{ path: 'a.txt', leftOut: [0, 1, 2] }]));
    await ended;
    expect(chat.files()).toEqual({ 'a.txt': TEXT });
    expect(chat.said('approval_resolved')).toMatchObject([{ decision: { denied: {} }, by: 'user' }]);
    expect(chat.items('file_change')).toMatchObject([{ status: 'declined' }]);
    expect(chat.outputs()[0]).toContain('Denied by the user. Nothing was done.');
    await chat[Symbol.asyncDispose]();
  });

  it('gives the model the reason for each rejected hunk, beside its lines, and shows it in the item', async () => {
    const { chat, ended } = await waiting();
    const reasons = [
      { hunk: 1, text: 'ten has a helper in b.txt' },
      { hunk: null, text: 'too many numbers' },
    ];
    await chat.answer(reviewed([{ path: 'a.txt', leftOut: [1], reasons }]));
    await ended;
    expect(chat.outputs()[0]).toContain(
      "Why this hunk of a.txt was rejected, in the user's words: ten has a helper in b.txt\n-line 10\n+TEN\n",
    );
    expect(chat.outputs()[0]).toContain("Why a.txt was rejected, in the user's words: too many numbers");
    expect(chat.items('file_change')).toMatchObject([
      { changes: [{ path: 'a.txt', reasons: ['ten has a helper in b.txt', 'too many numbers'] }] },
    ]);
    await chat[Symbol.asyncDispose]();
  });

  it('that is denied gives the model the reasons for its hunks, too', async () => {
    const { chat, ended } = await waiting();
    await chat.answer(reviewed([{ path: 'a.txt', leftOut: [0, 1, 2], reasons: [{ hunk: 2, text: 'keep 18' }] }]));
    await ended;
    expect(chat.files()).toEqual({ 'a.txt': TEXT });
    expect(chat.outputs()[0]).toBe(
      "Denied by the user: Nothing of this patch is taken.\nWhy this hunk of a.txt was rejected, in the user's words: keep 18\n-line 18\n+EIGHTEEN",
    );
    await chat[Symbol.asyncDispose]();
  });

  it('is applied as the user rewrote it, and the model gets the difference', async () => {
    const { chat, ended } = await waiting();
    const mine = TEXT.replace('line 2\n', 'TWO\n').replace('line 10', 'ten, as I say it');
    await chat.answer(reviewed([{ path: 'a.txt', text: mine }]));
    await ended;
    expect(chat.files()).toEqual({ 'a.txt': mine });
    expect(chat.items('file_change')).toMatchObject([{ changes: [{ decision: 'edited' }] }]);
    expect(chat.outputs()[0]).toContain('a.txt was edited by the user');
    expect(chat.outputs()[0]).toContain('-TEN\n+ten, as I say it');
    expect(chat.outputs()[0]).toContain('-EIGHTEEN\n+line 18');
    await chat[Symbol.asyncDispose]();
  });
});

describe('proposal choices', () => {
  it('for another patch are refused with a message, and the request stays pending', async () => {
    const { chat, ended } = await waiting();
    const warned = chat.next('warning');
    await chat.answer(reviewed([{ path: '../secret.txt', text: 'x' }]));
    expect((await warned).message).toBe('The patch does not touch ../secret.txt. The request is still pending.');
    await chat.answer(reviewed([{ path: 'a.txt', leftOut: [2] }]));
    await ended;
    expect(chat.files()).toEqual({ 'a.txt': TEXT.replace('line 2\n', 'TWO\n').replace('line 10', 'TEN') });
    await chat[Symbol.asyncDispose]();
  });

  it('with a reason for a hunk that the patch does not have are refused with a message', async () => {
    const { chat, ended } = await waiting();
    const warned = chat.next('warning');
    await chat.answer(reviewed([{ path: 'a.txt', leftOut: [1], reasons: [{ hunk: 3, text: 'x' }] }]));
    expect((await warned).message).toBe('a.txt has no hunk 3: there are 3. The request is still pending.');
    await chat.answer({ denied: {} });
    await ended;
    await chat[Symbol.asyncDispose]();
  });

  it('hold when the user types elsewhere in the file', async () => {
    const { chat, ended } = await waiting();
    chat.write('a.txt', `zero\n${TEXT}`);
    await chat.answer(reviewed([{ path: 'a.txt', leftOut: [0, 2] }]));
    await ended;
    expect(chat.files()).toEqual({ 'a.txt': `zero\n${TEXT.replace('line 10', 'TEN')}` });
    expect(chat.said('approval_requested')).toHaveLength(1);
    await chat[Symbol.asyncDispose]();
  });

  it('are requested again when their lines have changed, with the choices that still fit', async () => {
    const { chat, ended } = await waiting();
    chat.write('a.txt', TEXT.replace('line 2\n', 'line 2\t\n'));
    const again = chat.next('approval_requested');
    await chat.answer(reviewed([{ path: 'a.txt', leftOut: [1] }]));
    const { reviewed: kept, diff } = await again;
    expect(diff).toContain('-line 2\t\n');
    expect(kept).toEqual([{ path: 'a.txt', leftOut: [1] }]);
    await chat.answer(reviewed(kept ?? []));
    await ended;
    expect(chat.files()).toEqual({ 'a.txt': TEXT.replace('line 2\n', 'TWO\n').replace('line 18', 'EIGHTEEN') });
    await chat[Symbol.asyncDispose]();
  });

  it('for the second of two patches on one file hold where the first has left their lines unchanged', async () => {
    const second = update(change(2, 'zwei'), change(18, 'achtzehn'));
    const chat = await startScenario({
      review: 'before',
      files: { 'a.txt': TEXT },
      model: ({ input }) => {
        if (String(input.at(-1)?.type).endsWith('_output')) return [says('Done.')];
        return [calls('apply_patch', { input: JSON.stringify(input.at(-1)).includes('second') ? second : PATCH })];
      },
    });
    const other = await chat.another();
    const ended = [chat.turnEnds(), other.turnEnds()];
    for (const [thread, text] of [
      [chat, 'first'],
      [other, 'second'],
    ] as const) {
      thread.submit({ type: 'user_turn', input: [{ type: 'text', text }] });
      await thread.next('approval_requested');
    }
    await other.answer(reviewed([{ path: 'a.txt', leftOut: [0] }]));
    await ended[1];
    await chat.answer(reviewed([{ path: 'a.txt', leftOut: [2] }]));
    await ended[0];
    expect(chat.files()).toEqual({
      'a.txt': TEXT.replace('line 2\n', 'TWO\n').replace('line 10', 'TEN').replace('line 18', 'achtzehn'),
    });
    await other.session.dispose();
    await chat[Symbol.asyncDispose]();
  });
});

describe('a patch that is shown in editors', () => {
  it('is denied with the reasons that the user gave there beside the message of the denial', async () => {
    const reasons = [{ hunk: 0, text: 'two is taken' }];
    const chat = await startScenario({
      review: 'before',
      files: { 'a.txt': TEXT },
      model: [[calls('apply_patch', { input: PATCH })], [says('Done.')]],
      host: { proposals: { propose: () => {}, reviewOf: () => [{ path: 'a.txt', leftOut: [0], reasons }] } },
    });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await chat.answer({ denied: { message: 'Ask first.' } });
    await ended;
    expect(chat.outputs()[0]).toBe(
      "Denied by the user: Ask first.\nWhy this hunk of a.txt was rejected, in the user's words: two is taken\n-line 2\n+TWO",
    );
    expect(chat.files()).toEqual({ 'a.txt': TEXT });
    await chat[Symbol.asyncDispose]();
  });

  it('is applied as the user edited it there, whichever client approves it', async () => {
    const proposed: string[] = [];
    const chat = await startScenario({
      review: 'before',
      files: { 'a.txt': TEXT },
      model: [[calls('apply_patch', { input: PATCH })], [says('Done.')]],
      host: {
        proposals: {
          propose: (approvalId) => void proposed.push(approvalId),
          reviewOf: (approvalId) => (proposed.includes(approvalId) ? [{ path: 'a.txt', leftOut: [0, 2] }] : undefined),
        },
      },
    });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await chat.answer('approved');
    await ended;
    expect(chat.files()).toEqual({ 'a.txt': TEXT.replace('line 10', 'TEN') });
    const decision = { approved_reviewed: { files: [{ path: 'a.txt', leftOut: [0, 2] }] } };
    expect(chat.said('approval_resolved')).toMatchObject([{ decision, by: 'user' }]);
    await chat[Symbol.asyncDispose]();
  });
});
