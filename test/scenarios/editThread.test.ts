/** An edit at the cursor as a thread: what the model gets, what it may do, how it ends (docs/editor.md). */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type EditProgress,
  editHost,
  editSettings,
  type EditThreadDeps,
  PreparedEdit,
} from '../../src/core/agent/editThread.ts';
import type { ApplyOrigin } from '../../src/core/ports.ts';
import { editInput, EDIT_INSTRUCTIONS } from '../../src/core/prompt/editAtCursor.ts';
import type { Session } from '../../src/core/session/session.ts';
import type { MessageOp } from '../../src/core/session/sessionOptions.ts';
import { calls, fails, hangs, says, waits } from '../support/modelServer.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';

const TEXT = 'one\ntwo\nthree\n';
const PATCH = calls('apply_patch', {
  input: '*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+TWO\n three\n*** End Patch',
});
const { signal } = new AbortController();

function depsOf(chat: Scenario, begun: (session: Session) => void = () => {}): EditThreadDeps {
  const [settings, host] = chat.thread;
  let count = 0;
  return {
    ids: { next: (prefix) => `${prefix}-${++count}` },
    settings: () => settings,
    start: (tooLate) => chat.service.start(editSettings(settings), editHost(host, tooLate)),
    begin: (session) => {
      begun(session);
      chat.service.live.begin(session);
    },
    suspend: ({ threadId }) => chat.service.live.close(threadId, 'suspend'),
    send: (threadId, { input }) => expect.fail(`nothing was sent to ${threadId}: ${JSON.stringify(input)}`),
  };
}

function inputFor(chat: Scenario, line = 2) {
  const lines = { first: line, last: line };
  const problems = ['a.txt:2:1 error: not loud'];
  return editInput('make it loud', {
    path: chat.folder.at('a.txt'),
    name: 'a.txt',
    lines,
    lineCount: 4,
    lineAt: (line) => TEXT.split('\n')[line - 1] ?? '',
    problems,
  });
}

async function outcomeOf(options: Partial<ScenarioOptions> & Pick<ScenarioOptions, 'model'>, stop = signal) {
  const asks: Partial<ScenarioOptions> = { review: 'before', host: { review: () => 'before' } };
  await using chat = await startScenario({ files: { 'a.txt': TEXT }, ...asks, ...options });
  const progress: EditProgress[] = [];
  const { outcome } = await new PreparedEdit(depsOf(chat)).start(inputFor(chat), stop, (one) => progress.push(one));
  const ended = await outcome;
  return { outcome: ended, text: chat.files()['a.txt'], progress, live: chat.service.live.states.length };
}

