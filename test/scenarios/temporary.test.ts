/** The temporary folder of a thread: one folder for its commands and its patches. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandboxPolicySchema } from '../../src/protocol/policy.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { type Answer, calls, says } from '../support/modelServer.ts';
import { startScenario, type Scenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';

const run = (cmd: string, more: object = {}) => calls('exec_command', { cmd, ...more });
const patch = (...lines: string[]) =>
  calls('apply_patch', { input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });
const add = (file: string, text: string) => patch(`*** Add File: ${file}`, `+${text}`);
/** A name in the /tmp of the machine; no other test uses it. */
const machines = `/tmp/tiller-temporary-${process.pid}`;
const folderOf = (chat: Scenario) => chat.home.at('tmp', chat.session.threadId);
const outputs = (chat: Scenario) => chat.items('command_execution').map(({ output }) => output);

describe.skipIf(noSandbox)('in the sandbox', () => {
  it.each([
    ['in /tmp', undefined],
    ['elsewhere', homedir()],
  ] as const)(
    'a patch to /tmp writes where commands find it, and nothing of the machine, with TILLER_HOME %s',
    async (_, homeIn) => {
      await using chat = await startScenario({
        box: 'real',
        policy: 'never',
        homeIn,
        model: [
          [add(machines, 'one')],
          [run(`cat ${machines} "$TMPDIR/${path.basename(machines)}"`)],
          [patch(`*** Update File: ${machines}`, '@@', '-one', '+two')],
          [run(`cat ${machines}`)],
          [patch(`*** Delete File: ${machines}`)],
          [run(`test -e ${machines} || echo gone`)],
          [says('Done.')],
        ],
      });
      await chat.send('go');
      expect(outputs(chat)).toEqual(['one\none\n', 'two\n', 'gone\n']);
      expect(chat.items('file_change').map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
      expect(existsSync(machines)).toBe(false);
    },
  );

  it('a file that a command created is patched under the path that the command printed', async () => {
    let made = '';
    const updates: Answer = ({ input }) => {
      made = /\/\S+\/tmp\.\w+/.exec(String(input.at(-1)?.output))?.[0] ?? '';
      return [patch(`*** Update File: ${made}`, '@@', '-draft', '+final')];
    };
    await using chat = await startScenario({
      box: 'real',
      policy: 'never',
      homeIn: homedir(),
      model: [
        [run('file=$(mktemp); echo draft > "$file"; echo "$file"')],
        updates,
        [run('cat "$TMPDIR"/tmp.*')],
        [says('Done.')],
      ],
    });
    await chat.send('go');
    expect(path.dirname(made)).toBe(folderOf(chat));
    expect(outputs(chat)[1]).toBe('final\n');
    expect(readFileSync(made, 'utf8')).toBe('final\n');
  });

  it('the model gets its path, which commands outside the sandbox can use', async () => {
    await using chat = await startScenario({
      box: 'real',
      homeIn: homedir(),
      model: [
        [run('echo inside > /tmp/note')],
        ({ input }) => {
          const told = /\$TMPDIR is (\S+), private/.exec(JSON.stringify(input))?.[1] ?? '';
          return [run(`cat < ${told}/note`, { sandbox_permissions: 'require_escalated', justification: 'May I?' })];
        },
        [says('Done.')],
      ],
    });
    const ended = chat.send('go');
    await chat.answer('approved');
    await ended;
    expect(outputs(chat)[1]).toBe('inside\n');
  });

  it('a command may start in it, before and after files exist there', async () => {
    await using chat = await startScenario({
      box: 'real',
      homeIn: homedir(),
      model: [
        [run('mkdir sub; pwd', { workdir: '/tmp' })],
        [run('pwd', { workdir: '/tmp/sub' })],
        [run('pwd', { workdir: '/tmp/none' })],
        [says('Done.')],
      ],
    });
    await chat.send('go');
    expect(outputs(chat)).toEqual([`${folderOf(chat)}\n`, `${folderOf(chat)}/sub\n`]);
    expect(chat.outputs()[2]).toContain('does not exist');
  });

  it('a workspace in /tmp keeps its path', async () => {
    using elsewhere = tempFolder();
    await using chat = await startScenario({
      box: 'real',
      policy: 'never',
      model: ({ input }) => {
        if (input.some(({ type }) => type === 'function_call_output')) return [says('Done.')];
        const cwd = /<cwd>(.*?)<\/cwd>/.exec(JSON.stringify(input))?.[1];
        return [
          patch(`*** Add File: ${cwd}/a`, '+a', '*** Add File: ../b', '+b', `*** Add File: ${elsewhere.at('c')}`, '+c'),
        ];
      },
    });
    await chat.send('go');
    expect(chat.files()).toEqual({ a: 'a\n' });
    expect(readFileSync(path.join(folderOf(chat), 'b'), 'utf8')).toBe('b\n');
    // Another folder in /tmp is not visible inside: its path means one in the temporary folder of the thread.
    expect(existsSync(elsewhere.at('c'))).toBe(false);
    expect(readFileSync(path.join(folderOf(chat), path.basename(elsewhere.path), 'c'), 'utf8')).toBe('c\n');
  });

  it('is still there when the thread is resumed', async () => {
    await using first = await startScenario({ box: 'real', model: [[run('echo kept > /tmp/note')], [says('Done.')]] });
    await first.send('go');
    await first.session.dispose();
    await using again = await startScenario({
      box: 'real',
      policy: 'never',
      resume: first,
      model: [
        [patch('*** Update File: /tmp/note', '@@', '-kept', '+kept on')],
        [run('cat /tmp/note')],
        [says('Done.')],
      ],
    });
    await again.send('go');
    expect(outputs(again)).toEqual(['kept on\n']);
  });

  it.each([
    ['never', 'Not allowed: /tmp/'],
    ['on-request', 'Denied by the user'],
  ] as const)('a patch to an excluded /tmp writes nothing unasked under %s', async (policy, told) => {
    await using chat = await startScenario({ box: 'real', policy, model: [[add(machines, 'x')], [says('Ok.')]] });
    const box = sandboxPolicySchema.parse({ type: 'workspace-write', excludeSlashTmp: true });
    const ended = chat.send('go', { overrides: { box } });
    if (policy === 'on-request') await chat.answer({ denied: {} });
    await ended;
    expect(chat.outputs()[0]).toContain(told);
    expect(existsSync(machines)).toBe(false);
    expect(existsSync(folderOf(chat))).toBe(false);
  });

  it('a patch does not leave it through a link', async () => {
    using elsewhere = tempFolder(homedir());
    writeFileSync(elsewhere.at('x'), 'theirs\n');
    await using chat = await startScenario({
      box: 'real',
      policy: 'never',
      model: [
        [run(`ln -s ${elsewhere.path} /tmp/link`)],
        [patch('*** Update File: /tmp/link/x', '@@', '-theirs', '+mine')],
        [says('Ok.')],
      ],
    });
    await chat.send('go');
    expect(chat.outputs()[1]).toMatch(/^Not allowed: /);
    expect(readFileSync(elsewhere.at('x'), 'utf8')).toBe('theirs\n');
  });
});

describe('outside a sandbox', () => {
  it('a patch to /tmp needs approval, as the thread has no folder there', async () => {
    await using chat = await startScenario({ model: [[add(machines, 'x')], [says('Ok.')]] });
    const ended = chat.send('go');
    const asked = await chat.next('approval_requested');
    expect(asked).toMatchObject({ kind: 'patch', reason: { id: 'outside-writable-roots' } });
    chat.submit({ type: 'approval', approvalIds: [asked.approvalId], decision: { denied: {} } });
    await ended;
    expect(existsSync(machines)).toBe(false);
  });

  it('under full access /tmp is that of the machine, for patches and commands', async () => {
    await using chat = await startScenario({
      sandbox: 'danger-full-access',
      model: [[add(machines, 'one')], [run(`cat ${machines}`)], [says('Done.')]],
    });
    try {
      await chat.send('go');
      expect(outputs(chat)).toEqual(['one\n']);
      expect(readFileSync(machines, 'utf8')).toBe('one\n');
    } finally {
      rmSync(machines, { force: true });
    }
  });
});
