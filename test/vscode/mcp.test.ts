/** "Show MCP Servers" and the servers of the workspace, with real servers; the user's choices are scripted. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite, setup, suiteSetup, suiteTeardown, teardown, test } from 'mocha';
import * as vscode from 'vscode';
import type { McpServer } from '../../src/core/mcp/mcpServer.ts';
import { createMcp, type Mcp } from '../../src/node/mcp/createMcpServers.ts';
import { createNodePorts } from '../../src/node/ports.ts';
import { sandboxSupport } from '../../src/node/sandbox/support.ts';
import type { PromptRow } from '../../src/protocol/wire.ts';
import { DEFAULT_SETTINGS, parseSettings } from '../../src/protocol/settings.ts';
import { confirmServer } from '../../src/vscode/mcp/confirmServer.ts';
import { McpCommands } from '../../src/vscode/mcp/mcpCommands.ts';
import { McpController } from '../../src/vscode/mcp/mcpController.ts';
import { McpPrompts } from '../../src/vscode/mcp/mcpPrompts.ts';
import { McpLogs } from '../../src/vscode/mcp/mcpLogs.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { type Answer, ScriptedUser } from './support/scriptedUser.ts';
import { Memory } from './support/memory.ts';

suite('MCP servers', () => {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const file = path.join(folder, '.mcp.json');
  // The suite is in artifacts/vscode/<run>/suite.
  const program = path.join(__dirname, '../../../../test/fixtures/mcp/scripted.mjs');
  let home: TempFolder;
  let mcp: Mcp;
  let controller: McpController;
  let commands: McpCommands;
  let logs: McpLogs;
  let servers: Readonly<Record<string, unknown>>;
  /** The number of times that the controller opened the list of servers. */
  let listed = 0;
  let user: ScriptedUser | undefined;
  /** Off: whether a sandbox works in the window's container is not the subject. */
  const server = { command: process.execPath, args: [program], sandbox: 'off', startupTimeoutMs: 60_000 };

  suiteSetup(() => {
    home = tempFolder();
    mkdirSync(home.at('home'));
  });
  suiteTeardown(() => home[Symbol.dispose]());

  setup(() => {
    rmSync(home.at('home'), { recursive: true });
    mkdirSync(home.at('home'));
    servers = {};
    listed = 0;
    const ports = createNodePorts({
      roots: [folder],
      environment: { ...process.env, TILLER_HOME: home.at('home') },
    });
    const settings = () => {
      const parsed = parseSettings({ mcpServers: servers });
      return parsed.type === 'settings' ? parsed.settings : DEFAULT_SETTINGS;
    };
    mcp = createMcp({ ports, version: 'test', roots: () => ports.workspace.roots, settings, support: sandboxSupport });
    controller = new McpController({
      ...mcp,
      settings,
      homeDirectory: ports.host.homeDirectory,
      environment: { ...process.env },
      memento: new Memory(),
      showServers: () => void listed++,
      report: (error) => assert.fail(String(error)),
    });
    logs = new McpLogs((text) => text);
    commands = new McpCommands({
      ...mcp,
      controller,
      logs,
      settings,
      host: { ...ports.host, homeDirectory: home.at('home'), environment: {} },
      signIn: async () => {},
    });
  });

  teardown(async () => {
    rmSync(file, { force: true });
    controller.dispose();
    logs.dispose();
    await mcp.servers.close();
    user?.restore();
    user = undefined;
  });

  const answers = (...given: Answer[]) => {
    user?.restore();
    user = new ScriptedUser(...given);
    return user;
  };
  const settled = async (name: string): Promise<McpServer> => {
    const found = mcp.servers.get(name);
    assert(found, `${name} was not started`);
    await found.settled;
    return found;
  };

  /** The server `notes`, approved and started. */
  const started = async (): Promise<McpServer> => {
    servers = { notes: server };
    answers();
    await controller.configured();
    const [selected] = controller.selected;
    assert(selected);
    await controller.decide(selected, 'outside', 'approved');
    return settled('notes');
  };

  test('are added by a command line, what it may access, and a name', async () => {
    const setting = () => vscode.workspace.getConfiguration('tiller').inspect('mcpServers')?.globalValue;
    const before = setting();
    const line = 'npx -y @modelcontextprotocol/server-memory "two words"';
    const steps: readonly Answer[] = [
      { pick: '$(add) Add Server' },
      { type: line },
      { pick: 'Network and' },
      { type: 'memory' },
    ];
    user = new ScriptedUser(...steps, 'cancel');
    await commands.showServers();
    user.restore();
    const added = setting();
    assert.ok(existsSync(home.at('home/.npm')));
    await vscode.workspace.getConfiguration('tiller').update('mcpServers', before, vscode.ConfigurationTarget.Global);
    const args = ['-y', '@modelcontextprotocol/server-memory', 'two words'];
    assert.deepEqual(added, {
      memory: { command: 'npx', args, sandbox: { network: true, writableRoots: ['~/.npm'] } },
    });
  });

  test("of other products are added when the user has seen all of them, with a sandbox of the user's choice", async () => {
    const setting = () => vscode.workspace.getConfiguration('tiller').inspect('mcpServers')?.globalValue;
    const before = setting();
    mkdirSync(home.at('home/.cursor'));
    mkdirSync(home.at('home/.codex'));
    const cursor = {
      mcpServers: {
        'my notes': {
          command: 'npx',
          args: ['-y', 'notes'],
          env: { NOTES_TOKEN: 's3cret', LEVEL: '2' },
          sandbox: 'off',
        },
        docs: { serverUrl: 'https://docs.example.com/mcp' },
        old: { type: 'sse', url: 'https://old.example.com' },
      },
    };
    writeFileSync(home.at('home/.cursor/mcp.json'), JSON.stringify(cursor));
    writeFileSync(home.at('home/.codex/config.toml'), '[mcp_servers.docs]\nurl = "https://docs.example.com/mcp"\n');
    user = new ScriptedUser({ check: ['my-notes', 'docs'] }, { pick: 'Network and' }, { button: 'Add' }, 'cancel');
    await commands.importServers();
    const { shown } = user;
    user.restore();
    const added = setting();
    await vscode.workspace.getConfiguration('tiller').update('mcpServers', before, vscode.ConfigurationTarget.Global);
    assert.deepEqual(added, {
      docs: { url: 'https://docs.example.com/mcp' },
      'my-notes': {
        command: 'npx',
        args: ['-y', 'notes'],
        env: { NOTES_TOKEN: 's3cret', LEVEL: '2' },
        sandbox: { network: true, writableRoots: ['~/.npm'] },
      },
    });
    assert.deepEqual(shown.slice(0, 6), [
      'Import MCP Servers | Select the servers to add to your settings, for all workspaces',
      'docs | Codex · ~/.codex/config.toml | https://docs.example.com/mcp',
      'my-notes | Cursor · ~/.cursor/mcp.json | npx -y notes',
      'Import MCP Servers | What may the server access? “Edit the Setting…” can give it more.',
      'Network and the Cache of npx ()',
      'Add 2 MCP servers to your settings? Tiller starts them as soon as a thread needs them.',
    ]);
    assert.deepEqual(
      shown[6]?.split('\n').filter((line) => /^(docs|my-notes|Address|Command|Variable|Sandbox)/.test(line)),
      [
        'docs (Codex)',
        'Address: https://docs.example.com/mcp',
        'my-notes (Cursor)',
        'Command: npx -y notes',
        'Sandbox: it may write in ~/.npm, a temporary folder',
        'Variable: NOTES_TOKEN=…',
        'Variable: LEVEL=2',
      ],
    );
    assert.ok(shown.includes('MCP servers added: 2. Left out: 1.'));
  });

  test('of other products are not added when the user does not confirm, and none is offered twice', async () => {
    const setting = () => vscode.workspace.getConfiguration('tiller').inspect('mcpServers')?.globalValue;
    const before = setting();
    user = new ScriptedUser();
    await commands.importServers();
    assert.match(user.shown[0] ?? '', /^No other MCP servers were found\. Looked at: Claude Code, Claude Desktop, /);
    user.restore();
    writeFileSync(
      home.at('home/.claude.json'),
      JSON.stringify({ mcpServers: { notes: { url: 'https://a.example/mcp' } } }),
    );
    user = new ScriptedUser({ check: ['notes'] });
    await commands.importServers();
    user.restore();
    servers = { notes: { url: 'https://a.example/mcp' } };
    user = new ScriptedUser();
    await commands.importServers();
    assert.match(user.shown[0] ?? '', /^No other MCP servers were found\. .* Left out: 1\.$/);
    assert.deepEqual(setting(), before);
  });

  test('of the workspace are started only when the user approves them, for this definition', async () => {
    const entry = {
      command: process.execPath,
      args: [program, 'two words'],
      env: { TOKEN: '${env:HOME}' },
      cwd: 'sub',
      sandbox: { writableRoots: ['~/notes'], allowedHosts: ['registry.npmjs.org', '*.pypi.org'] },
    };
    writeFileSync(file, JSON.stringify({ mcpServers: { notes: entry } }));
    const { shown: said } = answers();
    await controller.configured();
    assert.equal(mcp.servers.get('notes'), undefined);
    assert.deepEqual(said, ['This workspace asks Tiller to use the MCP server notes (.mcp.json).']);
    const { shown } = answers(
      { pick: '$(question) notes' },
      { pick: '$(check) Approve and Start…' },
      { button: 'Approve and Start' },
    );
    await commands.showServers();
    assert.deepEqual(shown.at(-1)?.split('\n'), [
      `Command: ${process.execPath} ${program} 'two words'`,
      'Working directory: sub',
      'Sandbox: it may write in ~/notes, a temporary folder',
      'Network: it may connect to registry.npmjs.org, *.pypi.org',
      'Variable: TOKEN=${env:HOME}',
    ]);
    assert(mcp.servers.get('notes'));

    writeFileSync(
      file,
      JSON.stringify({ mcpServers: { notes: { command: process.execPath, args: [program, '--other'] } } }),
    );
    answers();
    await controller.refresh();
    assert.equal(mcp.servers.get('notes'), undefined);
    assert.equal(controller.selected[0]?.type, 'proposed');
  });

  test('are waited for by a message that is sent while their approval is being kept', async () => {
    servers = { notes: server };
    answers();
    await controller.configured();
    const [selected] = controller.selected;
    assert(selected);
    const decided = controller.decide(selected, 'outside', 'approved');
    await controller.configured();
    assert(mcp.servers.get('notes'));
    await decided;
  });

  test('of the workspace that have changed since they were shown are not approved, and are shown again', async () => {
    const url = 'http://127.0.0.1:9/mcp';
    const headers = { 'X-Key': '${env:HOME}' };
    writeFileSync(file, JSON.stringify({ mcpServers: { web: { url, headers, bearer: '${TOKEN:-none}' } } }));
    answers();
    await controller.configured();
    const [selected] = controller.selected;
    assert(selected);
    const { shown } = answers({ button: 'Approve and Start' });
    assert(await confirmServer(selected, 'proposal'));
    assert.deepEqual(shown.at(-1)?.split('\n'), [
      `Address: ${url}`,
      'Header: X-Key: ${env:HOME}',
      'Bearer token: ${TOKEN:-none}',
    ]);
    writeFileSync(file, JSON.stringify({ mcpServers: { web: { url: 'http://127.0.0.1:10/mcp' } } }));
    const { shown: warned } = answers();
    await controller.decide(selected, 'proposal', 'approved');
    assert.equal(mcp.servers.get('web'), undefined);
    assert.equal(controller.selected[0]?.type, 'proposed');
    assert(warned.includes('The entry of web has changed, so nothing was approved. Look at it again.'));
    assert.equal(listed, 1);
  });

  test('of the workspace that leave the sandbox are a question about its file', async () => {
    writeFileSync(file, JSON.stringify({ mcpServers: { notes: server } }));
    answers({ pick: '$(question) notes' }, { pick: '$(check) Approve and Start…' }, { button: 'Approve and Start' });
    await commands.showServers();
    assert.equal(controller.selected[0]?.type, 'outside');
    assert.equal(mcp.servers.get('notes'), undefined);
    const { shown } = answers();
    assert(!(await confirmServer(controller.selected[0], 'outside')));
    assert.match(
      shown[0] ?? '',
      /^In \.mcp\.json of this workspace, the MCP server notes runs without a sandbox: it could/,
    );
    assert.match(shown[1] ?? '', /\nSandbox: none$/);
  });

  test('that are refused stay refused, and are not asked about again', async () => {
    writeFileSync(file, JSON.stringify({ mcpServers: { notes: { command: process.execPath, args: [program] } } }));
    answers();
    await controller.configured();
    answers({ pick: '$(question) notes' }, { pick: '$(circle-slash) Refuse' });
    await commands.showServers();
    const { shown } = answers();
    await controller.refresh();
    assert.equal(controller.selected[0]?.type, 'refused');
    assert.deepEqual(shown, []);
  });

  test('that leave the sandbox are a question, which is remembered', async () => {
    servers = { notes: server };
    const started = new Promise<void>((resolve) => mcp.servers.onChange(() => resolve()));
    const { shown } = answers({ button: 'Show Details…' }, { button: 'Start Outside the Sandbox' });
    await controller.configured();
    assert.match(shown[0] ?? '', /^In your settings, the MCP server notes runs without a sandbox/);
    await started;
    assert.equal((await settled('notes')).status.type, 'ready');
    answers();
    await controller.refresh();
    assert.equal(mcp.servers.get('notes')?.status.type, 'ready');
  });

  test('have prompts, whose arguments are completed, and whose text goes into the draft', async () => {
    const live = await started();
    const texts: string[] = [];
    let posted: (rows: readonly PromptRow[]) => void = () => {};
    const rows = new Promise<readonly PromptRow[]>((resolve) => {
      posted = resolve;
    });
    const prompts = new McpPrompts({
      servers: mcp.servers,
      post: posted,
      insertText: (text) => texts.push(text),
      report: (error) => assert.fail(String(error)),
    });
    try {
      prompts.post({ isNewPanel: true });
      assert.deepEqual(await rows, [{ server: 'notes', name: 'greet', help: 'Greets.' }]);
      const greet = { server: 'notes', name: 'greet' };
      const { shown } = answers({ pick: 'Anton' }, { pick: 'as Anton' });
      await prompts.use(greet);
      assert.deepEqual(shown, ['greet: who | who', 'Anton ()', 'greet: how | how', 'as Anton likes it ()']);
      answers({ type: 'Zoe' }, { type: '' });
      await prompts.use(greet);
      answers('cancel');
      await prompts.use(greet);
      assert.deepEqual(texts, ['Greet Anton as Anton likes it.', 'Greet Zoe kindly.']);
      await live.stop();
      await assert.rejects(prompts.use(greet), /notes does not have the prompt greet any more\./);
    } finally {
      prompts.dispose();
    }
  });

  test('show their tools, are restarted, and are stopped', async () => {
    const live = await started();
    const { shown } = answers({ pick: '$(check) notes' }, { pick: '$(tools) Show Tools' }, { pick: 'echo' });
    await commands.showServers();
    assert.match(
      shown.join('\n'),
      /\$\(check\) notes \(Ready, 21 tools\)\n.*\n.*\nTools of notes\necho \(says that it only reads\)/,
    );
    answers({ pick: '$(check) notes' }, { pick: '$(debug-restart) Restart' });
    await commands.showServers();
    assert.equal(live.status.type, 'ready');
    assert.match(live.log.text, /Starting\.[\s\S]*Starting\./);
    answers({ pick: '$(check) notes' }, { pick: '$(debug-stop) Stop' });
    await commands.showServers();
    assert.equal(live.status.type, 'stopped');
  });
});
