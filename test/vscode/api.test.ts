/** The API for other extensions, used by an extension of its own (test/fixtures/toolProvider) in the real VS Code. */
import assert from 'node:assert/strict';
import { setup, suite, teardown, test } from 'mocha';
import * as vscode from 'vscode';
import { ExternalToolRegistry } from '../../src/core/tools/external/registry.ts';
import { compose } from '../../src/extension/compose.ts';
import type { Tiller } from '../../src/extension/createTiller.ts';
import { createApi } from '../../src/extension/createApi.ts';
import type { TillerApi, TillerTool } from '../../src/extension/tillerApi.ts';
import type { Event } from '../../src/protocol/event.ts';
import type { TurnItemOf } from '../../src/protocol/item.ts';
import type { ApprovalDecision } from '../../src/protocol/policy.ts';
import type { HostMessage } from '../../src/protocol/wire.ts';
import { calls, says } from '../support/modelScript.ts';
import { type ModelScript, ModelServer } from '../support/modelServer.ts';
import type { TempFolder } from '../support/tempFolder.ts';
import { contextOf, eventually, Page } from './support/page.ts';
import { configure, ownHome } from './support/ownHome.ts';

declare const TILLER_VERSION: string;

interface Other {
  readonly calls: readonly Readonly<Record<string, unknown>>[];
  readonly cancelled: readonly string[];
  readonly shoot: TillerTool;
  readonly register: (api: TillerApi, tool?: TillerTool) => vscode.Disposable;
  readonly registerAtTiller: () => Promise<{ readonly version: number; readonly tool: vscode.Disposable }>;
}

