import { linkSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ToolContentItem } from '../../src/protocol/item.ts';
import { ExternalTools } from '../../src/core/tools/external/externalTools.ts';
import { type ExternalCall, type ExternalTool, ExternalToolRegistry } from '../../src/core/tools/external/registry.ts';
import { Trust } from '../../src/core/trust/trust.ts';
import { auditRows } from '../../src/protocol/audit.ts';
import { auditEntries } from '../support/auditEntries.ts';
import { MemoryStorage } from '../support/memoryStorage.ts';
import { calls, says } from '../support/modelScript.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';
const SCHEMA = { type: 'object', properties: { subject: { type: 'string' } }, required: ['subject'] };

function camera(
  invoke: (input: Readonly<Record<string, unknown>>, call: ExternalCall) => Promise<readonly ToolContentItem[]>,
  more: Partial<ExternalTool> = {},
): ExternalTool {
  return {
    owner: 'acme.camera',
    ownerName: 'Camera',
    name: 'shoot',
    description: 'Takes a picture.',
    inputSchema: SCHEMA,
    timeoutMs: 60_000,
    invoke,
    ...more,
  };
}

const text = (value: string): ToolContentItem => ({ type: 'input_text', text: value });
const shot = calls('shoot', { subject: 'tree' });
/** One call in each turn. */
const turns = (count: number) => Array.from({ length: count }, () => [[shot], [says('Done.')]]).flat();

/** Returns undefined, as an extension in JavaScript may do. */
function absent(): string {
  return JSON.parse('[]')[0];
}

function failing(): never {
  throw new Error('no schema today');
}

function circular(): Record<string, unknown> {
  const schema: Record<string, unknown> = { type: 'object' };
  schema['properties'] = { itself: schema };
  return schema;
}

