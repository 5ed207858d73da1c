// request_user_input: codex-behaviour.md §4.8, answers of a client, and what the model gets where no user can answer.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { auditEntrySchema, auditRows } from '../../src/protocol/audit.ts';
import { calls, says } from '../support/modelServer.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';

const options = (...labels: string[]) => labels.map((label) => ({ label, description: `It is ${label}.` }));
const asked = (id: string, ...labels: string[]) => ({
  id,
  header: id.slice(0, 12),
  question: `Which ${id}?`,
  options: options(...labels),
});
const COLOUR = asked('colour', 'Red', 'Blue');
const SIZE = asked('constructor', 'Small', 'Medium', 'Large');
const ask = (args: object) => calls('request_user_input', args);

type Options = Omit<ScenarioOptions, 'model'>;

function start(args: object, more: Options = {}) {
  return startScenario({ ...more, model: [[ask(args)], [says('Done.')]] });
}

/** Sends a message; resolves with the id of the question that the model asks. */
async function questionOf(chat: Scenario) {
  const requested = chat.next('question_requested');
  const ended = chat.turnEnds();
  chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
  const { request } = await requested;
  return { request, ended };
}

describe('request_user_input', () => {
  it('returns labels and free text, and the transcript has question and answer', async () => {
    await using chat = await start({ questions: [COLOUR, SIZE] });
    const { request, ended } = await questionOf(chat);
    expect(request).toMatchObject({ source: 'model', questions: [COLOUR, SIZE] });
    expect(chat.state.turns.at(-1)?.items.at(-1)).toMatchObject({ type: 'user_question', status: 'in_progress' });
    const answers = { colour: ['Blue'], constructor: ['as large as a house'] };
    chat.submit({ type: 'user_input_answer', questionId: request.questionId, answers });
    await ended;
    expect(chat.outputs()).toEqual([
      '{"answers":{"colour":{"answers":["Blue"]},"constructor":{"answers":["as large as a house"]}}}',
    ]);
    expect(chat.items('user_question')).toMatchObject([{ status: 'completed', questions: [COLOUR, SIZE], answers }]);
  });

  it('returns no answers for a question that was left out', async () => {
    await using chat = await start({ questions: [COLOUR, SIZE] });
    const { request, ended } = await questionOf(chat);
    chat.submit({ type: 'user_input_answer', questionId: request.questionId, answers: { colour: ['Red'] } });
    await ended;
    expect(chat.outputs()).toEqual(['{"answers":{"colour":{"answers":["Red"]},"constructor":{"answers":[]}}}']);
  });

  it('leaves the choice to the model when the user does not answer', async () => {
    await using chat = await start({ questions: [COLOUR] });
    const { request, ended } = await questionOf(chat);
    chat.submit({ type: 'user_input_answer', questionId: request.questionId, answers: null });
    await ended;
    expect(chat.outputs()).toEqual([
      'The user has not answered and leaves the choice to you. Decide yourself, say what you have assumed, and go on.',
    ]);
    expect(chat.items('user_question')).toMatchObject([{ status: 'declined' }]);
  });

  it('asks no user without a client or under the approval policy never', async () => {
    const said = async (more: Options) => {
      await using chat = await start({ questions: [COLOUR] }, more);
      await chat.send('go');
      expect(chat.items('user_question')).toMatchObject([{ status: 'declined', why: chat.outputs()[0] }]);
      return [chat.outputs(), chat.said('question_requested').length];
    };
    const goOn = 'Decide yourself, say what you have assumed, and go on.';
    expect(await said({ interactive: false })).toEqual([[`No user can answer in this run. ${goOn}`], 1]);
    expect(await said({ policy: 'never' })).toEqual([
      [`The approval policy is never, so the user is not asked anything. ${goOn}`],
      0,
    ]);
  });

  it('is cancelled by an interrupt', async () => {
    await using chat = await start({ questions: [COLOUR] });
    const { ended } = await questionOf(chat);
    chat.submit({ type: 'interrupt' });
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    expect(chat.items('user_question')).toMatchObject([{ status: 'aborted' }]);
    expect(chat.state.questions).toEqual([]);
  });

  it('is asked again when the window is reloaded, in the same row', async () => {
    const first = await start({ questions: [COLOUR] });
    await questionOf(first);
    await first.session.suspend();
    await using chat = await startScenario({ resume: first, model: [[says('Done.')]] });
    const ended = chat.turnEnds();
    const { request } = await chat.next('question_requested');
    chat.submit({ type: 'user_input_answer', questionId: request.questionId, answers: { colour: ['Red'] } });
    expect(await ended).toMatchObject({ type: 'turn_completed' });
    expect(chat.outputs()).toEqual(['{"answers":{"colour":{"answers":["Red"]}}}']);
    const rows = chat.state.turns.flatMap(({ items }) => items).filter(({ type }) => type === 'user_question');
    expect(rows).toMatchObject([{ status: 'completed', answers: { colour: ['Red'] } }]);
    await first.server.close();
  });

  it('is offered in a workspace that is not trusted, and has its lines in the audit log', async () => {
    await using chat = await start({ questions: [COLOUR] }, { trusted: false });
    const { request, ended } = await questionOf(chat);
    chat.submit({ type: 'user_input_answer', questionId: request.questionId, answers: { colour: ['Red'] } });
    await ended;
    const lines = readFileSync(chat.home.at('audit.jsonl'), 'utf8').trimEnd().split('\n');
    const rows = auditRows(lines.map((line) => auditEntrySchema.parse(JSON.parse(line))));
    expect(rows).toMatchObject([
      {
        decision: {
          act: { tool: 'request_user_input Which colour?' },
          outcome: 'allowed',
          reason: { id: 'asks-only' },
        },
        end: { status: 'completed' },
      },
    ]);
  });

  it.each([
    ['no questions', {}, 'questions: is required'],
    ['an empty list', { questions: [] }, 'questions: Too small: expected array to have >=1 items'],
    ['four questions', { questions: [1, 2, 3, 4].map((n) => asked(`q${n}`, 'a', 'b')) }, '<=3 items'],
    ['one option', { questions: [asked('q', 'a')] }, 'questions.0.options: Too small'],
    ['four options', { questions: [asked('q', 'a', 'b', 'c', 'd')] }, 'questions.0.options: Too big'],
    ['no options', { questions: [{ id: 'q', header: 'q', question: 'q' }] }, 'questions.0.options: is required'],
    ['a long header', { questions: [{ ...COLOUR, header: 'thirteen char' }] }, 'questions.0.header: Too big'],
    ['an empty question', { questions: [{ ...COLOUR, question: ' ' }] }, 'questions.0.question: Too small'],
    ['two equal ids', { questions: [COLOUR, COLOUR] }, 'questions: two questions have the same id'],
    ['two equal labels', { questions: [asked('q', 'a', 'a')] }, 'questions.0.options: two options have the same label'],
  ])('asks nothing when the model sends %s', async (_case, args, problem) => {
    await using chat = await start(args);
    await chat.send('go');
    expect(chat.said('question_requested')).toEqual([]);
    expect(chat.outputs()[0]).toContain(problem);
    expect(chat.outputs()[0]).toMatch(/^Failed to parse the arguments: .* Nothing was run\.$/);
  });

  it('names an argument that it does not have', async () => {
    await using chat = await start({ questions: [COLOUR], urgent: true });
    const { request, ended } = await questionOf(chat);
    chat.submit({ type: 'user_input_answer', questionId: request.questionId, answers: { colour: ['Red'] } });
    await ended;
    expect(chat.outputs()[0]).toMatch(/\nNote: this tool has no argument urgent; it was ignored\.$/);
  });
});