describe('an edit at the cursor', () => {
  it('sends the place, the lines around it and the problems, and offers only tools that read and patch', async () => {
    await using chat = await startScenario({ files: { 'a.txt': TEXT }, model: [[says('No.')]] });
    await (await new PreparedEdit(depsOf(chat)).start(inputFor(chat), signal, () => {})).outcome;
    const [request] = chat.server.requests;
    const path = chat.folder.at('a.txt');
    const input = JSON.stringify(request?.input ?? []);
    const messages = (request?.input ?? []).filter(({ role }) => role === 'user');
    expect(JSON.parse(JSON.stringify(messages.at(-1)?.content))).toEqual([
      { type: 'input_text', text: 'make it loud' },
      {
        type: 'input_text',
        text: `\n\n<attachment name="a.txt:2" kind="selection" path="${path}" lines="2-2">\ntwo\n</attachment>`,
      },
      {
        type: 'input_text',
        text: `\n\n<attachment name="a.txt:1-4" kind="file" path="${path}" lines="1-3">\none\ntwo\nthree\n</attachment>`,
      },
      {
        type: 'input_text',
        text: '\n\n<attachment name="problems of a.txt" kind="problems">\na.txt:2:1 error: not loud\n</attachment>',
      },
    ]);
    expect(input).toContain(JSON.stringify(EDIT_INSTRUCTIONS).slice(1, 60));
    expect(request?.toolNames).toEqual(['apply_patch', 'read_file', 'list_dir', 'grep_files']);
  });

  it('is applied without approval also where patches are reviewed before, is left unsaved, and reports its progress', async () => {
    const origins: (ApplyOrigin | undefined)[] = [];
    const { outcome, text, progress, live } = await outcomeOf({
      model: [[PATCH], [says('Done.')]],
      deps: ({ workspace }) => ({
        workspace: {
          ...workspace,
          roots: workspace.roots,
          apply: (changes, stop, origin) => {
            origins.push(origin);
            return workspace.apply(changes, stop, origin);
          },
        },
      }),
    });
    expect(outcome).toEqual({ type: 'changed', paths: [expect.stringMatching(/a\.txt$/)] });
    expect(text).toBe('one\nTWO\nthree\n');
    expect(origins).toEqual([expect.objectContaining({ isUnseen: true, staysUnsaved: true })]);
    expect(progress.map(({ type }) => type)).toContain('writing');
    expect(progress.at(-1)).toEqual({ type: 'applied' });
    // Its session is closed; the other one is that of the scenario.
    expect(live).toBe(1);
  });

  it('that changes nothing ends with the answer of the model', async () => {
    expect((await outcomeOf({ model: [[says('It is loud.')]] })).outcome).toEqual({
      type: 'answered',
      text: 'It is loud.',
    });
  });

  it('that fails ends with the reason', async () => {
    const { outcome } = await outcomeOf({ model: [[fails(401)]], maxAttempts: 1 });
    expect(outcome).toEqual({ type: 'failed', message: expect.stringMatching(/.+/), paths: [] });
  });

  it('that fails after a patch says which files it has changed', async () => {
    const { outcome } = await outcomeOf({ model: [[PATCH], [fails(401)]], maxAttempts: 1 });
    expect(outcome).toMatchObject({ type: 'failed', paths: [expect.stringMatching(/a\.txt$/)] });
  });

  it('that asks to read a file waits for the user, and not for approval of a change', async () => {
    let count = 0;
    await using chat = await startScenario({
      files: { 'a.txt': TEXT, '.env': 'KEY=1\n' },
      policy: 'on-request',
      model: () => (count++ === 0 ? [calls('read_file', { file_path: secret })] : [says('No.')]),
    });
    const secret = chat.folder.at('.env');
    const progress: string[] = [];
    const deps = depsOf(chat, (session) => {
      session.onEvent(({ msg }) => {
        if (msg.type !== 'question_requested') return;
        const { questionId } = msg.request;
        session.submit({ id: 'answer', op: { type: 'user_input_answer', questionId, answers: null } });
      });
    });
    const edit = await new PreparedEdit(deps).start(inputFor(chat), signal, ({ type }) => progress.push(type));
    expect(await edit.outcome).toEqual({ type: 'answered', text: 'No.' });
    expect(progress).toContain('waiting');
    expect(progress).not.toContain('asking');
  });

  it('is interrupted by its signal, and says whether it has changed something', async () => {
    const abort = new AbortController();
    await using chat = await startScenario({
      files: { 'a.txt': TEXT },
      model: [[PATCH], [hangs()]],
    });
    const edit = await new PreparedEdit(depsOf(chat)).start(inputFor(chat), abort.signal, ({ type }) => {
      if (type === 'applied') abort.abort(new Error('stopped'));
    });
    expect(await edit.outcome).toEqual({ type: 'stopped', paths: [expect.stringMatching(/a\.txt$/)] });
  });

  it('leaves nothing when the user writes no message', async () => {
    await using chat = await startScenario({ files: { 'a.txt': TEXT }, model: [[says('Hello.')]] });
    await chat.send('hi');
    const stored = () =>
      ['threads', 'locks'].flatMap((name) => readdirSync(chat.home.at(name), { recursive: true, encoding: 'utf8' }));
    const before = stored();
    const edit = new PreparedEdit(depsOf(chat));
    await edit.discard();
    expect(chat.service.live.states).toHaveLength(1);
    expect(stored()).toEqual(before);
  });

  it('runs under the settings of the moment in which the user sends the message', async () => {
    await using chat = await startScenario({ files: { 'a.txt': TEXT }, model: [[says('No.')]] });
    const [settings, host] = chat.thread;
    const chosen = { ...settings, turn: { ...settings.turn, model: 'another-model' } };
    let current = settings;
    const edit = new PreparedEdit({
      ...depsOf(chat),
      settings: () => current,
      start: (tooLate) => chat.service.start(editSettings(current), editHost(host, tooLate)),
    });
    current = chosen;
    await (await edit.start(inputFor(chat), signal, () => {})).outcome;
    expect(chat.server.requests.map(({ body }) => body['model'])).toEqual(['another-model']);
    expect(chat.service.live.states).toHaveLength(1);
  });

  it('attaches the empty line at the end of the file as it is', async () => {
    await using chat = await startScenario({ files: { 'a.txt': TEXT }, model: [[says('No.')]] });
    await (await new PreparedEdit(depsOf(chat)).start(inputFor(chat, 4), signal, () => {})).outcome;
    const sent = JSON.stringify(chat.server.requests[0]?.input);
    expect(sent).toMatch(/name=\\"a\.txt:4\\" kind=\\"selection\\" path=\\"[^"]*\\">\\n\\n<\/attachment>/);
    expect(sent).toContain('lines=\\"1-3\\">\\none\\ntwo\\nthree\\n</attachment>');
    expect(sent).not.toContain('is wanted');
  });

  it('starts no turn when it is stopped before', async () => {
    await using chat = await startScenario({ files: { 'a.txt': TEXT }, model: [] });
    const stopped = AbortSignal.abort(new Error('stopped before'));
    await expect(new PreparedEdit(depsOf(chat)).start(inputFor(chat), stopped, () => {})).rejects.toThrow(
      'stopped before',
    );
    expect(chat.server.requests).toEqual([]);
    expect(chat.service.live.states).toHaveLength(1);
  });

  it('is asked about where the policy demands it, and applies nothing when it is denied', async () => {
    await using chat = await startScenario({
      files: { 'a.txt': TEXT },
      policy: 'untrusted',
      model: [[PATCH], [says('Denied.')]],
    });
    const deps = depsOf(chat);
    const edit = await new PreparedEdit(deps).start(inputFor(chat), signal, (progress) => {
      if (progress.type !== 'asking') return;
      const { approvalId } = progress;
      const op = { type: 'approval' as const, approvalIds: [approvalId], decision: { denied: {} } };
      for (const { threadId } of chat.service.live.states) chat.service.live.submit(threadId, op);
    });
    expect(await edit.outcome).toEqual({ type: 'answered', text: 'Denied.' });
    expect(chat.files()['a.txt']).toBe(TEXT);
  });

  it.each(['before', 'after'] as const)('sends with all tools what the user sends just %s its end', async (when) => {
    let queued = () => {};
    const isQueued = new Promise<void>((resolve) => {
      queued = resolve;
    });
    const lateOnes: MessageOp[] = [];
    await using chat = await startScenario({
      files: { 'a.txt': TEXT },
      model: [[PATCH], when === 'before' ? [waits(isQueued), says('Done.')] : [says('Done.')], [says('More.')]],
    });
    const op: MessageOp = { type: 'steer', input: [{ type: 'text', text: 'and more' }] };
    let submit = () => {};
    const deps = depsOf(chat, (session) => {
      submit = () => session.submit({ id: 'more', op });
      session.onEvent(({ msg }) => {
        if (msg.type === 'input_queued') queued();
        if (when === 'after' && msg.type === 'turn_completed') submit();
      });
    });
    const edit = await new PreparedEdit({ ...deps, send: (_, sent) => lateOnes.push(sent) }).start(
      inputFor(chat),
      signal,
      () => {},
    );
    if (when === 'before') void chat.server.received(2).then(submit);
    expect(await edit.outcome).toEqual({ type: 'changed', paths: ['a.txt'] });
    expect(chat.server.requests).toHaveLength(2);
    expect(lateOnes).toEqual([op]);

    const resumed = await chat.service.resume({ id: edit.threadId }, ...chat.thread);
    if (resumed.type !== 'resumed') throw new Error(resumed.type);
    chat.service.live.begin(resumed.session);
    resumed.session.submit({ id: 'again', op });
    await resumed.session.idle();
    expect(chat.server.requests.at(-1)?.toolNames).toContain('exec_command');
    expect(JSON.stringify(chat.server.requests.at(-1)?.input).match(/and more/g)).toHaveLength(1);
    await resumed.session.dispose();
  });

  it('continues as a thread with all tools and without the instructions of the edit', async () => {
    await using chat = await startScenario({
      files: { 'a.txt': TEXT },
      model: [[PATCH], [says('Done.')], [says('More.')]],
    });
    const edit = await new PreparedEdit(depsOf(chat)).start(inputFor(chat), signal, () => {});
    await edit.outcome;
    const [settings, host] = chat.thread;
    const resumed = await chat.service.resume({ id: edit.threadId }, settings, host);
    if (resumed.type !== 'resumed') throw new Error(resumed.type);
    const { session } = resumed;
    chat.service.live.begin(session);
    session.submit({ id: 'more', op: { type: 'user_turn', input: [{ type: 'text', text: 'and more' }] } });
    await session.idle();
    expect(chat.server.requests.at(-1)?.toolNames).toContain('exec_command');
    await session.dispose();
  });
});
