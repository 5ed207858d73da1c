import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Ports, Workspace } from '../../src/core/ports.ts';
import { sandboxPolicySchema } from '../../src/protocol/policy.ts';
import { calls, says } from '../support/modelServer.ts';
import { startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';

const WRITE = { cmd: 'echo x > made.txt' };
const ADD_PATCH = '*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch';

describe('approvals', () => {
  it('asks before a command that is not known to be safe, gives the reason, and runs it after an approval', async () => {
    await using chat = await startScenario({ model: [[calls('exec_command', WRITE)], [says('Done.')]] });
    const ended = chat.turnEnds();
    const asked = chat.next('approval_requested');
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    expect(await asked).toMatchObject({
      kind: 'command',
      command: WRITE.cmd,
      box: 'none',
      reason: { id: 'no-box' },
      choices: ['approved', 'approved_for_thread', 'approved_rule', 'denied', 'abort'],
    });
    expect(chat.files()).toEqual({});
    await chat.answer('approved');
    expect(await ended).toEqual({ type: 'turn_completed', lastMessage: 'Done.' });
    expect(chat.files()).toEqual({ 'made.txt': 'x\n' });
    expect(chat.state.approvals).toEqual([]);
  });

  it('follows the setting for the review of patches while the turn runs', async () => {
    let review: 'before' | 'after' = 'before';
    const second = '*** Begin Patch\n*** Add File: second.txt\n+hello\n*** End Patch';
    await using chat = await startScenario({
      review: 'before',
      host: { review: () => review },
      model: [[calls('apply_patch', { input: ADD_PATCH })], [calls('apply_patch', { input: second })], [says('Done.')]],
    });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await chat.next('approval_requested');
    review = 'after';
    await chat.answer('approved');
    await ended;
    expect(chat.said('approval_requested')).toHaveLength(1);
    expect(chat.files()).toEqual({ 'new.txt': 'hello\n', 'second.txt': 'hello\n' });
  });

  it('runs a command that is known to be safe unasked', async () => {
    await using chat = await startScenario({
      files: { 'a.txt': 'one\n' },
      model: [[calls('exec_command', { cmd: 'cat a.txt | head -n 5' })], [says('Done.')]],
    });
    await chat.send('go');
    expect(chat.said('approval_requested')).toEqual([]);
    expect(chat.outputs()[0]).toContain('one');
  });

  it.each(['sh <<EOF\nrm -rf kept\nEOF', 'echo "rm -rf kept" | sh', "bash <<< 'rm -rf kept'"])(
    'asks before a shell gets a destructive script as input, under full access too: %j',
    async (cmd) => {
      await using chat = await startScenario({
        sandbox: 'danger-full-access',
        files: { kept: 'one\n' },
        model: [[calls('exec_command', { cmd })], [says('Ok.')]],
      });
      const ended = chat.turnEnds();
      chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
      const asked = await chat.next('approval_requested');
      expect(asked).toMatchObject({ kind: 'command', command: cmd, reason: { id: 'dangerous' } });
      chat.submit({ type: 'approval', approvalIds: [asked.approvalId], decision: { denied: {} } });
      await ended;
      expect(chat.files()).toEqual({ kept: 'one\n' });
    },
  );

  it('sends the model the message of a denial, and continues', async () => {
    await using chat = await startScenario({ model: [[calls('exec_command', WRITE)], [says('As you wish.')]] });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await chat.answer({ denied: { message: 'use the patch tool' } });
    expect(await ended).toEqual({ type: 'turn_completed', lastMessage: 'As you wish.' });
    expect(chat.outputs()).toEqual(['Denied by the user: use the patch tool']);
    expect(chat.items('command_execution')[0]?.status).toBe('declined');
    expect(chat.files()).toEqual({});
  });

  it('remembers an approval for the thread: for this command in this folder only', async () => {
    await using chat = await startScenario({
      files: { 'sub/a.txt': '' },
      model: [
        [calls('exec_command', WRITE)],
        [calls('exec_command', WRITE)],
        [calls('exec_command', { ...WRITE, workdir: 'sub' })],
        [says('Done.')],
      ],
    });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await chat.answer('approved_for_thread');
    await chat.next('approval_requested');
    await chat.answer('denied' as never);
    await ended;
    expect(chat.said('approval_requested').map(({ cwd }) => cwd)).toEqual([chat.folder.path, chat.folder.at('sub')]);
  });

  it('stops the turn when the answer is abort', async () => {
    await using chat = await startScenario({ model: [[calls('exec_command', WRITE)]] });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await chat.answer('abort');
    expect(await ended).toEqual({ type: 'turn_aborted', reason: 'interrupted' });
    expect(chat.files()).toEqual({});
  });

  it('withdraws the request when the turn is interrupted, and ignores later answers', async () => {
    await using chat = await startScenario({ model: [[calls('exec_command', WRITE)]] });
    const ended = chat.turnEnds();
    const asked = chat.next('approval_requested');
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    const { approvalId } = await asked;
    chat.submit({ type: 'interrupt' });
    await ended;
    expect(chat.said('approval_resolved')).toEqual([
      { type: 'approval_resolved', approvalId, decision: 'abort', by: 'turn_ended' },
    ]);
    const warned = chat.next('warning');
    chat.submit({ type: 'approval', approvalIds: [approvalId], decision: 'approved' });
    expect((await warned).message).toContain(approvalId);
    expect(chat.files()).toEqual({});
  });

  it('denies at once where no client can answer', async () => {
    await using chat = await startScenario({
      interactive: false,
      model: [[calls('exec_command', WRITE)], [says('Then not.')]],
    });
    expect(await chat.send('go')).toEqual({ type: 'turn_completed', lastMessage: 'Then not.' });
    expect(chat.said('approval_resolved')[0]).toMatchObject({ by: 'non_interactive' });
    expect(chat.outputs()[0]).toMatch(/^Denied \(non_interactive\)/);
    expect(chat.files()).toEqual({});
  });

  it('denies under never what would need approval', async () => {
    await using chat = await startScenario({ policy: 'never', model: [[calls('exec_command', WRITE)], [says('Ok.')]] });
    await chat.send('go');
    expect(chat.said('approval_requested')).toEqual([]);
    expect(chat.outputs()[0]).toMatch(/^Not allowed: /);
    expect(chat.files()).toEqual({});
  });

  it('shows the shell that the model chose, so that an approval of "ls" is for ls', async () => {
    await using chat = await startScenario({
      model: [
        [calls('exec_command', { cmd: 'ls', shell: '/tmp/tiller-no-such-folder/bash' })],
        [calls('shell', { command: ['/tmp/tiller-no-such-folder/bash', '-lc', 'ls'] })],
        [says('Ok.')],
      ],
    });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await chat.answer({ denied: {} });
    await chat.next('approval_requested');
    await chat.answer({ denied: {} });
    await ended;
    expect(chat.said('approval_requested').map(({ command }) => command)).toEqual([
      '/tmp/tiller-no-such-folder/bash -c ls',
      '/tmp/tiller-no-such-folder/bash -lc ls',
    ]);
  });

  it('runs everything that is not dangerous with full access', async () => {
    await using chat = await startScenario({
      policy: 'never',
      sandbox: 'danger-full-access',
      files: { keep: '' },
      model: [[calls('exec_command', WRITE), calls('exec_command', { cmd: 'rm -rf keep' })], [says('Ok.')]],
    });
    await chat.send('go');
    expect(chat.files()).toEqual({ keep: '', 'made.txt': 'x\n' });
    expect(chat.outputs()[1]).toMatch(/^Not allowed: /);
  });
});

describe('patches', () => {
  it('are applied at once inside the workspace under review after', async () => {
    await using chat = await startScenario({ model: [[calls('apply_patch', { input: ADD_PATCH })], [says('Ok.')]] });
    await chat.send('go');
    expect(chat.said('approval_requested')).toEqual([]);
    expect(chat.files()).toEqual({ 'new.txt': 'hello\n' });
  });

  it('wait with their diff under review before', async () => {
    await using chat = await startScenario({
      review: 'before',
      model: [[calls('apply_patch', { input: ADD_PATCH })], [says('Ok.')]],
    });
    const ended = chat.turnEnds();
    const asked = chat.next('approval_requested');
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    const question = await asked;
    expect(question).toMatchObject({
      kind: 'patch',
      changes: [{ path: 'new.txt', kind: 'add', added: 1, removed: 0 }],
    });
    expect(question.diff).toContain('+hello');
    expect(chat.files()).toEqual({});
    await chat.answer('approved');
    await ended;
    expect(chat.files()).toEqual({ 'new.txt': 'hello\n' });
  });

  it('record whether a user has approved them', async () => {
    const unseen: (boolean | undefined)[] = [];
    const deps = ({ workspace }: Ports) => ({
      workspace: {
        ...workspace,
        apply: (...given: Parameters<Workspace['apply']>) => {
          unseen.push(given[2]?.isUnseen);
          return workspace.apply(...given);
        },
      },
    });
    const model = () => [[calls('apply_patch', { input: ADD_PATCH })], [says('Ok.')]];
    await using after = await startScenario({ deps, model: model() });
    await after.send('go');
    await using before = await startScenario({ deps, model: model(), review: 'before' });
    const ended = before.turnEnds();
    const asked = before.next('approval_requested');
    before.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await asked;
    await before.answer('approved');
    await ended;
    expect(unseen).toEqual([true, undefined]);
  });

  it('are planned again when the file changed while they were pending', async () => {
    const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+TWO\n*** End Patch';
    await using chat = await startScenario({
      review: 'before',
      files: { 'a.txt': 'one\ntwo\n' },
      model: [[calls('apply_patch', { input: patch })], [says('Ok.')]],
    });
    const ended = chat.turnEnds();
    const asked = chat.next('approval_requested');
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await asked;
    chat.write('a.txt', 'zero\none\ntwo\n');
    await chat.answer('approved');
    await ended;
    expect(chat.files()).toEqual({ 'a.txt': 'zero\none\nTWO\n' });
  });

  it.each([
    ['folder', 'link'],
    ['file', 'link'],
    ['folder', '..link'],
  ])('are asked about when they would go through a linked %s, %s', async (what, name) => {
    using elsewhere = tempFolder();
    writeFileSync(elsewhere.at('new.txt'), 'theirs\n');
    await using chat = await startScenario({
      model: [[calls('apply_patch', { input: ADD_PATCH.replace('new.txt', `${name}/new.txt`) })], [says('Ok.')]],
    });
    if (what === 'folder') symlinkSync(elsewhere.path, chat.folder.at(name));
    else {
      mkdirSync(chat.folder.at(name));
      symlinkSync(elsewhere.at('new.txt'), chat.folder.at(name, 'new.txt'));
    }
    // The folder of this test is in /tmp, which is writable, too, and would find the link by itself.
    const box = { type: 'workspace-write', excludeSlashTmp: true, excludeTmpdirEnvVar: true } as const;
    chat.submit({ type: 'override_turn_context', box: sandboxPolicySchema.parse(box) });
    const ended = chat.turnEnds();
    chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
    await chat.answer({ denied: {} });
    await ended;
    const [named, place] = [chat.folder.at(name, 'new.txt'), elsewhere.at('new.txt')];
    expect(chat.said('approval_requested')[0]).toMatchObject({
      kind: 'patch',
      reason: {
        id: 'outside-writable-roots',
        text: `${named} leads to ${place}, which lies outside the writable folders.`,
      },
    });
    expect(readFileSync(elsewhere.at('new.txt'), 'utf8')).toBe('theirs\n');
  });

  it.each<[string, readonly (readonly string[])[], string?, string?]>([
    ['at once', [['HEAD', 'config', 'objects/a', 'refs/a']], undefined],
    ['piece by piece', [['x/config'], ['x/objects/a', 'x/refs/a'], ['x/HEAD']], 'x/HEAD'],
    ['around what a command has made', [['x/config']], undefined, 'mkdir -p x/objects x/refs; touch x/HEAD'],
    ['with the objects of another', [['x/HEAD', 'x/commondir', 'x/config']], undefined],
  ])('make no bare repository %s under never', async (_, patches, missing, first = 'true') => {
    const patchOf = (names: readonly string[]) =>
      ['*** Begin Patch', ...names.flatMap((name) => [`*** Add File: ${name}`, '+x']), '*** End Patch'].join('\n');
    await using chat = await startScenario({
      policy: 'never',
      model: [...patches.map((names) => [calls('apply_patch', { input: patchOf(names) })]), [says('Ok.')]],
    });
    execFileSync('bash', ['-c', first], { cwd: chat.folder.path });
    const before = Object.keys(chat.files());
    await chat.send('go');
    const outputs = chat.outputs();
    expect(outputs.at(-1)).toMatch(/^Not allowed: .* is protected/);
    expect(outputs.slice(0, -1).every((output) => output.startsWith('Exit code: 0\n'))).toBe(true);
    const applied = patches.flat().filter((name) => missing !== undefined && name !== missing);
    expect(Object.keys(chat.files())).toEqual([...before, ...applied].toSorted());
  });

  it('write files that only resemble parts of a repository', async () => {
    await using chat = await startScenario({
      policy: 'never',
      files: { 'objects/a': 'x\n', 'refs/a': 'x\n' },
      model: [[calls('apply_patch', { input: ADD_PATCH.replace('new.txt', 'config') })], [says('Ok.')]],
    });
    await chat.send('go');
    expect(chat.files()).toMatchObject({ config: 'hello\n' });
  });

  it.each([
    '/etc/tiller-test.txt',
    '.git/config',
    '.vscode/settings.json',
    '.envrc',
    '.husky/pre-commit',
    '.mcp.json',
    '.cursor/rules',
    '.devcontainer.json',
    'any.code-workspace',
    '.github/workflows/ci.yml',
  ])('never write %s under never', async (target) => {
    const patch = ADD_PATCH.replace('new.txt', target);
    await using chat = await startScenario({
      policy: 'never',
      model: [[calls('apply_patch', { input: patch })], [says('Ok.')]],
    });
    await chat.send('go');
    expect(chat.outputs()[0]).toMatch(/^Not allowed: /);
    expect(chat.files()).toEqual({});
  });
});
