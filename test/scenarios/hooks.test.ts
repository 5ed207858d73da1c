import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { selectHooks } from '../../src/core/hooks/selectHooks.ts';
import type { HookFile } from '../../src/core/hooks/hookFiles.ts';
import { readHookFiles } from '../../src/node/customizations/hookFiles.ts';
import { auditRows } from '../../src/protocol/audit.ts';
import { auditEntries } from '../support/auditEntries.ts';
import { agentScript, userTexts } from '../support/agentScript.ts';
import { calls, says, waits } from '../support/modelScript.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';

const ADD_NOTE = '*** Begin Patch\n*** Add File: note.txt\n+one\n*** End Patch';

/** A scenario with the hooks of the settings, and with those of files that the user has approved. */
async function withHooks(
  hooks: Record<string, unknown>,
  options: ScenarioOptions,
  files: readonly HookFile[] = [],
): Promise<Scenario> {
  const trust = { decisionOn: async () => 'approved' as const };
  return startScenario({
    ...options,
    host: { hooks: async () => selectHooks(hooks, files, 'linux', trust), ...options.host },
  });
}

const command = (line: string, more: Record<string, unknown> = {}) => [
  { hooks: [{ type: 'command', command: line, ...more }] },
];
/** A hook that takes long on a busy machine is not shown for that. */
const patient: ScenarioOptions['deps'] = ({ clock }) => ({
  clock: { ...clock, after: (ms, callback) => clock.after(100 * ms, callback) },
});
const forTool = (matcher: string, line: string, more: Record<string, unknown> = {}) => [
  { matcher, hooks: [{ type: 'command', command: line, ...more }] },
];
const prints = (output: unknown) => `cat > /dev/null; echo '${JSON.stringify(output)}'`;
const decides = (permissionDecision: string, more: Record<string, unknown> = {}) =>
  prints({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision,
      permissionDecisionReason: 'so it is',
      ...more,
    },
  });