suite('The API for other extensions', () => {
  let home: TempFolder;
  let tiller: Tiller | undefined;
  let server: ModelServer | undefined;
  let page: Page;
  let other: Other;

  const msgs = (): readonly Event['msg'][] =>
    (page.heard as readonly HostMessage[])
      .flatMap((one) => (one.type === 'events' ? one.events : []))
      .map(({ msg }) => msg);
  const ends = () => msgs().filter(({ type }) => type === 'turn_completed' || type === 'turn_aborted').length;
  const items = () =>
    msgs().flatMap((msg): TurnItemOf<'dynamic_tool_call'>[] =>
      msg.type === 'item_completed' && msg.item.type === 'dynamic_tool_call' ? [msg.item] : [],
    );
  const approvals = () => msgs().flatMap((msg) => (msg.type === 'approval_requested' ? [msg] : []));

  setup(async () => {
    const extension = vscode.extensions.getExtension<Other>('tiller-dev.tool-provider');
    assert.ok(extension, 'the extension of the test is not installed');
    other = await extension.activate();
    home = ownHome();
  });
  teardown(async () => {
    await tiller?.dispose();
    tiller = undefined;
    await server?.close();
    server = undefined;
    await configure({
      baseUrl: undefined,
      model: undefined,
      languageModelTools: undefined,
      approvalPolicy: undefined,
      'sandbox.mode': undefined,
    });
    home[Symbol.dispose]();
  });

  /** A window with a scripted model, and what other extensions register there. */
  async function open(model: ModelScript, settings: Readonly<Record<string, unknown>> = {}): Promise<TillerApi> {
    server = await ModelServer.start(model, { wire: 'responses' });
    await configure({ baseUrl: server.baseUrl, model: 'test-model', ...settings });
    const registry = new ExternalToolRegistry();
    tiller = await compose(contextOf(), registry);
    page = new Page();
    tiller.view.resolveWebviewView(page.view);
    page.say({ type: 'ready', build: TILLER_VERSION });
    await page.hears('"snapshot"');
    return createApi(registry);
  }

  async function send(text: string): Promise<void> {
    page.say({ type: 'op', op: { type: 'user_turn', input: [{ type: 'text', text }] } });
  }

  function answer(decision: ApprovalDecision, at = -1): void {
    const request = approvals().at(at);
    assert.ok(request);
    page.say({ type: 'op', op: { type: 'approval', approvalIds: [request.approvalId], decision } });
  }

  test('is what activate returns: version 1, and tools are registered and withdrawn', async () => {
    const { version, tool } = await other.registerAtTiller();
    assert.equal(version, 1);
    await assert.rejects(other.registerAtTiller(), /has registered a tool shoot already/);
    tool.dispose();
    (await other.registerAtTiller()).tool.dispose();
  });

  test('refuses what cannot be offered, with a sentence', () => {
    const api = createApi(new ExternalToolRegistry());
    const wrong = (more: object) => () => other.register(api, { ...other.shoot, ...more });
    assert.throws(wrong({ name: 'two words' }), /The name of a tool has 1 to 64 letters/);
    assert.throws(wrong({ description: '' }), /shoot needs a description/);
    assert.throws(wrong({ inputSchema: [] }), /inputSchema must be a JSON Schema of an object/);
    assert.throws(wrong({ inputSchema: { type: 'string' } }), /shoot: the type of inputSchema must be object/);
    assert.throws(wrong({ inputSchema: { properties: [] } }), /properties of inputSchema must be an object/);
    assert.throws(wrong({ inputSchema: { required: 'subject' } }), /required of inputSchema must be a list of names/);
    const circular: Record<string, unknown> = { type: 'object' };
    circular['properties'] = { itself: circular };
    assert.throws(wrong({ inputSchema: circular }), /^TypeError: shoot: inputSchema must be JSON: /);
    assert.throws(
      wrong({ inputSchema: { type: 'object', maximum: 1n } }),
      /^TypeError: shoot: inputSchema must be JSON/,
    );
    assert.throws(wrong({ timeoutMs: 1e9 }), /timeoutMs must be above 0 and at most 600000/);
    assert.throws(wrong({ timeoutMs: 0 }), /timeoutMs must be above 0 and at most 600000/);
    assert.throws(wrong({ invoke: undefined }), /invoke must be a function/);
  });

  test('runs a tool when the user has allowed it, once and then everywhere', async () => {
    const shot = [calls('shoot', { subject: 'a tree' })];
    const api = await open([shot, [says('Done.')], shot, [says('Done.')]]);
    const tool = other.register(api);
    const past = other.calls.length;
    await send('Take a picture.');
    await eventually(() => approvals().length === 1);
    assert.deepEqual(approvals()[0]?.tool, {
      server: 'Camera',
      name: 'shoot',
      description: 'Takes a picture of something.',
    });
    assert.equal(other.calls.length, past);
    answer({ approved_tool: { scope: 'user' } });
    await eventually(() => ends() === 1);
    await send('Another one.');
    await eventually(() => ends() === 2);
    assert.equal(approvals().length, 1);
    assert.deepEqual(
      other.calls.slice(past).map(({ subject }) => subject),
      ['a tree', 'a tree'],
    );
    const [item] = items();
    assert.deepEqual(
      [item?.source, item?.success, item?.contentItems[0]],
      ['Camera', true, { type: 'input_text', text: 'A picture of a tree.' }],
    );
    assert.equal(item?.contentItems[1]?.type, 'input_image');
    tool.dispose();
  });

  test('a tool that is allowed everywhere is asked about where its call names a file with secrets', async () => {
    const weather = (town: string) => calls('tool-provider_weather', { town });
    const shoot = (subject: string) => calls('shoot', { subject });
    const model = [[shoot('a tree'), weather('Ghent')], [shoot('.env'), weather('sub/.env.local')], [says('Done.')]];
    const api = await open(model, { languageModelTools: ['tool-provider_weather'] });
    const tool = other.register(api);
    const past = other.calls.length;
    await send('Go on.');
    for (const at of [0, 1, 2, 3]) {
      await eventually(() => approvals().length > at);
      answer(at < 2 ? { approved_tool: { scope: 'user' } } : { denied: {} }, at);
    }
    await eventually(() => ends() === 1);
    const reasons = approvals().map(({ reason }) => /\.env.*may not be read/.test(reason.text));
    assert.deepEqual(reasons, [false, false, true, true]);
    assert.deepEqual(
      other.calls.slice(past).map(({ subject, town }) => subject ?? town),
      ['a tree', 'Ghent'],
    );
    assert.deepEqual(
      items().map(({ status }) => status),
      ['completed', 'completed', 'declined', 'declined'],
    );
    tool.dispose();
  });

  test('a tool that fails is a failed call; one that is withdrawn while it runs is cancelled', async () => {
    const shot = (subject: string) => [calls('shoot', { subject })];
    const api = await open([shot('nothing'), shot('forever'), [says('Done.')]]);
    const tool = other.register(api);
    await send('Take pictures.');
    await eventually(() => approvals().length === 1);
    answer('approved');
    await eventually(() => approvals().length === 2);
    answer('approved');
    const past = other.cancelled.length;
    await eventually(() => other.calls.at(-1)?.['subject'] === 'forever');
    tool.dispose();
    await eventually(() => ends() === 1);
    await eventually(() => other.cancelled.length === past + 1);
    assert.deepEqual(
      items().map(({ status, contentItems: [part] }) => [status, part?.type === 'input_text' && part.text]),
      [
        ['failed', 'shoot failed: There is nothing to see.'],
        ['failed', 'shoot failed: Camera has withdrawn this tool.'],
      ],
    );
  });

  test('a tool that the extension offers to all of VS Code runs when it is switched on', async () => {
    const asked = [calls('tool-provider_weather', { town: 'Ghent' })];
    await open([[says('Hello.')], asked, [says('Done.')]]);
    await send('hi');
    await eventually(() => ends() === 1);
    assert.equal(server?.lastRequest.toolNames.includes('tool-provider_weather'), false);
    await configure({ languageModelTools: ['tool-provider_weather'] });
    await send('How is the weather?');
    await eventually(() => approvals().length === 1);
    assert.equal(approvals()[0]?.tool?.server, 'VS Code');
    answer('approved');
    await eventually(() => ends() === 2);
    assert.deepEqual(
      items().map(({ tool, status, contentItems }) => [tool, status, contentItems]),
      [['tool-provider_weather', 'completed', [{ type: 'input_text', text: 'Rain in Ghent.' }]]],
    );
  });

  test('results of such tools of every kind reach the model, and failures are texts', async () => {
    const kinds = ['text', 'json', 'image', 'bytes', 'tsx', 'nothing', 'huge', 'failure', 'unknown'];
    const show = (kind: string) => calls('tool-provider_show', { kind });
    await open([kinds.map(show), [says('Done.')]], { languageModelTools: ['tool-provider_show'] });
    await send('Show all.');
    // They are asked about together.
    await eventually(() => approvals().length === kinds.length);
    answer({ approved_tool: { scope: 'user' } });
    await eventually(() => ends() === 1);
    const shown = items().map(({ success, contentItems: [first, ...others] }) => [
      success,
      first?.type === 'input_text' ? first.text.split(' (')[0] : first?.type,
      others.length,
    ]);
    assert.deepEqual(shown, [
      [true, 'one\ntwo', 0],
      [true, '{\n\t"a": 1\n}', 0],
      [true, 'input_image', 0],
      [true, '[3 bytes of application/zip, which are not passed on]', 0],
      [true, '{"node":{"type":1}}', 0],
      [true, '', 0],
      [true, 'Warning: output was cut in the middle', 0],
      [false, 'tool-provider_show failed: It does not show that.', 0],
      [true, '', 0],
    ]);
  });

  test('such a tool is cancelled with the turn, and may have an odd name and schema', async () => {
    const model = [[calls('constructor', { a: null, b: 1 })], [calls('tool-provider_show', { kind: 'forever' })]];
    await open(model, { languageModelTools: ['constructor', 'tool-provider_show'] });
    const past = other.cancelled.length;
    await send('Do it.');
    for (const count of [1, 2]) {
      await eventually(() => approvals().length === count);
      answer('approved');
    }
    await eventually(() => other.calls.at(-1)?.['kind'] === 'forever');
    page.say({ type: 'op', op: { type: 'interrupt' } });
    await eventually(() => ends() === 1);
    await eventually(() => other.cancelled.length === past + 1);
    assert.deepEqual(
      items().map(({ tool, status, contentItems }) => [tool, status, contentItems]),
      [
        ['constructor', 'completed', [{ type: 'input_text', text: '{"b":1}' }]],
        ['tool-provider_show', 'aborted', []],
      ],
    );
  });

  test('"Select Tools from Other Extensions" lists the tools, and keeps the names of those that are not there now', async () => {
    const lists: vscode.QuickPickItem[][] = [];
    const original = vscode.window.showQuickPick;
    Object.assign(vscode.window, {
      showQuickPick: async (items: vscode.QuickPickItem[]) => {
        lists.push(items);
        return items.filter(({ label }) => label === 'tool-provider_weather');
      },
    });
    try {
      await open([], { languageModelTools: ['gone'] });
      await tiller?.lmTools.choose();
    } finally {
      Object.assign(vscode.window, { showQuickPick: original });
    }
    assert.equal(lists[0]?.find(({ label }) => label === 'tool-provider_weather')?.picked, false);
    assert.deepEqual(vscode.workspace.getConfiguration('tiller').get('languageModelTools'), [
      'gone',
      'tool-provider_weather',
    ]);
  });

  test('our own tools are offered by vscode.lm, and run under the policy, as threads of their own', async () => {
    await open([], { approvalPolicy: 'never', 'sandbox.mode': 'danger-full-access' });
    const offered = vscode.lm.tools.filter(({ name }) => name.startsWith('tiller_')).map(({ name }) => name);
    assert.deepEqual(offered.toSorted(), ['tiller_apply_patch', 'tiller_run_command']);
    const { token } = new vscode.CancellationTokenSource();
    const textOf = ({ content: [part] }: vscode.LanguageModelToolResult) =>
      part instanceof vscode.LanguageModelTextPart ? part.value : '';
    const ran = await tiller?.offeredTools.invoke('tiller_run_command', { command: 'echo from outside' }, token);
    assert.match(ran ? textOf(ran) : '', /from outside/);
    const patch = '*** Begin Patch\n*** Add File: ../outside.txt\n+x\n*** End Patch';
    await configure({ approvalPolicy: 'never', 'sandbox.mode': 'read-only' });
    const refused = await tiller?.offeredTools.invoke('tiller_apply_patch', { patch }, token);
    assert.match(refused ? textOf(refused) : '', /^Not allowed: /);
  });

  test('a call of our tools ends when it is cancelled', async () => {
    await open([], { approvalPolicy: 'untrusted' });
    const source = new vscode.CancellationTokenSource();
    const call = tiller?.offeredTools.invoke('tiller_run_command', { command: 'touch never' }, source.token);
    source.cancel();
    await assert.rejects(call ?? Promise.resolve(), vscode.CancellationError);
  });
});
