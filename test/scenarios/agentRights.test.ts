// A sub-agent gets no right that its parent does not have now, however it is started, opened again or written to.
import { describe, expect, it } from 'vitest';
import type { EventMsgOf } from '../../src/protocol/event.ts';
import { agentIds, agentScript, outputsOf, userTexts } from '../support/agentScript.ts';
import { calls, type ModelRequest, says } from '../support/modelServer.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

const all = { tools: 'all' } as const;
const SECRET = 'abcdefgh12345';
const files = { '.env': `API_KEY=${SECRET}\n`, 'a.txt': 'one\n' };
const spawn = (message: string, more: object = {}) => calls('spawn_agent', { message, ...more });
const wait = (request: ModelRequest) => [calls('wait', { ids: agentIds(request) })];
const patch = calls('apply_patch', { input: '*** Begin Patch\n*** Add File: made.txt\n+x\n*** End Patch' });
const run = (cmd: string, more: object = {}) => calls('exec_command', { cmd, ...more });
const outside = { sandbox_permissions: 'require_escalated', justification: 'I need it.' };

const READS = [calls('read_file', { file_path: '.env' }), run('cat .env'), run('cat .env', outside)];
const WRITES = [patch, run('echo x > made.txt'), run('echo x > made.txt', outside)];

/** The outputs in the last request of the thread with this message. */
function outputsAfter({ server }: Scenario, message: string): readonly string[] {
  const request = server.requests.findLast((each) => userTexts(each).some((text) => text.includes(message)));
  return request === undefined ? [] : outputsOf(request);
}

function expectNothingRevealedOrWritten(chat: Scenario, message: string): void {
  const outputs = outputsAfter(chat, message);
  expect(outputs).toHaveLength(READS.length + WRITES.length);
  const refused = /may not be read|Permission denied|Read-only file system|^Denied \(non_interactive\)|^Not allowed/;
  expect(outputs.filter((output) => !refused.test(output))).toEqual([]);
  expect(chat.files()).toEqual(files);
  expect(JSON.stringify(chat.server.requests)).not.toContain(SECRET);
}

describe.skipIf(noSandbox)('a sub-agent of a thread that may only read', () => {
  const confined = { agents: all, files, box: 'real', sandbox: 'read-only', interactive: false } as const;

  it('writes nothing and reads no file with secrets, whatever the call asks for', async () => {
    const sandbox = 'danger-full-access';
    const wishes = { model: 'other', sandbox, sandbox_policy: sandbox, approval_policy: 'never', tools: ['*'] };
    await using chat = await startScenario({
      ...confined,
      model: agentScript({
        ROOT: [[calls('task', { agent: 'worker', prompt: 'CHILD', ...wishes })], [says('Done.')]],
        CHILD: [[...READS, ...WRITES], [says('I could not.')]],
      }),
    });
    await chat.send('ROOT');
    expectNothingRevealedOrWritten(chat, 'CHILD');
  });

  it('gets no file with its message: a mention of the call is a name, and an image must be data', async () => {
    const mention = { type: 'mention', name: '.env', path: '.env', kind: 'file' };
    await using chat = await startScenario({
      ...confined,
      model: agentScript({
        ROOT: [
          [calls('spawn_agent', { items: [{ type: 'text', text: 'CHILD' }, mention] })],
          [calls('spawn_agent', { items: [{ type: 'local_image', path: '.env' }] })],
          [calls('spawn_agent', { items: [{ type: 'image', image_url: `file://.env` }] })],
          wait,
          [says('Done.')],
        ],
        CHILD: [[says('I have a name.')]],
      }),
    });
    await chat.send('ROOT');
    expect(outputsAfter(chat, 'ROOT').slice(1, 3)).toEqual([
      expect.stringMatching(/^Failed to parse the arguments/),
      expect.stringContaining('must be a data: URL of an image'),
    ]);
    expect(chat.server.requests.filter(({ text }) => text.includes('[.env](.env)'))).not.toEqual([]);
    expect(JSON.stringify(chat.server.requests)).not.toContain(SECRET);
  });
});

describe.skipIf(noSandbox)('a sub-agent that began under full access, when its parent may only read by now', () => {
  it.each(['is written to', 'was closed and is opened again'])('may only read, too, when it %s', async (how) => {
    const isClosed = how !== 'is written to';
    const first = (name: string) => (request: ModelRequest) => [calls(name, { id: agentIds(request)[0] })];
    await using chat = await startScenario({
      agents: all,
      files,
      box: 'real',
      sandbox: 'danger-full-access',
      interactive: false,
      model: agentScript({
        ROOT: [
          [spawn('CHILD', { fork_context: true })],
          wait,
          ...(isClosed ? [first('close_agent')] : []),
          [says('It is ready.')],
          ...(isClosed ? [first('resume_agent')] : []),
          (request) => [calls('send_input', { id: agentIds(request)[0], message: 'AGAIN' })],
          wait,
          [says('Done.')],
        ],
        CHILD: [[says('I am ready.')]],
        AGAIN: [[...READS, ...WRITES], [says('I could not.')]],
      }),
    });
    await chat.send('ROOT');
    chat.submit({ type: 'override_turn_context', box: { type: 'read-only', networkAccess: false } });
    await chat.send('And now?');
    expectNothingRevealedOrWritten(chat, 'AGAIN');
  });
});

it('a sub-agent is asked about a file with secrets that its parent was allowed to read once', async () => {
  const reads = READS.slice(0, 2);
  await using chat = await startScenario({
    agents: all,
    files,
    sandbox: 'danger-full-access',
    model: agentScript({
      ROOT: [reads, reads, [spawn('CHILD')], wait, [says('Done.')]],
      CHILD: [reads, [says('I could not.')]],
    }),
  });
  const asked: string[] = [];
  chat.service.live.onEvent(({ event: { msg, threadId } }) => {
    const who = threadId === chat.session.threadId ? 'parent' : 'agent';
    if (msg.type === 'approval_requested') {
      asked.push(`${who}: command`);
      const decision = who === 'parent' ? 'approved' : { denied: {} };
      chat.submit({ type: 'approval', approvalIds: [msg.approvalId], decision });
    } else if (msg.type === 'question_requested') {
      asked.push(`${who}: read`);
      const answers = { read: [who === 'parent' ? 'Allow once' : 'Do not allow'] };
      chat.submit({ type: 'user_input_answer', questionId: questionOf(msg), answers });
    }
  });
  await chat.send('ROOT');
  const both = (who: string) => [`${who}: read`, `${who}: command`];
  expect(asked.toSorted()).toEqual([...both('parent'), ...both('parent'), ...both('agent')].toSorted());
  expect(outputsAfter(chat, 'ROOT').filter((output) => output.includes(SECRET))).toHaveLength(4);
  expect(outputsAfter(chat, 'CHILD').join()).not.toContain(SECRET);
});

function questionOf({ request }: EventMsgOf<'question_requested'>): string {
  return request.questionId;
}
