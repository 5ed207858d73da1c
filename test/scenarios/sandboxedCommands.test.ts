/** The messages about the sandbox for the user and the model. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { sandboxPolicySchema } from '../../src/protocol/policy.ts';
import { overWhen } from '../support/overWhen.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { type Answer, calls, says } from '../support/modelServer.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';

const run = (cmd: string) => calls('exec_command', { cmd });

describe.skipIf(noSandbox)('a command in the sandbox', () => {
  it('runs without approval, and its item names the sandbox', async () => {
    await using chat = await startScenario({ box: 'real', model: [[run('echo one > a; cat a')], [says('Done.')]] });
    await chat.send('go');
    expect(chat.said('approval_requested')).toEqual([]);
    expect(chat.said('thread_started')).toMatchObject([{ box: 'bubblewrap' }]);
    expect(chat.items('command_execution')).toMatchObject([
      { box: 'bubblewrap', status: 'completed', output: 'one\n' },
    ]);
    expect(chat.files()).toEqual({ a: 'one\n' });
    await expect.poll(() => readdirSync(chat.folder.path), { timeout: 3_000 }).toEqual(['a']);
  });

  it('that is known to only read cannot write, and no mount point is created in the workspace for it', async () => {
    const look = 'ls -A; cat /proc/self/mountinfo';
    await using chat = await startScenario({
      box: 'real',
      files: { a: 'one\n' },
      model: [[run(look)], [run(`true > b; ${look}`)], [says('Done.')]],
    });
    await chat.send('go');
    expect(chat.said('approval_requested')).toEqual([]);
    const [reads, writes] = chat.items('command_execution').map(({ output }) => output);
    const { path } = chat.folder;
    const optionsOfMounts = (output = '') => {
      const mounts = output.split('\n').map((line) => line.split(' '));
      return mounts.flatMap(([, , , , place, options]) => (place === path ? [options] : []));
    };
    expect(reads).toMatch(/^a\n\d/);
    expect(optionsOfMounts(reads)).toEqual([expect.stringMatching(/^ro,/)]);
    expect(writes).toMatch(/^\.git\n\.vscode\na\nb\n\d/);
    expect(optionsOfMounts(writes)).toEqual([expect.stringMatching(/^rw,/)]);
  });

  it('keeps its /tmp for the next command of the thread, invisible to other threads', async () => {
    await using chat = await startScenario({
      box: 'real',
      model: [[run('echo kept > /tmp/note')], [run('cat /tmp/note')], [says('Done.')]],
    });
    await chat.send('go');
    expect(chat.items('command_execution')[1]?.output).toBe('kept\n');
    expect(existsSync('/tmp/note')).toBe(false);
    await using other = await startScenario({ box: 'real', model: [[run('ls /tmp/note')], [says('Done.')]] });
    await other.send('go');
    expect(other.items('command_execution')[0]?.status).toBe('failed');
  });

  it.each(['on-failure', 'untrusted'] as const)(
    'blocked by it may be run outside under %s, after an approval',
    async (policy) => {
      using elsewhere = tempFolder(homedir());
      const cmd = `echo x > ${elsewhere.at('x')}`;
      await using chat = await startScenario({ box: 'real', policy, model: [[run(cmd)], [says('Done.')]] });
      const ended = chat.send('go');
      if (policy === 'untrusted') {
        const { approvalId } = await chat.next('approval_requested');
        chat.submit({ type: 'approval', approvalIds: [approvalId], decision: 'approved' });
      }
      const asked = await chat.next('approval_requested');
      expect(asked).toMatchObject({ kind: 'escalation', command: cmd, reason: { source: 'sandbox', id: 'denied' } });
      expect(asked.reason.text).toMatch(/seems to have blocked it: .*Read-only file system/);
      chat.submit({ type: 'approval', approvalIds: [asked.approvalId], decision: 'approved' });
      await ended;
      expect(chat.items('command_execution').map(({ box, status }) => [box, status])).toEqual([
        ['bubblewrap', 'failed'],
        ['none', 'completed'],
      ]);
      expect(readFileSync(elsewhere.at('x'), 'utf8')).toBe('x\n');
    },
  );

  it('stays blocked after a denial, and the model gets both reasons', async () => {
    await using chat = await startScenario({
      box: 'real',
      policy: 'on-failure',
      model: [[run('touch /etc/tiller-test')], [says('Then not.')]],
    });
    const ended = chat.send('go');
    await chat.answer({ denied: { message: 'not there' } });
    await ended;
    const [output] = chat.outputs();
    expect(output).toContain("blocked this: touch: cannot touch '/etc/tiller-test': Read-only file system");
    expect(output).toContain('not run again outside the sandbox: denied by the user: not there.');
    expect(existsSync('/etc/tiller-test')).toBe(false);
  });

  it('stays blocked where no user can answer, and the output tells the model to go on without it', async () => {
    await using chat = await startScenario({
      box: 'real',
      policy: 'on-failure',
      interactive: false,
      model: [[run('touch /etc/tiller-test')], [says('Then not.')]],
    });
    await chat.send('go');
    expect(chat.outputs()[0]).toMatch(
      /\nIt was not run again outside the sandbox: no user can answer in this run, so /,
    );
  });

  it.each([
    ['on-request', 'require_escalated'],
    ['never', 'The user is not asked to allow it'],
  ] as const)('under %s tells the model what was blocked and what to do: %s', async (policy, advice) => {
    await using chat = await startScenario({
      box: 'real',
      policy,
      model: [[run('touch /etc/tiller-test')], [says('I see.')]],
    });
    await chat.send('go');
    expect(chat.said('approval_requested')).toEqual([]);
    expect(chat.outputs()[0]).toContain('The sandbox seems to have blocked this: touch: cannot touch');
    expect(chat.outputs()[0]).toContain(advice);
  });

  it.each([
    ['on-request', 'require_escalated'],
    ['on-failure', 'run it again and wait for its end'],
    ['never', 'The user is not asked to allow it'],
  ] as const)('in the background under %s the look in on its end says what was blocked: %s', async (policy, advice) => {
    const cmd = 'touch /etc/tiller-test; until [ -e go ]; do sleep 0.02; done; echo later; exit 1';
    const looksIn: Answer = ({ input }) => {
      const session = /session ID (\d+)/.exec(JSON.stringify(input))?.[1];
      chat.write('go', '');
      return [calls('write_stdin', { session_id: Number(session), yield_time_ms: 30_000 })];
    };
    await using chat: Scenario = await startScenario({
      box: 'real',
      policy,
      deps: overWhen(700, () => chat.said('item_delta').some(({ text }) => text.includes('cannot touch'))),
      model: [[calls('exec_command', { cmd, yield_time_ms: 700 })], looksIn, [says('I see.')]],
    });
    await chat.send('go');
    const [started, ended] = chat.outputs();
    expect(started).toContain("touch: cannot touch '/etc/tiller-test'");
    expect(started).not.toContain('seems to have blocked');
    expect(ended).toContain("The sandbox seems to have blocked this: touch: cannot touch '/etc/tiller-test'");
    expect(ended).toContain(advice);
    expect(ended).toContain('later');
  });

  it('that reaches no host, and names none, may be run outside after an approval', async () => {
    const cmd = 'node -e "console.error(\'getaddrinfo EAI_AGAIN\'); process.exit(1)"';
    await using chat = await startScenario({ box: 'real', policy: 'on-failure', model: [[run(cmd)], [says('Oh.')]] });
    const ended = chat.send('go');
    const asked = await chat.next('approval_requested');
    expect(asked).toMatchObject({ kind: 'escalation', reason: { source: 'sandbox', id: 'denied' } });
    expect(asked.reason.text).toMatch(/getaddrinfo EAI_AGAIN \(there is no network in the sandbox\)$/);
    chat.submit({ type: 'approval', approvalIds: [asked.approvalId], decision: { denied: {} } });
    await ended;
    expect(chat.outputs()[0]).toContain('The sandbox seems to have blocked this: ');
  });

  it('that reaches no host gets the note even if the command itself is at fault', async () => {
    const cmd = 'echo "curl: (6) Could not resolve host: example.invalid"; exit 6';
    await using chat = await startScenario({ box: 'real', policy: 'on-failure', model: [[run(cmd)], [says('Oh.')]] });
    const box = sandboxPolicySchema.parse({ type: 'workspace-write', networkAccess: true });
    await chat.send('go', { overrides: { box } });
    expect(chat.said('approval_requested')).toEqual([]);
    expect(chat.outputs()[0]).not.toContain('seems to have blocked');
  });

  it('that creates a folder for agents has it moved away, and the user and the model get a message', async () => {
    await using chat = await startScenario({
      box: 'real',
      model: [[run('mkdir .claude && echo x > .claude/settings.json')], [says('Oh.')]],
    });
    await chat.send('go');
    expect(chat.files()).toEqual({});
    const [warning] = chat.said('warning');
    expect(warning?.message).toContain('.claude, which can make editors and agents run code');
    expect(warning?.quarantineId).toMatch(/^[\w-]+$/);
    expect(chat.outputs()[0]).toContain('Tiller moved it out of the workspace. The user can restore it.');
  });
});

describe('without a sandbox', () => {
  it('the cause is in the approval request of the user and in the refusal for the model', async () => {
    await using chat = await startScenario({ policy: 'never', model: [[run('touch x')], [says('I see.')]] });
    await chat.send('go');
    expect(chat.outputs()[0]).toContain('This scenario has no box.');
    expect(chat.said('thread_started')).toMatchObject([{ box: 'none', noSandboxCause: 'This scenario has no box.' }]);
  });
});