function nested(depth: number): Record<string, unknown> {
  let schema: Record<string, unknown> = { type: 'string' };
  for (let at = 0; at < depth; at++) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

const log = { debug() {}, info() {}, warn() {}, error() {} };

async function withTools(registry: ExternalToolRegistry, options: ScenarioOptions, storage = new MemoryStorage()) {
  const deps = { trust: new Trust('tools.json', storage, log), workspaceOf: (cwd: string) => cwd };
  return startScenario({ ...options, host: { toolProviders: [new ExternalTools(registry, deps)] } });
}

/** Names of the tools in the last request. */
const offered = (chat: Scenario) => chat.server.lastRequest.toolNames;

describe('a tool of another extension', () => {
  it('does not run in plan mode, also when it was allowed', async () => {
    const registry = new ExternalToolRegistry();
    let runs = 0;
    registry.register(camera(async () => [text(`Click ${++runs}.`)]));
    await using chat = await withTools(registry, { model: turns(2) });
    const ended = chat.send('go');
    const { approvalId } = await chat.next('approval_requested');
    chat.submit({ type: 'approval', approvalIds: [approvalId], decision: 'approved_for_thread' });
    await ended;
    await chat.send('plan', { overrides: { planMode: true } });
    expect(runs).toBe(1);
    expect(chat.outputs().at(-1)).toMatch(/in plan mode, which only reads/);
  });

  it('is asked about with its own words, gets the arguments, and its text and image reach the model', async () => {
    const registry = new ExternalToolRegistry();
    const got: unknown[] = [];
    registry.register(
      camera(async (input, { cwd }) => {
        got.push(input, cwd);
        return [text('Click.'), { type: 'input_image', imageUrl: PIXEL }];
      }),
    );
    await using chat = await withTools(registry, { model: turns(1) });
    const ended = chat.send('go');
    const request = await chat.next('approval_requested');
    expect(request).toMatchObject({
      kind: 'tool',
      command: 'shoot {"subject":"tree"}',
      tool: { server: 'Camera', name: 'shoot', description: 'Takes a picture.' },
      choices: ['approved', 'approved_for_thread', 'approved_tool', 'denied', 'abort'],
    });
    expect(got).toEqual([]);
    await chat.answer('approved');
    await ended;
    expect(got).toEqual([{ subject: 'tree' }, chat.folder.path]);
    expect(chat.items('dynamic_tool_call')).toMatchObject([
      {
        tool: 'shoot',
        source: 'Camera',
        status: 'completed',
        success: true,
        contentItems: [{ text: 'Click.' }, { imageUrl: PIXEL }],
      },
    ]);
    expect(chat.server.lastRequest.input.at(-1)).toMatchObject({
      output: [
        { type: 'input_text', text: 'Click.' },
        { type: 'input_image', image_url: PIXEL },
      ],
    });
    expect(
      auditRows(auditEntries(chat)).map(({ decision, end }) => [decision.act.type, decision.by, end?.status]),
    ).toEqual([['tool', 'user', 'completed']]);
  });

  it('that was allowed is asked about each time its arguments name a file with secrets, in whatever form', async () => {
    const registry = new ExternalToolRegistry();
    const got: unknown[] = [];
    const invoke: ExternalTool['invoke'] = async (input) => {
      got.push(input);
      return [text('Click.')];
    };
    registry.register(camera(invoke, { inputSchema: { type: 'object' } }));
    const harmless = [
      { subject: 'tree' },
      { subject: 'What is in .env?' },
      { path: '.env.example' },
      { command: 'ls' },
    ];
    const named = (folder: string) => [
      { subject: '.env' },
      { subject: ' .env ' },
      { subject: '.env\0.txt' },
      { subject: `${'./'.repeat(10_000)}.env` },
      { subject: `${folder}/sub/../.ENV` },
      { subject: `file://localhost${folder}/%2Eenv` },
      { subject: `file://elsewhere${folder}/%2Eenv` },
      { subject: `vscode-remote://ssh${folder}/%2eenv` },
      { subject: '~/.ssh/id' },
      { files: { '.env': { read: true } } },
      { subject: [...Array.from({ length: 1_000 }, (_, at) => `a${at}`), '.env'] },
      { subject: { path: 'link.txt' } },
      { command: 'ls && cat .e*' },
      { task: { commandLine: 'cd ~; cat .ssh/id' } },
      { subject: 'hard.txt' },
      { subject: `/proc/self/root${folder}/hard.txt` },
      { subject: '.env' },
    ];
    await using chat = await withTools(registry, {
      files: { '.env': 'KEY=1\n' },
      unreadable: ['~/.ssh'],
      sandbox: 'danger-full-access',
      model: (_request, index) => {
        const made = [...harmless, ...named(chat.folder.path)];
        return index === 0 ? made.map((input) => calls('shoot', input)) : [says('Done.')];
      },
    });
    symlinkSync('.env', chat.folder.at('link.txt'));
    linkSync(chat.folder.at('.env'), chat.folder.at('hard.txt'));
    const reasons: string[] = [];
    chat.session.onEvent(({ msg }) => {
      if (msg.type !== 'approval_requested') return;
      reasons.push(msg.reason.text);
      // The last one is allowed, and would have been before if an approval counted for the thread.
      const isAllowed = reasons.length === 1 || reasons.length === 1 + named('').length;
      const decision = isAllowed ? 'approved_for_thread' : { denied: {} };
      chat.submit({ type: 'approval', approvalIds: [msg.approvalId], decision });
    });
    await chat.send('go');
    expect(got).toEqual([...harmless, { subject: '.env' }]);
    expect(reasons.slice(1).filter((reason) => !/may not be read \(sandbox\.unreadable/.test(reason))).toEqual([]);
    expect(reasons).toHaveLength(1 + named('').length);
  });

  it('is asked about under full access, too, and not under `never`', async () => {
    const registry = new ExternalToolRegistry();
    registry.register(camera(async () => [text('Click.')]));
    await using asked = await withTools(registry, { model: turns(1), sandbox: 'danger-full-access' });
    const ended = asked.send('go');
    await asked.next('approval_requested');
    await asked.answer({ denied: {} });
    await ended;
    await using never = await withTools(registry, { model: turns(1), policy: 'never' });
    await never.send('go');
    expect(never.outputs()).toEqual(['Click.']);
  });

  it('that was allowed everywhere runs unasked until it is described differently; then the request shows how', async () => {
    const storage = new MemoryStorage();
    const registry = new ExternalToolRegistry();
    const first = registry.register(camera(async () => [text('Click.')]));
    await using chat = await withTools(registry, { model: turns(3) }, storage);
    const ended = chat.send('go');
    await chat.next('approval_requested');
    await chat.answer({ approved_tool: { scope: 'user' } });
    await ended;
    await chat.send('again');
    expect(chat.said('approval_requested')).toHaveLength(1);
    first.dispose();
    registry.register(camera(async () => [text('Click.')], { description: 'Takes a picture and uploads it.' }));
    const changed = chat.send('once more');
    const { tool, reason } = await chat.next('approval_requested');
    expect(reason.id).toBe('tool-changed');
    expect(tool?.changes).toContain('+  "description": "Takes a picture and uploads it.",');
    await chat.answer({ denied: {} });
    await changed;
  });

  it.each<[string, 'approved_for_thread' | { readonly approved_tool: { readonly scope: 'user' } }]>([
    ['the thread', 'approved_for_thread'],
    ['everywhere', { approved_tool: { scope: 'user' } }],
  ])(
    'that is allowed for %s runs in all calls that are pending, and one of another tool stays pending',
    async (_where, decision) => {
      const registry = new ExternalToolRegistry();
      const seen: unknown[] = [];
      const shoot = async ({ subject }: Readonly<Record<string, unknown>>) => {
        seen.push(subject);
        return [text('A picture.')];
      };
      registry.register(camera(shoot));
      registry.register(camera(shoot, { name: 'film' }));
      const subjects = ['a', 'b', 'c'];
      const model = [
        [...subjects.map((subject) => calls('shoot', { subject })), calls('film', { subject: 'd' })],
        [says('Done.')],
      ];
      await using chat = await withTools(registry, { model });
      const ended = chat.send('go');
      await expect.poll(() => chat.said('approval_requested').length).toBe(4);
      const [first] = chat.said('approval_requested');
      chat.submit({ type: 'approval', approvalIds: [first?.approvalId ?? ''], decision });
      await expect.poll(() => seen.length).toBe(3);
      expect(chat.said('approval_resolved').map(({ by }) => by)).toEqual(['user', 'user', 'user']);
      const last = chat.said('approval_requested').at(-1);
      expect(last?.tool?.name).toBe('film');
      chat.submit({
        type: 'approval',
        approvalIds: [last?.approvalId ?? ''],
        decision: { denied: { message: 'No.' } },
      });
      await ended;
      expect(seen).toEqual(subjects);
    },
  );

  it('that was allowed in one extension is asked about in another', async () => {
    const storage = new MemoryStorage();
    const registry = new ExternalToolRegistry();
    const first = registry.register(camera(async () => [text('Click.')]));
    await using chat = await withTools(registry, { model: turns(2) }, storage);
    const ended = chat.send('go');
    await chat.next('approval_requested');
    await chat.answer({ approved_tool: { scope: 'user' } });
    await ended;
    first.dispose();
    registry.register(camera(async () => [text('Click.')], { owner: 'evil.camera' }));
    const asked = chat.send('again');
    await chat.next('approval_requested');
    await chat.answer({ denied: {} });
    await asked;
  });

  it.each([
    ['throws', async () => Promise.reject(new Error('no film')), 'shoot failed: no film'],
    ['is too late', async () => new Promise<never>(() => {}), 'shoot failed: It did not answer within 0.05 s.'],
  ])('that %s is a failed call, and the turn goes on', async (_how, invoke, output) => {
    const registry = new ExternalToolRegistry();
    registry.register(camera(invoke, { timeoutMs: 50 }));
    await using chat = await withTools(registry, { model: turns(1), policy: 'never' });
    expect(await chat.send('go')).toMatchObject({ type: 'turn_completed' });
    expect(chat.outputs()).toEqual([output]);
    expect(chat.items('dynamic_tool_call').map(({ status, success }) => [status, success])).toEqual([
      ['failed', false],
    ]);
  });

  it('is there before the first turn, and later ones from the next turn on', () => {
    const registry = new ExternalToolRegistry();
    registry.register(camera(async () => []));
    const deps = { trust: new Trust('tools.json', new MemoryStorage(), log), workspaceOf: (cwd: string) => cwd };
    const tools = new ExternalTools(registry, deps);
    const names = () => tools.tools().flatMap((tool) => tool.names);
    expect(names()).toEqual(['shoot']);
    registry.register(camera(async () => [], { name: 'zoom' }));
    expect(names()).toEqual(['shoot']);
    tools.turnStarts();
    expect(names()).toEqual(['shoot', 'zoom']);
  });

  it('that is withdrawn while it runs fails, and is not offered in the next turn', async () => {
    const registry = new ExternalToolRegistry();
    const held = registry.register(
      camera(async (_input, { signal }) => {
        queueMicrotask(() => held.dispose());
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }),
    );
    await using chat = await withTools(registry, { model: [...turns(1), [says('Bye.')]], policy: 'never' });
    await chat.send('go');
    expect(chat.outputs()).toEqual(['shoot failed: Camera has withdrawn this tool.']);
    await chat.send('again');
    expect(offered(chat)).not.toContain('shoot');
  });

  it('is stopped with the turn', async () => {
    const registry = new ExternalToolRegistry();
    let isStopped = false;
    const started = new Promise<void>((resolve) => {
      registry.register(
        camera(async (_input, { signal }) => {
          signal.addEventListener('abort', () => (isStopped = true));
          resolve();
          return new Promise(() => {});
        }),
      );
    });
    await using chat = await withTools(registry, { model: [[shot]], policy: 'never' });
    const ended = chat.send('go');
    await started;
    chat.submit({ type: 'interrupt' });
    expect(await ended).toMatchObject({ type: 'turn_aborted', reason: 'interrupted' });
    expect(isStopped).toBe(true);
    expect(chat.items('dynamic_tool_call').map(({ status }) => status)).toEqual(['aborted']);
  });

  it('cannot return an image from elsewhere, nor more text than fits', async () => {
    const registry = new ExternalToolRegistry();
    registry.register(
      camera(async () => [
        { type: 'input_image', imageUrl: 'https://evil.example/pixel.png' },
        { type: 'input_image', imageUrl: 'data:text/html;base64,AAAA' },
        text('x'.repeat(50_000_000)),
      ]),
    );
    await using chat = await withTools(registry, { model: turns(1), policy: 'never' });
    await chat.send('go');
    const [output = ''] = chat.outputs();
    expect(output.split('[An image that is not a data: URL of an image was left out.]')).toHaveLength(3);
    expect(output.length).toBeLessThan(60_000);
    expect(JSON.stringify(chat.server.lastRequest)).not.toContain('evil.example');
  });

  it('with wrong arguments is not called, and the model reads what is wrong', async () => {
    const registry = new ExternalToolRegistry();
    let isCalled = false;
    registry.register(
      camera(async () => {
        isCalled = true;
        return [];
      }),
    );
    await using chat = await withTools(registry, {
      model: [[calls('shoot', { subject: 7 })], [says('Done.')]],
      policy: 'never',
    });
    await chat.send('go');
    expect(chat.outputs()[0]).toContain('subject: expected string');
    expect(isCalled).toBe(false);
  });

  it('with the name of a built-in tool is left out alone, with a warning', async () => {
    const registry = new ExternalToolRegistry();
    registry.register(camera(async () => [text('Click.')]));
    registry.register(camera(async () => [text('mine')], { name: 'exec_command' }));
    registry.register(
      camera(async () => [text('other')], { name: 'exec_command', owner: 'acme.lens', ownerName: 'Lens' }),
    );
    registry.register(camera(async () => [text('odd')], { name: 'constructor' }));
    await using chat = await withTools(registry, {
      model: [[calls('constructor', { subject: 'a' })], [says('Done.')]],
      policy: 'never',
    });
    await chat.send('go');
    const names = offered(chat);
    expect(names.filter((name) => name === 'exec_command')).toHaveLength(1);
    expect(names).toEqual(expect.arrayContaining(['constructor', 'shoot']));
    expect(chat.outputs()).toEqual(['odd']);
    expect(chat.said('warning').map(({ message }) => message)).toEqual([
      'The tool of Camera named exec_command is left out: another tool has this name.',
      'The tool of Lens named exec_command is left out: another tool has this name.',
    ]);
  });

  it.each<[string, Partial<ExternalTool>]>([
    ['a circular schema', { inputSchema: circular() }],
    ['a schema that is nested a hundred thousand times', { inputSchema: nested(100_000) }],
    ['a schema with a value that is no JSON', { inputSchema: { type: 'object', properties: { a: { const: 1n } } } }],
    ['a schema that throws', { inputSchema: Object.defineProperty({}, 'type', { enumerable: true, get: failing }) }],
    ['no description', { description: absent() }],
    ['a name that is too long', { name: 'x'.repeat(65) }],
  ])('with %s is left out alone, with a warning', async (_what, more) => {
    const registry = new ExternalToolRegistry();
    registry.register(camera(async () => [text('odd')], { name: 'odd', ...more }));
    registry.register(camera(async () => [text('fine')]));
    await using chat = await withTools(registry, { model: [[says('Hello.')], [says('Again.')]] });
    await chat.send('hi');
    await chat.send('hi');
    const names = offered(chat);
    expect([names.includes('shoot'), names.includes('odd')]).toEqual([true, false]);
    expect(chat.said('warning').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^The tool of Camera named (odd|x+) is left out: /),
    ]);
  });

  it('is registered once by one extension, and offered only in a trusted workspace', async () => {
    const registry = new ExternalToolRegistry();
    registry.register(camera(async () => []));
    expect(() => registry.register(camera(async () => []))).toThrow('acme.camera has registered a tool shoot already.');
    await using chat = await withTools(registry, { model: [[says('Hello.')]], trusted: false });
    await chat.send('hi');
    expect(offered(chat)).not.toContain('shoot');
  });
});