/** Returns the inputs of a hook that copies its stdin to a file. */
function got(chat: Scenario, name: string): Record<string, unknown>[] {
  return readFileSync(chat.folder.at(name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const effects = (chat: Scenario) => chat.items('hook_run').map(({ event, effect, text }) => [event, effect, text]);

describe('PreToolUse', () => {
  it('gets the command that runs, also where the arguments have another one beside it', async () => {
    await using chat = await withHooks(
      { PreToolUse: forTool('Bash', 'cat >> "$CLAUDE_PROJECT_DIR/seen.jsonl"') },
      {
        policy: 'never',
        sandbox: 'danger-full-access',
        model: [
          [
            calls('shell', { cmd: 'ls', command: ['echo', 'two'] }),
            calls('exec_command', { cmd: 'echo one', command: 'ls' }),
          ],
          [says('Done.')],
        ],
      },
    );
    await chat.send('go');
    const seen = got(chat, 'seen.jsonl').map(({ tool_input: input }) => (input as { command: string }).command);
    expect(seen.toSorted()).toEqual(['echo one', 'echo two']);
  });

  it.each([
    ['Bash', 'cat > /dev/null decides about commands and does not get the one of run_tests'],
    ['Bash|run_tests', 'ran'],
  ])('about %s: run_tests does not pass a guard of commands', async (matcher, output) => {
    const task = { label: 'tests', type: 'shell', command: 'echo ran', group: 'test' };
    await using chat = await withHooks(
      { PreToolUse: forTool(matcher, 'cat > /dev/null') },
      {
        files: { '.vscode/tasks.json': JSON.stringify({ tasks: [task] }) },
        policy: 'never',
        sandbox: 'danger-full-access',
        model: [[calls('run_tests', {})], [says('Done.')]],
      },
    );
    await chat.send('go');
    expect(chat.outputs()[0]).toContain(output);
  });

  it('leaves a call with broken arguments to the tool', async () => {
    await using chat = await withHooks(
      { PreToolUse: forTool('TodoWrite', 'cat > /dev/null') },
      { model: [[calls('update_plan', { plan: [null] })], [says('Done.')]] },
    );
    expect(await chat.send('go')).toMatchObject({ type: 'turn_completed' });
    expect(chat.outputs()).toHaveLength(1);
  });

  it('gets a command as Claude Code sends it, and stays silent in the transcript', async () => {
    await using chat = await withHooks(
      { PreToolUse: forTool('Bash', 'cat >> "$CLAUDE_PROJECT_DIR/seen.jsonl"') },
      {
        policy: 'never',
        sandbox: 'danger-full-access',
        deps: patient,
        model: [[calls('exec_command', { cmd: 'echo hi' })], [says('Done.')]],
      },
    );
    await chat.send('go');
    const [input] = got(chat, 'seen.jsonl');
    expect(input).toMatchObject({
      session_id: chat.session.threadId,
      cwd: chat.folder.path,
      hook_event_name: 'PreToolUse',
      permission_mode: 'bypassPermissions',
      tool_name: 'Bash',
      tool_input: { command: 'echo hi' },
    });
    expect(existsSync(String(input?.['transcript_path']))).toBe(true);
    expect(chat.items('hook_run')).toEqual([]);
    expect(chat.outputs()[0]).toContain('hi');
  });

  it('blocks with exit code 2: nothing runs, the model reads stderr, the audit log names the hook', async () => {
    await using chat = await withHooks(
      { PreToolUse: forTool('Bash', 'echo "not here" >&2; exit 2') },
      {
        policy: 'never',
        sandbox: 'danger-full-access',
        model: [[calls('exec_command', { cmd: 'touch made' })], [says('Ok.')]],
      },
    );
    await chat.send('go');
    expect(chat.outputs()).toEqual(['Not allowed: A hook of the user denied it: not here']);
    expect(Object.keys(chat.files())).toEqual([]);
    expect(chat.items('command_execution').map(({ status }) => status)).toEqual(['declined']);
    expect(effects(chat)).toEqual([['PreToolUse', 'blocked', 'not here']]);
    const decisions = auditRows(auditEntries(chat)).map(({ decision }) => decision);
    expect(decisions.toReversed().map(({ act, outcome, by }) => [act.type, outcome, by])).toEqual([
      ['hook', 'allowed', 'policy'],
      ['command', 'forbidden', 'hook'],
    ]);
  });

  it('tells the model at most 10,000 characters of its reason', async () => {
    await using chat = await withHooks(
      { PreToolUse: command('head -c 50000 /dev/zero | tr "\\0" e >&2; exit 2') },
      { model: [[calls('exec_command', { cmd: 'echo hi' })], [says('Done.')]] },
    );
    await chat.send('go');
    expect(chat.outputs()[0]?.length).toBeLessThan(10_200);
  });

  it('that prints more than is read has failed: its decision is not known', async () => {
    await using chat = await withHooks(
      {
        PreToolUse: command(`head -c 400000 /dev/zero | tr "\\0" e; echo; ${decides('deny')}`, { onFailure: 'block' }),
      },
      { model: [[calls('exec_command', { cmd: 'echo hi' })], [says('Done.')]], deps: patient },
    );
    await chat.send('go');
    expect(effects(chat)).toMatchObject([
      ['PreToolUse', 'failed', expect.stringContaining('printed more than is read')],
    ]);
    expect(chat.items('command_execution').map(({ status }) => status)).toEqual(['declined']);
  });

  it('guards each file of a patch under the names Edit and Write', async () => {
    const patch =
      '*** Begin Patch\n*** Add File: new.txt\n+1\n*** Update File: a.txt\n@@\n-one\n+two\n*** Delete File: b.txt\n*** End Patch';
    await using chat = await withHooks(
      { PreToolUse: forTool('Edit|Write', 'cat >> "$CLAUDE_PROJECT_DIR/seen.jsonl"') },
      {
        files: { 'a.txt': 'one\n', 'b.txt': 'x\n' },
        model: [[calls('apply_patch', { input: patch })], [says('Done.')]],
      },
    );
    await chat.send('go');
    const seen = got(chat, 'seen.jsonl').map(({ tool_name, tool_input }) => [tool_name, tool_input]);
    expect(seen).toHaveLength(3);
    expect(seen).toEqual(
      expect.arrayContaining([
        ['Write', { file_path: chat.folder.at('new.txt'), content: '1\n' }],
        ['Edit', { file_path: chat.folder.at('a.txt'), old_string: 'one', new_string: 'two', replace_all: false }],
        ['Edit', { file_path: chat.folder.at('b.txt'), old_string: '', new_string: '', replace_all: false }],
      ]),
    );
  });

  it('guards a patch that the model writes as a command', async () => {
    const script = `apply_patch <<'EOF'\n${ADD_NOTE}\nEOF`;
    await using chat = await withHooks(
      { PreToolUse: forTool('Write', 'exit 2') },
      { model: [[calls('exec_command', { cmd: script })], [says('Ok.')]] },
    );
    await chat.send('go');
    expect(Object.keys(chat.files())).toEqual([]);
  });

  it('asks the user where the policy would not, and remembers nothing of it for calls without the hook', async () => {
    await using chat = await withHooks(
      { PreToolUse: forTool('Bash', decides('ask')) },
      { model: [[calls('exec_command', { cmd: 'ls' })], [says('Done.')]] },
    );
    const ended = chat.send('go');
    const request = await chat.next('approval_requested');
    expect(request.reason).toMatchObject({ source: 'hook', text: 'A hook asks you: so it is' });
    await chat.answer('approved');
    await ended;
    expect(chat.items('command_execution').map(({ status }) => status)).toEqual(['completed']);
  });

  it('asks about a tool that never asks by itself', async () => {
    await using chat = await withHooks(
      { PreToolUse: forTool('TodoWrite', decides('ask')) },
      { model: [[calls('update_plan', { plan: [{ step: 'a', status: 'pending' }] })], [says('Done.')]] },
    );
    const ended = chat.send('go');
    await chat.next('approval_requested');
    await chat.answer({ denied: { message: 'no plans' } });
    await ended;
    expect(chat.outputs()).toEqual(['Denied by the user: no plans']);
  });

  it('under `never` an ask refuses, because no question is asked', async () => {
    await using chat = await withHooks(
      { PreToolUse: forTool('Bash', decides('ask')) },
      {
        policy: 'never',
        sandbox: 'danger-full-access',
        model: [[calls('exec_command', { cmd: 'ls' })], [says('Ok.')]],
      },
    );
    await chat.send('go');
    expect(chat.outputs()[0]).toBe('Not allowed: A hook asks you: so it is The approval policy asks for nothing.');
  });

  it('`allow` does not beat the policy: the user is asked all the same', async () => {
    await using chat = await withHooks(
      { PreToolUse: forTool('Bash', decides('allow')) },
      { policy: 'untrusted', model: [[calls('exec_command', { cmd: 'touch made' })], [says('Ok.')]] },
    );
    const ended = chat.send('go');
    await chat.next('approval_requested');
    await chat.answer({ denied: {} });
    await ended;
    expect(Object.keys(chat.files())).toEqual([]);
  });

  it('the strictest of several hooks wins: deny, then ask', async () => {
    await using chat = await withHooks(
      {
        PreToolUse: [
          ...forTool('Bash', decides('allow')),
          ...forTool('', decides('ask')),
          ...forTool('*', decides('deny')),
        ],
      },
      { model: [[calls('exec_command', { cmd: 'ls' })], [says('Ok.')]] },
    );
    await chat.send('go');
    expect(chat.outputs()).toEqual(['Not allowed: A hook of the user denied it: so it is']);
  });

  it('changes the arguments, which the policy then decides about, and the model gets a note', async () => {
    const updatedInput = { command: 'echo changed' };
    await using chat = await withHooks(
      { PreToolUse: forTool('Bash', decides('allow', { updatedInput, additionalContext: 'prefer echo' })) },
      {
        policy: 'never',
        sandbox: 'danger-full-access',
        model: [[calls('exec_command', { cmd: 'touch made' })], [says('Ok.')]],
      },
    );
    await chat.send('go');
    expect(chat.items('command_execution').map(({ command: line }) => line)).toEqual(['echo changed']);
    expect(chat.outputs()[0]).toMatch(/changed\n[\s\S]*a hook of the user has changed the arguments[\s\S]*prefer echo/);
    expect(Object.keys(chat.files())).toEqual([]);
  });

  it('denies a call when a changed path would be more than one line of a patch', async () => {
    const changed = { file_path: 'x\n+one\n*** Add File: y', content: 'x\n' };
    await using chat = await withHooks(
      { PreToolUse: forTool('Write', decides('allow', { updatedInput: changed })) },
      { model: [[calls('apply_patch', { input: ADD_NOTE })], [says('Done.')]] },
    );
    await chat.send('go');
    expect(chat.outputs()[0]).toContain('no call can be made from them');
    expect(chat.files()).toEqual({});
  });

  it('reaches no file with secrets by changed arguments', async () => {
    await using chat = await withHooks(
      { PreToolUse: forTool('Read', decides('allow', { updatedInput: { file_path: '.env' } })) },
      {
        ...{ files: { '.env': 'API_KEY=abcdefgh12345\n', 'a.txt': 'one\n' }, interactive: false },
        model: [[calls('read_file', { file_path: 'a.txt' })], [says('Done.')]],
      },
    );
    await chat.send('go');
    expect(chat.outputs()[0]).toContain('.env may not be read');
  });

  it('denies a call when its changed arguments cannot be used', async () => {
    await using chat = await withHooks(
      { PreToolUse: forTool('Edit', decides('allow', { updatedInput: { file_path: 'b.txt' } })) },
      {
        files: { 'a.txt': 'one\n' },
        model: [
          [calls('apply_patch', { input: '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch' })],
          [says('Ok.')],
        ],
      },
    );
    await chat.send('go');
    expect(chat.files()).toEqual({ 'a.txt': 'one\n' });
    expect(chat.outputs()[0]).toContain('no call can be made from them');
  });

  it('a hook that fails is shown, and the call runs; with onFailure "block" it does not', async () => {
    const script = [[calls('exec_command', { cmd: 'echo ran' })], [says('Ok.')]] as const;
    const options = { policy: 'never', sandbox: 'danger-full-access', model: script } as const;
    await using open = await withHooks({ PreToolUse: forTool('Bash', 'echo broken >&2; exit 3') }, options);
    await open.send('go');
    expect(effects(open)).toEqual([['PreToolUse', 'failed', 'It ended with exit code 3: broken']]);
    expect(open.outputs()[0]).toContain('ran');
    await using closed = await withHooks(
      { PreToolUse: forTool('Bash', 'no-such-program-at-all', { onFailure: 'block' }) },
      options,
    );
    await closed.send('go');
    expect(closed.outputs()[0]).toContain('Not allowed: A hook of the user denied it: The hook failed');
  });

  it('a hook that does not end is ended with all that it started, and shown', async () => {
    await using chat = await withHooks(
      { PreToolUse: forTool('Bash', 'sleep 300 & sleep 300', { timeout: 0.2 }) },
      {
        policy: 'never',
        sandbox: 'danger-full-access',
        model: [[calls('exec_command', { cmd: 'echo ran' })], [says('Ok.')]],
      },
    );
    await chat.send('go');
    expect(effects(chat)).toEqual([['PreToolUse', 'failed', 'It did not end within 0.2 s and was ended.']]);
    expect(chat.outputs()[0]).toContain('ran');
  });

  it('an interrupt ends a hook, and the call does not run', async () => {
    await using chat = await withHooks(
      { PreToolUse: forTool('Bash', 'exec sleep 300') },
      { policy: 'never', sandbox: 'danger-full-access', model: [[calls('exec_command', { cmd: 'touch ran' })]] },
    );
    const ended = chat.send('go');
    // The row of a hook that takes long appears while it runs.
    while ((await chat.next('item_started')).item.type !== 'hook_run');
    chat.submit({ type: 'interrupt' });
    expect(await ended).toMatchObject({ type: 'turn_aborted', reason: 'interrupted' });
    expect(Object.keys(chat.files())).toEqual([]);
    expect(chat.items('hook_run').map(({ status }) => status)).toEqual(['aborted']);
  });

  it('`continue: false` denies the call and ends the turn', async () => {
    await using chat = await withHooks(
      { PreToolUse: forTool('Bash', prints({ continue: false, stopReason: 'enough' })) },
      { model: [[calls('exec_command', { cmd: 'ls' })]] },
    );
    await chat.send('go');
    expect(chat.said('error').map(({ kind, message }) => [kind, message])).toEqual([
      ['paused', 'A hook has stopped the turn: enough'],
    ]);
    expect(chat.server.requests).toHaveLength(1);
  });

  it('the names of our own tools match, with their own arguments', async () => {
    await using chat = await withHooks(
      { PreToolUse: forTool('exec_command', 'cat >> "$CLAUDE_PROJECT_DIR/seen.jsonl"') },
      {
        policy: 'never',
        sandbox: 'danger-full-access',
        model: [[calls('exec_command', { cmd: 'echo hi' })], [says('Done.')]],
      },
    );
    await chat.send('go');
    expect(got(chat, 'seen.jsonl')).toMatchObject([{ tool_name: 'exec_command', tool_input: { cmd: 'echo hi' } }]);
  });
});

describe('PostToolUse', () => {
  it('gets the result; what it says goes to the model', async () => {
    const answer = prints({
      decision: 'block',
      reason: 'add a test',
      hookSpecificOutput: { additionalContext: 'lint is green' },
    });
    await using chat = await withHooks(
      { PostToolUse: [...forTool('Bash', 'cat >> "$CLAUDE_PROJECT_DIR/seen.jsonl"'), ...forTool('Bash', answer)] },
      {
        policy: 'never',
        sandbox: 'danger-full-access',
        model: [[calls('exec_command', { cmd: 'echo hi' })], [says('Done.')]],
      },
    );
    await chat.send('go');
    expect(got(chat, 'seen.jsonl')).toMatchObject([
      { tool_name: 'Bash', tool_response: { stdout: 'hi\n', interrupted: false } },
    ]);
    expect(chat.outputs()[0]).toContain(
      '<hook_context event="PostToolUse">\nadd a test\n\nlint is green\n</hook_context>',
    );
  });

  it('does not run for a call that was refused', async () => {
    await using chat = await withHooks(
      { PreToolUse: forTool('Bash', 'exit 2'), PostToolUse: forTool('', 'touch "$CLAUDE_PROJECT_DIR/ran"') },
      { model: [[calls('exec_command', { cmd: 'ls' })], [says('Ok.')]] },
    );
    await chat.send('go');
    expect(Object.keys(chat.files())).toEqual([]);
  });
});

describe('messages, sessions and ends of turns', () => {
  it('SessionStart and UserPromptSubmit add their text to what the model reads, once and each time', async () => {
    await using chat = await withHooks(
      { SessionStart: forTool('startup', 'echo branch main'), UserPromptSubmit: command('echo today is Monday') },
      { model: [[says('Hello.')], [says('Again.')]] },
    );
    await chat.send('hi');
    await chat.send('once more');
    const texts = chat.server.lastRequest.input.map((item) => JSON.stringify(item.content ?? ''));
    expect(texts.filter((text) => text.includes('branch main'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('today is Monday'))).toHaveLength(2);
  });

  it('a message that is blocked never reaches the model; the turn ends and says why', async () => {
    await using chat = await withHooks(
      { UserPromptSubmit: command('grep -q secret && { echo "holds a secret" >&2; exit 2; }; exit 0') },
      { model: [[says('Hello.')]] },
    );
    expect(await chat.send('the secret word')).toMatchObject({ type: 'turn_aborted', reason: 'failed' });
    expect(chat.said('error').map(({ message }) => message)).toEqual([
      'A hook blocked this message, and the model did not get it: holds a secret',
    ]);
    expect(await chat.send('hi')).toMatchObject({ type: 'turn_completed' });
    expect(JSON.stringify(chat.server.lastRequest.input)).not.toContain('secret word');
  });

  it.each([
    ['that stops the turn', prints({ continue: false, stopReason: 'not today' }), 'failed'],
    ['that is interrupted', 'touch started; sleep 60', 'interrupted'],
  ])(
    'a message behind a SessionStart hook %s is kept, and sent when it is tried again',
    async (_case, line, reason) => {
      await using chat = await withHooks({ SessionStart: command(line) }, { model: [[says('Done.')]] });
      const ended = chat.send('go');
      if (reason === 'interrupted') {
        while (!existsSync(chat.folder.at('started'))) await new Promise((resolve) => setTimeout(resolve, 20));
        chat.submit({ type: 'interrupt' });
      }
      expect(await ended).toMatchObject({ type: 'turn_aborted', reason });
      const input = [{ type: 'text', text: 'go' }];
      expect(chat.items('user_message')).toMatchObject([{ status: 'completed', content: input }]);
      chat.submit({ type: 'retry' });
      await chat.session.idle();
      expect(JSON.stringify(chat.server.lastRequest.input)).toContain('"go"');
    },
  );

  it('an interrupt while a hook looks at a message ends the item of the message', async () => {
    await using chat = await withHooks({ UserPromptSubmit: command('exec sleep 300') }, { model: [] });
    const ended = chat.send('hi');
    while ((await chat.next('item_started')).item.type !== 'hook_run');
    chat.submit({ type: 'interrupt' });
    expect(await ended).toMatchObject({ type: 'turn_aborted', reason: 'interrupted' });
    expect(chat.items('user_message').map(({ status }) => status)).toEqual(['aborted']);
  });

  it('a message whose hooks were interrupted is sent when it is tried again, also after a reload', async () => {
    const once = { UserPromptSubmit: command('[ -e started ] && exit 0; touch started; exec sleep 300') };
    const chat = await withHooks(once, { model: [] });
    const ended = chat.send('go');
    while (!existsSync(chat.folder.at('started'))) await new Promise((resolve) => setTimeout(resolve, 20));
    chat.submit({ type: 'interrupt' });
    await ended;
    await chat.session.suspend();
    await using again = await withHooks(once, { resume: chat, model: [[says('Done.')], [says('Yes.')]] });
    again.submit({ type: 'retry' });
    await again.session.idle();
    const sent = () => JSON.stringify(again.server.lastRequest.input).match(/"go"/g);
    expect(sent()).toHaveLength(1);
    expect(again.state.turns.map(({ items: [first] }) => first?.status)).toEqual(['aborted', 'completed']);
    await again.send('And now?');
    expect(sent()).toHaveLength(1);
    await chat.server.close();
  });

  it('an interrupt while hooks look at a queued message gives those behind it back, and the next message brings it', async () => {
    const once = {
      UserPromptSubmit: command('grep -q second || exit 0; [ -e started ] || { touch started; sleep 300; }'),
    };
    let go = () => {};
    const areQueued = new Promise<void>((resolve) => (go = resolve));
    await using chat = await withHooks(once, { model: [[waits(areQueued), says('One.')], [says('Two.')]] });
    const ended = chat.send('first');
    await chat.server.received(1);
    for (const text of ['second', 'third']) chat.submit({ type: 'steer', input: [{ type: 'text', text }] });
    chat.submit({ type: 'set_title', title: 'Mine' });
    await chat.next('title_changed');
    go();
    while (!existsSync(chat.folder.at('started'))) await new Promise((resolve) => setTimeout(resolve, 20));
    chat.submit({ type: 'interrupt' });
    await ended;
    await chat.session.idle();
    expect(chat.said('input_dequeued').map(({ reason }) => reason)).toEqual(['joined', 'dropped']);
    await chat.send('fourth');
    expect(userTexts(chat.server.lastRequest).slice(-3)).toEqual([
      expect.stringContaining('<turn_aborted>'),
      'second',
      'fourth',
    ]);
  });

  it('Stop makes the model continue with its reason, and gets stop_hook_active then', async () => {
    const script =
      'input=$(cat); case "$input" in *\'"stop_hook_active":true\'*) exit 0;; esac; echo "run the tests" >&2; exit 2';
    await using chat = await withHooks({ Stop: command(script) }, { model: [[says('Done.')], [says('Tested.')]] });
    expect(await chat.send('go')).toMatchObject({ type: 'turn_completed', lastMessage: 'Tested.' });
    expect(JSON.stringify(chat.server.lastRequest.input)).toContain('run the tests');
  });

  it('Stop takes the decision of VS Code, inside of hookSpecificOutput', async () => {
    const blocks = { hookSpecificOutput: { hookEventName: 'Stop', decision: 'block', reason: 'run the tests' } };
    const script = `case "$(cat)" in *'"stop_hook_active":true'*) exit 0;; esac; echo '${JSON.stringify(blocks)}'`;
    await using chat = await withHooks({ Stop: command(script) }, { model: [[says('Done.')], [says('Tested.')]] });
    expect(await chat.send('go')).toMatchObject({ type: 'turn_completed', lastMessage: 'Tested.' });
    expect(JSON.stringify(chat.server.lastRequest.input)).toContain('run the tests');
  });

  it('a Stop hook that always blocks is overruled after eight times', async () => {
    await using chat = await withHooks(
      { Stop: command('exit 2') },
      { model: Array.from({ length: 9 }, (_, at) => [says(`Done ${at}.`)]) },
    );
    expect(await chat.send('go')).toMatchObject({ type: 'turn_completed', lastMessage: 'Done 8.' });
    expect(chat.said('warning').map(({ message }) => message)).toContain(
      'Stop hooks have made the model continue 8 times. The turn ends now.',
    );
  });
});

describe('Notification', () => {
  const notes = (chat: Scenario) =>
    existsSync(chat.folder.at('seen.jsonl'))
      ? got(chat, 'seen.jsonl').map(({ notification_type, message, title, hook_event_name }) => [
          hook_event_name,
          notification_type,
          message,
          title,
        ])
      : [];
  const copies = 'cat >> "$CLAUDE_PROJECT_DIR/seen.jsonl"';

  it('runs for an approval and for the end of a turn that the user does not see, and no turn waits for it', async () => {
    await using chat = await withHooks(
      { PreToolUse: forTool('Bash', decides('ask')), Notification: command(`${copies}; sleep 30`) },
      {
        model: [[calls('exec_command', { cmd: 'ls' })], [says('Done.')]],
        host: { isAttended: () => false },
      },
    );
    const ended = chat.send('go');
    await chat.next('approval_requested');
    const approval = ['Notification', 'permission_prompt', 'Tiller needs your approval: ls', 'Tiller'];
    await expect.poll(() => notes(chat)).toEqual([approval]);
    await chat.answer('approved');
    await ended;
    await expect
      .poll(() => notes(chat))
      .toEqual([approval, ['Notification', 'idle_prompt', 'Tiller is waiting for your input.', 'Tiller']]);
    expect(chat.items('hook_run').map(({ event }) => event)).not.toContain('Notification');
    const decided = auditEntries(chat).flatMap((entry) => (entry.type === 'decision' ? [entry.act] : []));
    expect(decided.flatMap((act) => (act.type === 'hook' ? [act.event] : []))).toEqual([
      'PreToolUse',
      'Notification',
      'Notification',
    ]);
  });

  it('does not run at the end of a turn that the user sees, and only for the types of its matcher', async () => {
    await using chat = await withHooks(
      { Notification: [...forTool('idle_prompt', copies), ...forTool('permission_prompt', copies)] },
      {
        model: [[calls('exec_command', { cmd: 'touch x' })], [says('Done.')]],
        policy: 'untrusted',
        host: { isAttended: () => true },
      },
    );
    const ended = chat.send('go');
    await chat.next('approval_requested');
    await chat.answer('approved');
    await ended;
    await expect.poll(() => notes(chat)).toHaveLength(1);
    expect(notes(chat)[0]?.[1]).toBe('permission_prompt');
  });

  it('reports the failure of a hook once, and what it says to the user', async () => {
    await using chat = await withHooks(
      { Notification: [...command('echo no sound >&2; exit 1'), ...command(prints({ systemMessage: 'Beep.' }))] },
      { model: [[says('One.')], [says('Two.')]], host: { isAttended: () => false } },
    );
    await chat.send('go');
    const warnings = () => chat.said('warning').map(({ message }) => message.replace(/ cat > .*: B/, ' …: B'));
    await expect
      .poll(() => warnings().toSorted())
      .toEqual(
        [
          'The Notification hook echo no sound >&2; exit 1: It ended with exit code 1: no sound',
          'The Notification hook …: Beep.',
        ].toSorted(),
      );
    await chat.send('again');
    await expect.poll(() => auditEntries(chat).filter(({ type }) => type === 'end')).toHaveLength(4);
    expect(warnings()).toHaveLength(2);
  });
});

describe('sub-agents', () => {
  it('have the hooks of tools, with agent_id, and none of messages and ends', async () => {
    const seen = 'cat >> "$CLAUDE_PROJECT_DIR/seen.jsonl"';
    await using chat = await withHooks(
      { PreToolUse: forTool('Bash|Task', seen), UserPromptSubmit: command(seen), Stop: command(seen) },
      {
        model: agentScript({
          ROOT: [[calls('task', { agent: 'worker', prompt: 'CHILD', description: 'Greet' })], [says('Done.')]],
          CHILD: [[calls('exec_command', { cmd: 'echo hi' })], [says('Greeted.')]],
        }),
        policy: 'never',
        sandbox: 'danger-full-access',
      },
    );
    await chat.send('ROOT');
    const inputs = got(chat, 'seen.jsonl');
    expect(inputs.map(({ hook_event_name, tool_name }) => [hook_event_name, tool_name])).toEqual([
      ['UserPromptSubmit', undefined],
      ['PreToolUse', 'Task'],
      ['PreToolUse', 'Bash'],
      ['Stop', undefined],
    ]);
    expect(inputs[1]).toMatchObject({ tool_input: { prompt: 'CHILD', subagent_type: 'worker', description: 'Greet' } });
    expect(inputs.map(({ agent_id }) => agent_id !== undefined)).toEqual([false, false, true, false]);
  });
});

describe('hooks of other products, unchanged', () => {
  /** Scripts as they are found in public repositories: they read stdin, take one field of it and answer with JSON. */
  const field = (way: string) => `node -e 'console.log(JSON.parse(require("fs").readFileSync(0)).${way} ?? "")'`;
  const HOOKS: Readonly<Record<string, string>> = {
    'w/.claude/settings.json': JSON.stringify({
      permissions: { allow: ['Bash(npm test)'] },
      hooks: {
        PreToolUse: [
          {
            matcher: 'Bash',
            hooks: [{ type: 'command', command: '"$CLAUDE_PROJECT_DIR"/.claude/hooks/no-force.sh', timeout: 5 }],
          },
        ],
      },
    }),
    'w/.claude/hooks/no-force.sh': `#!/bin/bash
read -r input
command=$(echo "$input" | ${field('tool_input.command')})
if echo "$command" | grep -qE '(--no-verify|--force)'; then
  echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "claude says no"}}'
  exit 0
fi
echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}'
`,
    'w/.github/hooks/format.json': JSON.stringify({
      hooks: { PostToolUse: [{ type: 'command', command: 'echo "formatted $TOOL_INPUT_FILE_PATH" >> log' }] },
    }),
    'home/.copilot/hooks/policy.json': JSON.stringify({
      version: 1,
      hooks: {
        sessionStart: [
          { type: 'command', bash: 'jq=1; echo start >> log', powershell: 'exit 0', cwd: '.', timeoutSec: 10 },
        ],
        preToolUse: [{ type: 'command', bash: '$HOME_OF_TEST/.copilot/policy.sh', comment: 'Security validation' }],
      },
    }),
    'home/.copilot/policy.sh': `#!/bin/bash
INPUT=$(cat)
TOOL_NAME=$(echo "$INPUT" | ${field('toolName')})
TOOL_ARGS=$(echo "$INPUT" | ${field('toolArgs')})
echo "copilot $TOOL_NAME" >> log
if echo "$TOOL_ARGS" | grep -qE "DROP TABLE"; then
  echo '{"permissionDecision":"deny","permissionDecisionReason":"copilot says no"}'
  exit 0
fi
echo '{"permissionDecision":"allow"}'
`,
    'home/.codex/hooks.json': JSON.stringify({
      hooks: {
        PreToolUse: [{ matcher: '^apply_patch$', hooks: [{ type: 'command', command: 'cat >> codex.jsonl' }] }],
      },
    }),
  };

  it('dropped into their folders, decide, format and log as in their own product', async () => {
    using place = tempFolder();
    for (const [name, text] of Object.entries(HOOKS)) {
      mkdirSync(path.dirname(place.at(name)), { recursive: true });
      writeFileSync(place.at(name), text.replace('$HOME_OF_TEST', place.at('home')), { mode: 0o755 });
    }
    const commands = ['git push --force', 'echo "DROP TABLE a"', 'echo fine'];
    const model = [
      [...commands.map((cmd) => calls('exec_command', { cmd })), calls('apply_patch', { input: ADD_NOTE })],
      [says('Done.')],
    ];
    const user = { homeDirectory: place.at('home'), environment: {} };
    await using chat = await startScenario({
      ...{ model, policy: 'never', sandbox: 'danger-full-access', deps: patient },
      host: {
        hooks: async () => {
          const { files, problems } = await readHookFiles([chat.folder.path], user);
          expect(problems).toEqual([]);
          return selectHooks({}, files, 'linux', { decisionOn: async () => 'approved' as const });
        },
      },
    });
    cpSync(place.at('w'), chat.folder.path, { recursive: true });
    await chat.send('go');
    const outputs = chat.outputs();
    expect(outputs[0]).toContain('claude says no');
    expect(outputs[1]).toContain('copilot says no');
    expect(outputs[2]).toContain('fine');
    const files = chat.files();
    expect(files['note.txt']).toBe('one\n');
    const log = (files['log'] ?? '').split('\n').slice(0, -1);
    expect(log).toContain('start');
    expect(log.filter((line) => line.startsWith('copilot ')).toSorted()).toEqual([
      ...['copilot bash', 'copilot bash', 'copilot bash', 'copilot create'],
    ]);
    expect(log.filter((line) => line.startsWith('formatted '))).toContain(`formatted ${chat.folder.at('note.txt')}`);
    expect(got(chat, 'codex.jsonl')).toMatchObject([{ tool_name: 'apply_patch', tool_input: { command: ADD_NOTE } }]);
  });

  it('the formatter of VS Code’s documentation gets the file in its variable', async () => {
    const line = 'printf "%s\\n" "$TOOL_INPUT_FILE_PATH" >> "$CLAUDE_PROJECT_DIR/files"';
    const model = [
      [calls('apply_patch', { input: ADD_NOTE }), calls('exec_command', { cmd: 'echo hi' })],
      [says('Done.')],
    ];
    await using chat = await withHooks(
      { PostToolUse: [{ type: 'command', command: line }] },
      { model, policy: 'never' },
    );
    await chat.send('go');
    const files = readFileSync(chat.folder.at('files'), 'utf8').split('\n').slice(0, -1);
    expect(files).toEqual([chat.folder.at('note.txt'), '']);
  });

  it.each([
    ['Agent', 'Agent'],
    ['Task|Agent', 'Agent'],
    ['Task', 'Task'],
    ['', 'Agent'],
  ])('the matcher %j takes a sub-agent, as %s', async (matcher, name) => {
    await using chat = await withHooks(
      { PreToolUse: forTool(matcher, 'cat >> "$CLAUDE_PROJECT_DIR/seen.jsonl"; exit 2') },
      { model: [[calls('task', { agent: 'worker', prompt: 'CHILD', description: 'Greet' })], [says('Done.')]] },
    );
    await chat.send('go');
    expect(got(chat, 'seen.jsonl')).toMatchObject([{ tool_name: name, tool_input: { prompt: 'CHILD' } }]);
  });
});

describe('hooks by their source', () => {
  it('hooks of the workspace run in the sandbox, those of the user outside', async () => {
    const file = (origin: HookFile['origin']): HookFile => ({
      origin,
      source: `/${origin}/settings.json`,
      style: 'claude',
      text: JSON.stringify({ hooks: { UserPromptSubmit: command(`cat > ${origin}.json`) } }),
    });
    await using chat = await withHooks(
      {},
      { box: 'real', model: [[says('Hello.')]], sandbox: 'read-only', deps: patient },
      [file('workspace'), file('user')],
    );
    await chat.send('hi');
    expect(effects(chat)).toMatchObject([['UserPromptSubmit', 'failed', expect.stringMatching(/exit code 1/)]]);
    expect(Object.keys(chat.files())).toEqual(['user.json']);
  });

  it('a file of Codex gets the names and arguments of Codex', async () => {
    const file: HookFile = {
      origin: 'user',
      source: '/home/u/.codex/hooks.json',
      style: 'codex',
      text: JSON.stringify({ hooks: { PreToolUse: forTool('Edit|Write', 'cat >> "$CLAUDE_PROJECT_DIR/seen.jsonl"') } }),
    };
    await using chat = await withHooks({}, { model: [[calls('apply_patch', { input: ADD_NOTE })], [says('Done.')]] }, [
      file,
    ]);
    await chat.send('go');
    expect(got(chat, 'seen.jsonl')).toMatchObject([{ tool_name: 'apply_patch', tool_input: { command: ADD_NOTE } }]);
  });

  describe('a file of .github/hooks', () => {
    const SEEN = 'cat >> "$CLAUDE_PROJECT_DIR/seen.jsonl"';
    const file = (hooks: Record<string, unknown>): HookFile => ({
      ...{ origin: 'user', source: '/w/.github/hooks/a.json', style: 'github' },
      text: JSON.stringify({ version: 1, hooks }),
    });
    const CHANGE = [
      '*** Begin Patch',
      ...['*** Add File: note.txt', '+one', '*** Update File: a.txt', '@@', '-one', '+two', '*** End Patch'],
    ].join('\n');
    const model = () => [
      [calls('exec_command', { cmd: 'true', justification: 'May I?' })],
      [calls('apply_patch', { input: CHANGE })],
      [calls('read_file', { file_path: 'a.txt', limit: 3 })],
      [says('Done.')],
    ];

    it('gets the names and arguments of VS Code', async () => {
      const hooks = { PreToolUse: [{ type: 'command', command: SEEN }] };
      await using chat = await withHooks({}, { files: { 'a.txt': 'one\n' }, model: model() }, [file(hooks)]);
      await chat.send('go');
      const at = (name: string) => chat.folder.at(name);
      const [first, ...others] = got(chat, 'seen.jsonl').map(({ tool_name, tool_input }) => [tool_name, tool_input]);
      // The hooks for the two files of the patch run at the same time.
      const changes = others.splice(0, 2).toSorted(([one], [other]) => String(one).localeCompare(String(other)));
      expect([first, ...changes, ...others]).toEqual([
        ['run_in_terminal', { command: 'true', explanation: 'May I?' }],
        ['create_file', { filePath: at('note.txt'), content: 'one\n' }],
        ['replace_string_in_file', { filePath: at('a.txt'), oldString: 'one', newString: 'two' }],
        ['read_file', { filePath: at('a.txt'), limit: 3, startLine: 1, endLine: 3 }],
      ]);
    });

    it('gets the arguments of each tool of VS Code, and its changes of them count', async () => {
      const plan = [
        { step: 'Look', status: 'completed' },
        { step: 'Change', status: 'in_progress' },
        { step: 'Test', status: 'pending' },
      ];
      const made = [
        calls('fetch_url', { url: 'http://localhost:1/' }),
        calls('update_plan', { plan }),
        calls('grep_files', { pattern: 'o+', include: '*.txt' }),
        calls('apply_patch', { input: CHANGE }),
        calls('read_file', { file_path: 'long.txt' }),
      ];
      const matchers = ['fetch_webpage|manage_todo_list|grep_search', 'insert_edit_into_file', 'multi_replace.*'];
      const lines = { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { startLine: 2, endLine: 3 } } };
      const hooks = {
        PreToolUse: [
          ...matchers.map((matcher) => ({ matcher, type: 'command', command: SEEN })),
          { matcher: 'read_file', type: 'command', command: prints(lines) },
        ],
      };
      const files = { 'a.txt': 'one\n', 'long.txt': '1\n2\n3\n4\n' };
      await using chat = await withHooks({}, { files, interactive: false, model: [made, [says('Done.')]] }, [
        file(hooks),
      ]);
      await chat.send('go');
      const edit = { filePath: chat.folder.at('a.txt'), oldString: 'one', newString: 'two' };
      const inputs = got(chat, 'seen.jsonl').map(({ tool_name, tool_input }) => [tool_name, tool_input]);
      expect(inputs.toSorted(([one], [other]) => String(one).localeCompare(String(other)))).toEqual([
        ['fetch_webpage', { urls: ['http://localhost:1/'], query: '' }],
        ['grep_search', { query: 'o+', includePattern: '*.txt', isRegexp: true }],
        ['insert_edit_into_file', { filePath: edit.filePath, code: 'two', explanation: '' }],
        [
          'manage_todo_list',
          {
            todoList: [
              { id: 1, title: 'Look', status: 'completed' },
              { id: 2, title: 'Change', status: 'in-progress' },
              { id: 3, title: 'Test', status: 'not-started' },
            ],
          },
        ],
        ['multi_replace_string_in_file', { explanation: '', replacements: [edit] }],
      ]);
      expect(chat.outputs().at(-1)).toMatch(/^L2: 2\nL3: 3\n/);
    });

    it('gets the name that its matcher has', async () => {
      const matched = ['insert_edit_into_file', 'create_file', 'Edit', 'apply_patch', 'read_file|view', '^run_in'];
      const hooks = { PreToolUse: matched.map((matcher) => ({ matcher, type: 'command', command: SEEN })) };
      await using chat = await withHooks({}, { files: { 'a.txt': 'one\n' }, model: model() }, [file(hooks)]);
      await chat.send('go');
      const names = got(chat, 'seen.jsonl').map(({ tool_name }) => String(tool_name));
      expect(new Set(names)).toEqual(
        new Set(['Edit', 'apply_patch', 'create_file', 'insert_edit_into_file', 'read_file', 'run_in_terminal']),
      );
    });

    it('gets the fields, names and arguments of Copilot under its names of events', async () => {
      const events = ['sessionStart', 'userPromptSubmitted', 'preToolUse', 'postToolUse', 'agentStop'];
      const hooks = Object.fromEntries(events.map((event) => [event, [{ type: 'command', bash: SEEN }]]));
      const two = [[calls('apply_patch', { input: CHANGE })], [says('Done.')]];
      await using chat = await withHooks({}, { files: { 'a.txt': 'one\n' }, model: two }, [file(hooks)]);
      await chat.send('go');
      const inputs = got(chat, 'seen.jsonl');
      const common = { sessionId: expect.any(String), cwd: chat.folder.path, transcriptPath: expect.any(String) };
      for (const input of inputs) expect(input).toMatchObject({ ...common, timestamp: expect.any(Number) });
      const create = JSON.stringify({ path: chat.folder.at('note.txt'), file_text: 'one\n' });
      const edit = JSON.stringify({ path: chat.folder.at('a.txt'), old_str: 'one', new_str: 'two' });
      const toolResult = { resultType: 'success', textResultForLlm: expect.stringContaining('note.txt') };
      const byTool = (name: string) => inputs.filter(({ toolName }) => toolName === name);
      expect(byTool('create')).toMatchObject([{ toolArgs: create }, { toolArgs: create, toolResult }]);
      expect(byTool('edit')).toMatchObject([{ toolArgs: edit }, { toolArgs: edit, toolResult }]);
      expect(inputs.filter(({ toolName }) => toolName === undefined)).toMatchObject([
        { source: 'new' },
        { prompt: 'go' },
        { stopReason: 'end_turn' },
      ]);
    });

    it('denies and changes arguments as Copilot has it, outside of hookSpecificOutput', async () => {
      const printing = (output: unknown) => ({ type: 'command', bash: prints(output) });
      const denying = printing({ permissionDecision: 'deny', permissionDecisionReason: 'not here' });
      const changing = printing({ permissionDecision: 'allow', modifiedArgs: { command: 'echo changed' } });
      const hooks = {
        preToolUse: [
          { matcher: 'create', ...denying },
          { matcher: 'bash', ...changing },
        ],
      };
      const two = [
        [calls('apply_patch', { input: ADD_NOTE }), calls('exec_command', { cmd: 'echo given' })],
        [says('Done.')],
      ];
      await using chat = await withHooks({}, { model: two }, [file(hooks)]);
      await chat.send('go');
      expect(Object.keys(chat.files())).toEqual([]);
      expect(effects(chat)).toMatchObject([
        ['PreToolUse', 'blocked', 'not here'],
        ['PreToolUse', 'changed', '{"command":"echo changed"}'],
      ]);
      expect(chat.items('command_execution').map(({ output }) => output)).toEqual(['changed\n']);
    });
  });

  it('no hook runs in a workspace without trust, and one warning says so', async () => {
    await using chat = await withHooks(
      { UserPromptSubmit: command('touch "$CLAUDE_PROJECT_DIR/ran"') },
      { trusted: false, model: [[says('Hello.')], [says('Again.')]] },
    );
    await chat.send('hi');
    await chat.send('hi');
    expect(Object.keys(chat.files())).toEqual([]);
    const warnings = chat.said('warning').map(({ message }) => message);
    expect(warnings.filter((message) => message.startsWith('Hooks do not run'))).toHaveLength(1);
  });

  it('a variable that holds a secret is not given to a hook', async () => {
    process.env['SOME_API_KEY'] = 'sk-not-for-hooks';
    try {
      await using chat = await withHooks(
        { UserPromptSubmit: command('env > "$CLAUDE_PROJECT_DIR/env.txt"') },
        { model: [[says('Hello.')]] },
      );
      await chat.send('hi');
      const variables = readFileSync(chat.folder.at('env.txt'), 'utf8');
      expect(variables).toContain('PATH=');
      expect(variables).not.toContain('sk-not-for-hooks');
    } finally {
      delete process.env['SOME_API_KEY'];
    }
  });

  it('a fault of a hook is reported once, and the others run', async () => {
    await using chat = await withHooks(
      { UserPromptSubmit: [{ type: 'prompt', prompt: 'x' }, ...command('echo fine')], Nonsense: [] },
      { model: [[says('Hello.')], [says('Again.')]] },
    );
    await chat.send('hi');
    await chat.send('hi');
    expect(chat.said('warning').map(({ message }) => message)).toEqual([
      'tiller.hooks: UserPromptSubmit[0]: hooks of the type "prompt" are not supported, only "command".',
      'tiller.hooks: Nonsense: Tiller has no such event.',
    ]);
    expect(effects(chat)).toHaveLength(2);
  });
});
