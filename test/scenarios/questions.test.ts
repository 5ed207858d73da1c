// A tool of another provider asks the user: questions of the model, and elicitations of a server.
import { appendFileSync, readdirSync } from 'node:fs';
import * as z from 'zod';
import { describe, expect, it } from 'vitest';
import type { ToolHandler } from '../../src/core/tools/handler.ts';
import type { QuestionAnswer, QuestionBody } from '../../src/core/tools/inquiry.ts';
import { parseArguments } from '../../src/core/tools/parseArguments.ts';
import type { ToolProvider } from '../../src/core/tools/toolProvider.ts';
import { calls, says, type Step } from '../support/modelServer.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';

const argumentsSchema = z.object({ name: z.string() });

/** A tool that asks one question about `name` and returns the answer as JSON. */
function askingTool(tool: string, bodyOf: (name: string) => QuestionBody, onRun: () => void): ToolHandler {
  const handler: ToolHandler<{ name: string }, string> = {
    names: [tool],
    isMutating: () => false,
    spec: { type: 'function', name: tool, description: 'Asks the user.', strict: false, parameters: {} },
    parse: (payload) => parseArguments(argumentsSchema, payload),
    async prepare({ name }) {
      const reason = { source: 'policy', id: 'test', text: 'It only asks.' } as const;
      return {
        type: 'ready',
        plan: name,
        requirement: { type: 'skip', bypassSandbox: false, reason },
        approvalKeys: [],
      };
    },
    async run(name, _attempt, { inquire, signal }) {
      onRun();
      const answer: QuestionAnswer = await inquire(bodyOf(name), signal);
      return { output: JSON.stringify(answer), success: true };
    },
  };
  return handler;
}

const question = (name: string): QuestionBody => ({
  source: 'model',
  questions: [{ id: name, header: name, question: `Which ${name}?`, options: [] }],
});
const form = (name: string): QuestionBody => ({ source: 'mcp', server: name, message: 'Who?', requestedSchema: {} });

/** `runs` counts how often a tool has run. */
async function start(options: Pick<ScenarioOptions, 'model' | 'interactive' | 'resume'>) {
  let runs = 0;
  const count = () => void runs++;
  const tools = [askingTool('ask', question, count), askingTool('elicit', form, count)];
  const provider: ToolProvider = { id: 'test', needsTrust: false, tools: () => tools };
  const chat = await startScenario({ ...options, host: { toolProviders: [provider] } });
  return { chat, runs: () => runs };
}

const ask = (name: string) => calls('ask', { name });
const elicit = (name: string) => calls('elicit', { name });

function go(chat: Scenario): Promise<unknown> {
  const ended = chat.turnEnds();
  chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
  return ended;
}

async function questions(chat: Scenario, count: number) {
  while (chat.state.questions.length < count) await chat.next('question_requested');
  return chat.state.questions.map(({ questionId }) => questionId);
}

describe('a tool that asks the user', () => {
  it('gets the answer, and nothing is pending any more', async () => {
    const { chat } = await start({ model: [[ask('colour')], [says('Done.')]] });
    const ended = go(chat);
    const [questionId = ''] = await questions(chat, 1);
    expect(chat.state.questions).toMatchObject([{ source: 'model', turnId: chat.state.activeTurnId }]);
    const id = chat.submit({ type: 'user_input_answer', questionId, answers: { colour: ['red'] } });
    expect(await ended).toMatchObject({ type: 'turn_completed' });
    expect(chat.outputs()).toEqual(['{"type":"answered","answers":{"colour":["red"]}}']);
    expect(chat.state.questions).toEqual([]);
    const resolved = chat.events.find(({ msg }) => msg.type === 'question_resolved');
    expect(resolved).toMatchObject({ submissionId: id, msg: { questionId, by: 'user' } });
    await chat[Symbol.asyncDispose]();
  });

  it('can have two questions pending at once, answered in any order', async () => {
    const { chat } = await start({ model: [[ask('colour'), elicit('github')], [says('Done.')]] });
    const ended = go(chat);
    const [first = '', second = ''] = await questions(chat, 2);
    chat.submit({ type: 'elicitation_answer', questionId: second, action: 'accept', content: { name: 'me' } });
    await chat.next('question_resolved');
    expect(chat.state.questions.map(({ questionId }) => questionId)).toEqual([first]);
    chat.submit({ type: 'user_input_answer', questionId: first, answers: null });
    await ended;
    expect(chat.outputs()).toEqual(['{"type":"cancelled","by":"user"}', '{"type":"accepted","content":{"name":"me"}}']);
    await chat[Symbol.asyncDispose]();
  });

  it('stays pending after an answer that does not fit, and the warning says why', async () => {
    const { chat } = await start({ model: [[elicit('github')], [says('Done.')]] });
    const ended = go(chat);
    const [questionId = ''] = await questions(chat, 1);
    const warned = async (answer: () => string) => {
      const warning = chat.next('warning');
      answer();
      return (await warning).message;
    };
    expect(await warned(() => chat.submit({ type: 'user_input_answer', questionId, answers: null }))).toBe(
      'This was asked by an MCP server: answer with elicitation_answer. The request is still pending.',
    );
    const other = { type: 'elicitation_answer', questionId: 'other', action: 'cancel' } as const;
    expect(await warned(() => chat.submit(other))).toBe('No request other is pending.');
    expect(chat.state.questions).toHaveLength(1);
    chat.submit({ ...other, questionId, action: 'decline' });
    await ended;
    expect(chat.outputs()).toEqual(['{"type":"declined","by":"user"}']);
    await chat[Symbol.asyncDispose]();
  });

  it('is stopped with its turn', async () => {
    const { chat } = await start({ model: [[ask('colour')], [says('Done.')]] });
    const ended = go(chat);
    await questions(chat, 1);
    chat.submit({ type: 'interrupt' });
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    expect(chat.said('question_resolved')).toMatchObject([{ by: 'turn_ended' }]);
    expect(chat.state.questions).toEqual([]);
    await chat.send('go on');
    expect(chat.outputs()).toEqual([expect.stringMatching(/^aborted by user after /)]);
    await chat[Symbol.asyncDispose]();
  });

  it('gets a cancellation at once where no user can answer', async () => {
    const { chat } = await start({ interactive: false, model: [[ask('colour'), elicit('x')], [says('Done.')]] });
    await go(chat);
    const cancelled = '{"type":"cancelled","by":"non_interactive"}';
    expect(chat.outputs()).toEqual([cancelled, cancelled]);
    await chat[Symbol.asyncDispose]();
  });

  it('gets a cancellation when the client disconnects while the question is pending', async () => {
    const { chat } = await start({ model: [[ask('colour')], [says('Done.')]] });
    const ended = go(chat);
    await questions(chat, 1);
    chat.session.endOfInput();
    await ended;
    expect(chat.outputs()).toEqual(['{"type":"cancelled","by":"non_interactive"}']);
    await chat[Symbol.asyncDispose]();
  });
});

