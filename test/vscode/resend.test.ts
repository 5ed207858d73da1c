/** Messages that are sent again or cannot be sent, in the whole extension: none of them is lost. */
import assert from 'node:assert/strict';
import { setup, suite, teardown, test } from 'mocha';
import * as vscode from 'vscode';
import { compose } from '../../src/extension/compose.ts';
import type { Tiller } from '../../src/extension/createTiller.ts';
import type { LiveThread } from '../../src/core/agent/liveThreads.ts';
import type { Event, EventMsg } from '../../src/protocol/event.ts';
import { initialThreadState, type ThreadState } from '../../src/protocol/thread.ts';
import { RevertCommands } from '../../src/vscode/undo/revertCommands.ts';
import type { TurnItemOf, UserInput } from '../../src/protocol/item.ts';
import type { HostMessage } from '../../src/protocol/wire.ts';
import { calls, hangs, type ModelScript, ModelServer, says } from '../support/modelServer.ts';
import type { TempFolder } from '../support/tempFolder.ts';
import { inPlace } from './support/editorPlace.ts';
import { contextOf, eventually, Page } from './support/page.ts';
import { ScriptedUser } from './support/scriptedUser.ts';
import { ownHome } from './support/ownHome.ts';
import { Memory } from './support/memory.ts';

declare const TILLER_VERSION: string;

type Snapshot = Extract<HostMessage, { type: 'snapshot' }>;
type Returned = Extract<HostMessage, { type: 'insert_text' }>;

const inputOf = (text: string): UserInput[] => [{ type: 'text', text }];

suite('a message that is sent again or is not sent', () => {
  const { executeCommand } = vscode.commands;
  const configuration = vscode.workspace.getConfiguration('tiller');
  const keys = ['baseUrl', 'model', 'approvalPolicy', 'sandbox.mode'];
  const set = (key: string, value: unknown) => configuration.update(key, value, vscode.ConfigurationTarget.Global);
  let home: TempFolder;
  let server: ModelServer;
  let tiller: Tiller;
  let page: Page;

  setup(() => {
    home = ownHome();
    // A real one would start the extension, which has its own copy of the panel.
    Object.assign(vscode.commands, { executeCommand: async () => undefined });
  });
  teardown(async () => {
    Object.assign(vscode.commands, { executeCommand });
    await tiller.dispose();
    await server.close();
    for (const key of keys) await set(key, undefined);
    home[Symbol.dispose]();
  });

  async function open(model: ModelScript): Promise<void> {
    server = await ModelServer.start(model, { wire: 'responses' });
    const values = [server.baseUrl, 'test-model', 'untrusted', 'danger-full-access'];
    for (const [index, key] of keys.entries()) await set(key, values[index]);
    tiller = await compose({ ...contextOf(), workspaceState: new Memory() });
    page = new Page();
    tiller.view.resolveWebviewView(page.view);
    page.say({ type: 'ready', build: TILLER_VERSION });
    await page.hears('"snapshot"');
  }

  const heard = () => page.heard as readonly HostMessage[];
  const msgs = () => heard().flatMap((one) => (one.type === 'events' ? one.events.map(({ msg }) => msg) : []));
  const ends = () => msgs().filter(({ type }) => type === 'turn_completed').length;
  const shown = () => heard().findLast((one): one is Snapshot => one.type === 'snapshot');
  const shownId = () => shown()?.thread?.threadId;
  const resent = () => heard().flatMap((one) => (one.type === 'resent' ? [one.isSent] : []));
  const returned = () => heard().filter((one): one is Returned => one.type === 'insert_text');
  const send = (text: string) => page.say({ type: 'op', op: { type: 'user_turn', input: inputOf(text) } });

  /** The first message of the shown thread, in a new snapshot. */
  async function firstMessage(): Promise<TurnItemOf<'user_message'>> {
    const past = page.heard.length;
    page.say({ type: 'ready', build: TILLER_VERSION });
    await eventually(() =>
      heard()
        .slice(past)
        .some(({ type }) => type === 'snapshot'),
    );
    const item = shown()?.thread?.turns[0]?.items[0];
    assert.ok(item?.type === 'user_message');
    return item;
  }

  async function openThread(threadId: string): Promise<void> {
    page.say({ type: 'open_thread', threadId });
    await eventually(() => shownId() === threadId);
  }

  test('is sent again in the thread of an agent whose task ended while it was shown', async () => {
    await open([
      [calls('task', { agent: 'worker', prompt: 'Touch it.', description: 'Touch' })],
      [calls('exec_command', { cmd: 'touch by-agent' })],
      [says('Not touched.')],
      [says('Done.')],
      [says('Once more.')],
    ]);
    send('Have it touched.');
    const asking = () =>
      heard()
        .flatMap((one) => (one.type === 'agents' ? one.rows : []))
        .at(-1);
    await eventually(() => asking()?.approvals.length === 1);
    const agent = asking();
    const approvalId = agent?.approvals[0]?.approvalId;
    assert.ok(agent && approvalId !== undefined);
    await openThread(agent.agentId);
    page.say({ type: 'op', op: { type: 'approval', approvalIds: [approvalId], decision: { denied: {} } } });
    // The request of its parent comes after the end of its session.
    await server.received(4);
    const { id } = await firstMessage();
    page.say({ type: 'resend', itemId: id, input: inputOf('Touch it gently.'), restoresFiles: false });
    await eventually(() => resent().length === 1);
    assert.deepEqual(resent(), [true]);
    await server.received(5);
    assert.match(server.lastRequest.text, /Touch it gently\./);
    assert.doesNotMatch(server.lastRequest.text, /Not touched/);
    assert.equal(shownId(), agent.agentId);
  });

  test('is sent again to its thread when another one is shown before it is sent', async () => {
    await open([[hangs()], [says('First.')], [says('Second.')]]);
    send('Wait.');
    await server.received(1);
    await firstMessage();
    const other = shownId();
    await tiller.chat.newThread();
    assert.equal(shown()?.thread, null);
    send('Say something.');
    await eventually(() => ends() === 1);
    const { id } = await firstMessage();
    assert.ok(other !== undefined && other !== shownId());
    page.say({ type: 'resend', itemId: id, input: null, restoresFiles: false });
    await openThread(other);
    await eventually(() => resent().length === 1);
    assert.deepEqual(resent(), [true]);
    await server.received(3);
    assert.match(server.lastRequest.text, /Say something\./);
    assert.doesNotMatch(server.lastRequest.text, /Wait\.|First\./);
    assert.equal(shownId(), other);
  });

  test(
    'of a problem is in the composer of its thread when the thread is deleted before it is sent',
    inPlace({ 'a.py': 'one\n' }, async (here) => {
      await open([[says('Hello.')]]);
      send('Hi.');
      await eventually(() => ends() === 1);
      const threadId = shownId() ?? '';
      const problems = vscode.languages.createDiagnosticCollection('fake');
      try {
        const range = new vscode.Range(0, 0, 0, 3);
        problems.set(here.uri('a.py'), [new vscode.Diagnostic(range, 'is wrong', vscode.DiagnosticSeverity.Error)]);
        // The panel is revealed between the click and the submission.
        const deleted = async () => {
          page.say({ type: 'delete_thread', threadId });
          await eventually(() => shown()?.thread === null);
        };
        Object.assign(vscode.commands, { executeCommand: deleted });
        await assert.rejects(tiller.problems.ask('fix', here.uri('a.py'), range), /is in the composer of that thread/);
        Object.assign(vscode.commands, { executeCommand: async () => undefined });
        await tiller.threads.restore(threadId);
        assert.equal(shownId(), threadId);
        assert.match(shown()?.draft ?? '', /Fix this problem:[^]*is wrong/);
      } finally {
        problems.dispose();
      }
    }),
  );

  test('belongs to the draft behind an edit that has begun since', async () => {
    await open([[says('Hello.')]]);
    send('Hi.');
    await eventually(() => ends() === 1);
    const { id } = await firstMessage();
    const threadId = shownId();
    assert.ok(threadId !== undefined);
    const edit = { type: 'sent', id, original: 'Hi.', draft: 'half', restoresFiles: false } as const;
    page.say({ type: 'draft', count: 1, threadId, text: 'Hi there.', edit, attachments: [], images: null });
    tiller.view.giveBack(inputOf('not sent'), threadId);
    const [message] = returned();
    assert.deepEqual([message?.text, message?.isUnsent, message?.isReturned], ['not sent', true, true]);
    await firstMessage();
    assert.deepEqual([shown()?.draft, shown()?.edit?.draft], ['Hi there.', 'half\nnot sent']);
  });
});

