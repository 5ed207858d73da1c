// The op `review`: the agent `reviewer` looks at changes, and its findings stand in the thread.
import { describe, expect, it } from 'vitest';
import type { OpOf } from '../../src/protocol/op.ts';
import { agentScript, userTexts } from '../support/agentScript.ts';
import { calls, fails, hangs, says } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const FILES = { 'src/a.ts': 'one\n  two\nthree\n', '.env': 'KEY=1\n' };
const CHANGES = 'diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1,2 @@\n one\n+  two\n';

function finding(title: string, path: string, start: number, end = start, more: object = {}) {
  const code_location = { absolute_file_path: path, line_range: { start, end } };
  return { title, body: `About ${title}.`, confidence_score: 0.8, priority: 2, code_location, ...more };
}

function answer(findings: readonly object[], verdict = 'patch is incorrect'): string {
  return JSON.stringify({ findings, overall_correctness: verdict, overall_explanation: 'It breaks.' });
}

function review(chat: Scenario, more: Partial<OpOf<'review'>> = {}) {
  const ended = chat.turnEnds();
  chat.submit({ type: 'review', target: { type: 'uncommitted' }, changes: CHANGES, ...more });
  return ended;
}

const reviewer = (...responses: readonly string[]) =>
  agentScript({ 'Review the': responses.map((text) => [says(text)]), 'FIX IT': [[says('Fixed.')]] });