describe('a thread that is resumed with a pending question', () => {
  async function cut(step: Step) {
    const first = await start({ model: [[step]] });
    void go(first.chat);
    await questions(first.chat, 1);
    await first.chat.session.suspend();
    const second = await start({ resume: first.chat, model: [[says('Done.')], [says('Done.')]] });
    return { first, second };
  }

  it('runs the call of a question of the model again, which asks again', async () => {
    const { first, second } = await cut(ask('colour'));
    const { chat } = second;
    const ended = chat.turnEnds();
    const old = first.chat.state.questions[0]?.questionId;
    await expect.poll(second.runs).toBe(1);
    const [questionId = ''] = await questions(chat, 1);
    expect(chat.said('question_resolved')).toEqual([{ type: 'question_resolved', questionId: old, by: 'turn_ended' }]);
    expect(questionId).not.toBe(old);
    chat.submit({ type: 'user_input_answer', questionId, answers: { colour: ['red'] } });
    expect(await ended).toMatchObject({ type: 'turn_completed' });
    expect(chat.outputs()).toEqual(['{"type":"answered","answers":{"colour":["red"]}}']);
    await first.chat.server.close();
    await chat[Symbol.asyncDispose]();
  });

  it('cancels an elicitation: its call had started and is answered as aborted', async () => {
    const { first, second } = await cut(elicit('github'));
    const { chat } = second;
    expect(chat.said('question_resolved')).toMatchObject([{ by: 'turn_ended' }]);
    expect(chat.state.questions).toEqual([]);
    expect(chat.state.turns.at(-1)?.status).toMatchObject({ type: 'aborted', reason: 'crashed' });
    await chat.send('go on');
    expect(chat.outputs()).toEqual(['aborted']);
    expect(second.runs()).toBe(0);
    await first.chat.server.close();
    await chat[Symbol.asyncDispose]();
  });

  it('cancels a question that was asked outside of turns, and lists the thread as before it', async () => {
    const { chat: first } = await start({ model: [[says('Hello.')]] });
    await first.send('hi');
    await first.session.suspend();
    const request = { ...form('github'), questionId: 'question-x' };
    const payload = { turnId: null, submissionId: null, msg: { type: 'question_requested', request } };
    const [name = ''] = readdirSync(first.home.at('threads'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.jsonl'),
    );
    const line = { timestamp: new Date().toISOString(), type: 'event_msg', payload };
    appendFileSync(first.home.at('threads', name), `${JSON.stringify(line)}\n`);
    const [listed] = await first.service.catalog.list([first.folder.path]);
    expect(listed?.lastTurn).toBe('completed');
    const { chat } = await start({ resume: first, model: [] });
    expect(chat.session.initialState.questions).toHaveLength(1);
    expect(chat.said('question_resolved')).toEqual([
      { type: 'question_resolved', questionId: 'question-x', by: 'turn_ended' },
    ]);
    expect(chat.state.questions).toEqual([]);
    await first.server.close();
    await chat[Symbol.asyncDispose]();
  });
});