/** A thread with one message whose rollback `answer` answers; `undefined`: the thread is closed before it. */
function alone(answer: EventMsg | undefined) {
  const content = inputOf('Say something.');
  const turn = { id: 't', items: [{ type: 'user_message', id: 'i', content }] };
  const state = { ...initialThreadState('a'), turns: [turn] } as unknown as ThreadState;
  let listener: (event: Event) => void = () => {};
  const session = {
    onEvent: (given: typeof listener) => {
      listener = given;
      return { dispose: () => {} };
    },
  };
  let live: unknown = { session, state };
  const returned: unknown[] = [];
  const commands = new RevertCommands({
    threads: { state, access: { type: 'own' }, target: { threadId: 'a', starting: undefined }, open: assert.fail },
    live: {
      get: () => live as LiveThread | undefined,
      submit: (threadId, _op, submissionId) => {
        assert.ok(answer);
        listener({ v: 1, seq: 1, at: '', threadId, turnId: null, submissionId: submissionId ?? null, msg: answer });
        return true;
      },
    },
    giveBack: (input, threadId) => void returned.push([threadId, input]),
    hasModel: async () => {
      if (answer === undefined) live = undefined;
      return true;
    },
    send: () => Promise.reject(new Error('not sent')),
  });
  return { again: () => commands.resend({ itemId: 'i', input: null, restoresFiles: false }), content, returned };
}

suite('a message that is sent again or is not sent, by itself', () => {
  test('returns to the composer of its thread when it cannot be sent after the thread went back', async () => {
    const msg: EventMsg = {
      type: 'turns_rolled_back',
      toItemId: 'i',
      turnIds: ['t'],
      files: false,
      conversation: true,
    };
    const { again, content, returned } = alone(msg);
    await assert.rejects(again(), /not sent/);
    assert.deepEqual(returned, [['a', content]]);
  });

  test('is not sent again when its thread was closed before, and a warning says so', async () => {
    const { again, returned } = alone(undefined);
    const user = new ScriptedUser();
    try {
      assert.equal(await again(), false);
    } finally {
      user.restore();
    }
    assert.deepEqual(returned, []);
    assert.deepEqual(user.shown, ['The thread was closed before anything was undone. Open it and try again.']);
  });
});