describe('a review', () => {
  it('gives the reviewer the changes, and shows what it finds where the lines exist', async () => {
    const outside = '/etc/hostname';
    await using chat = await startScenario({
      files: FILES,
      model: reviewer(
        answer([
          finding('[P3] Rename it', 'src/a.ts', 3, 3, { priority: null }),
          finding('Close the file', 'src/a.ts', 2, 3, { priority: 0 }),
          finding('Beyond the end', 'src/a.ts', 90),
          finding('No such file', 'src/b.ts', 1),
          finding('Secret', '.env', 1),
          finding('Elsewhere', outside, 1),
        ]),
      ),
    });
    const end = await review(chat, { instructions: 'Look at the handles.' });
    const [request] = chat.server.requests;
    const asked = request ? userTexts(request).join('\n') : '';
    expect(asked).toContain('Review the uncommitted changes');
    expect(asked).toContain('The user adds: Look at the handles.');
    expect(asked).toContain(`<attachment name="changes" kind="changes">\n${CHANGES.trimEnd()}\n</attachment>`);
    const [item] = chat.items('code_review');
    const about = { body: expect.any(String), confidence: 0.8, priority: 2, state: 'open' };
    expect(item).toMatchObject({ status: 'completed', isCorrect: false, text: 'It breaks.' });
    expect(item?.findings).toEqual([
      {
        ...about,
        id: '1',
        title: 'Close the file',
        priority: 0,
        path: 'src/a.ts',
        lines: { first: 2, last: 3 },
        quote: '  two\nthree',
      },
      { ...about, id: '2', title: 'Beyond the end', path: 'src/a.ts' },
      { ...about, id: '3', title: 'No such file' },
      { ...about, id: '4', title: 'Secret' },
      { ...about, id: '5', title: 'Elsewhere' },
      {
        ...about,
        id: '6',
        title: 'Rename it',
        priority: 3,
        path: 'src/a.ts',
        lines: { first: 3, last: 3 },
        quote: 'three',
      },
    ]);
    expect(chat.state.title).toBe('Review: uncommitted changes');
    expect(chat.state.agents).toMatchObject([
      { agentId: item?.agentId, role: 'reviewer', state: 'completed', isTask: true },
    ]);
    expect(end).toMatchObject({
      type: 'turn_completed',
      lastMessage: expect.stringContaining('1. [P0] Close the file (src/a.ts:2-3)'),
    });
    await chat.send('FIX IT');
    const texts = JSON.stringify(chat.server.lastRequest.input);
    expect(texts).toContain('The user has had an agent review the uncommitted changes.');
    expect(texts).toContain('[P0] Close the file');
  });

  it('has no more than a mention may carry of the changes', async () => {
    await using chat = await startScenario({ files: FILES, model: reviewer(answer([])) });
    await review(chat, { changes: `${CHANGES}${'+ a line\n'.repeat(20_000)}` });
    const [request] = chat.server.requests;
    const asked = request ? userTexts(request).join('\n') : '';
    expect(asked.length).toBeLessThan(40_000);
    expect(asked).toMatch(/cut="the first \d+ of 2000\d lines"/);
    expect(chat.items('code_review')).toMatchObject([{ status: 'completed', findings: [] }]);
  });

  it('asks once more for an answer in another form, and shows the second as it is', async () => {
    await using chat = await startScenario({
      files: FILES,
      model: reviewer('All is well.', `Here it is:\n\`\`\`json\n${answer([finding('Close', 'src/a.ts', 1)])}\n\`\`\``),
    });
    await review(chat);
    expect(chat.items('code_review')[0]?.findings).toMatchObject([{ title: 'Close', lines: { first: 1, last: 1 } }]);
    expect(userTexts(chat.server.lastRequest).at(-1)).toContain(
      'Tiller cannot read your answer: it has no JSON object.',
    );

    await using other = await startScenario({ files: FILES, model: reviewer('All is well.', 'It is, really.') });
    const end = await review(other);
    expect(other.server.requests).toHaveLength(2);
    expect(other.items('code_review')).toMatchObject([{ status: 'completed', findings: [], text: 'It is, really.' }]);
    expect(end).toEqual({ type: 'turn_completed', lastMessage: 'It is, really.' });
  });

  it('changes no file, also with a reviewer of the user and full access', async () => {
    const patch = '*** Begin Patch\n*** Add File: made.txt\n+x\n*** End Patch';
    const own = {
      name: 'reviewer',
      description: 'Mine.',
      instructions: 'Mine.',
      tools: null,
      readOnly: false,
      model: null,
    };
    await using chat = await startScenario({
      files: FILES,
      policy: 'never',
      sandbox: 'danger-full-access',
      host: { agentRoles: async () => [own] },
      model: agentScript({
        'Review the': [
          [calls('apply_patch', { input: patch }), calls('exec_command', { cmd: 'echo x > made.txt' })],
          [says(answer([], 'patch is correct'))],
        ],
      }),
    });
    await review(chat);
    expect(chat.items('code_review')).toMatchObject([{ status: 'completed', isCorrect: true }]);
    expect(Object.keys(chat.files())).toEqual(['.env', 'src/a.ts']);
  });

  it('is stopped with its agent, and says why it has failed', async () => {
    await using chat = await startScenario({ files: FILES, model: () => [hangs()] });
    const ended = review(chat);
    await chat.next('item_started');
    chat.submit({ type: 'interrupt' });
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    expect(chat.items('code_review')).toMatchObject([{ status: 'aborted' }]);
    expect(chat.service.live.sessions).toHaveLength(1);

    await using other = await startScenario({
      files: FILES,
      maxAttempts: 1,
      model: () => [fails(400, 'no such model')],
    });
    await review(other);
    expect(other.items('code_review')).toMatchObject([
      { status: 'failed', why: 'The server does not know this model.' },
    ]);
  });

  it('is refused while a turn runs and in a sub-agent', async () => {
    await using chat = await startScenario({ files: FILES, model: () => [hangs()] });
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await chat.next('turn_started');
    chat.submit({ type: 'review', target: { type: 'uncommitted' } });
    expect((await chat.next('warning')).message).toBe('A turn is running: changes can be reviewed when it has ended.');
    const child = await chat.subAgent();
    child.submit({ type: 'review', target: { type: 'uncommitted' } });
    expect((await child.next('warning')).message).toContain('an agent cannot start others');
  });

  it('keeps what the user does with a finding, also when the thread is resumed', async () => {
    await using chat = await startScenario({
      files: FILES,
      model: reviewer(answer([finding('One', 'src/a.ts', 1), finding('Two', 'src/a.ts', 2)])),
    });
    await review(chat);
    const itemId = chat.items('code_review')[0]?.id ?? '';
    chat.submit({ type: 'mark_finding', itemId, findingId: '1', state: 'dismissed' });
    await chat.next('finding_marked');
    chat.submit({ type: 'mark_finding', itemId, findingId: '9', state: 'sent' });
    expect((await chat.next('warning')).message).toBe(`There is no finding 9 of ${itemId}.`);
    await chat.session.dispose();
    await using again = await startScenario({ model: [], resume: chat });
    const states = ({ turns }: Scenario['state']) =>
      turns.flatMap(({ items }) => items.flatMap((item) => (item.type === 'code_review' ? item.findings : [])));
    expect(states(again.state)).toMatchObject([{ state: 'dismissed' }, { state: 'open' }]);
    again.submit({ type: 'mark_finding', itemId, findingId: '1', state: 'open' });
    await again.next('finding_marked');
    expect(states(again.state)).toMatchObject([{ state: 'open' }, { state: 'open' }]);
  });
});
