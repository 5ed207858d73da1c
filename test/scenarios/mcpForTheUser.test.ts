/** Prompts and resources of MCP servers that the user takes into a message. */
import { linkSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { completeArgument, expandPrompt, listPrompts } from '../../src/core/mcp/prompts.ts';
import { listResources, readResourceText } from '../../src/core/mcp/resources.ts';
import { refusalOfAddress } from '../../src/core/tools/filesNamed.ts';
import { AsyncQueue } from '../../src/core/util/asyncQueue.ts';
import { createDiskWorkspace } from '../../src/node/apply/diskWorkspace.ts';
import { describeHost } from '../../src/node/host/host.ts';
import { mcpScenario, scripted } from '../support/mcpServers.ts';
import { calls, says } from '../support/modelServer.ts';
import { noSandbox } from '../support/sandboxed.ts';

const LONG = 60_000;

describe.skipIf(noSandbox)('prompts', { timeout: LONG }, () => {
  test('are listed and expanded; a required argument must be there', async () => {
    await using made = await mcpScenario({ notes: scripted(), broken: scripted(['--exit']) }, { model: [] });
    const { signal } = new AbortController();
    const { servers } = made.mcp;
    const [prompt] = await listPrompts(servers, signal);
    if (!prompt) throw new Error('There is no prompt.');
    expect(prompt).toEqual({
      server: 'notes',
      name: 'greet',
      title: undefined,
      description: 'Greets.',
      arguments: [
        { name: 'who', required: true },
        { name: 'how', required: false },
      ],
    });
    expect(await expandPrompt(servers, prompt, { who: 'Ann' }, signal)).toBe('Greet Ann kindly.');
    await expect(expandPrompt(servers, prompt, {}, signal)).rejects.toThrow('The prompt greet needs a value for who.');
    const complete = (name: string, value: string, args = {}) =>
      completeArgument(servers, prompt, { name, value }, args, signal);
    expect(await complete('who', 'An')).toEqual(['Ann', 'Anton']);
    expect(await complete('how', '', { who: 'Ann' })).toEqual(['as Ann likes it']);
  });

  test('are listed again when the server says that they have changed', async () => {
    await using made = await mcpScenario(
      { notes: scripted() },
      { model: [[calls('mcp__notes__change')], [says('Done.')]] },
    );
    const { servers } = made.mcp;
    const { signal } = new AbortController();
    const names = async () => (await listPrompts(servers, signal)).map(({ name }) => name);
    expect(await names()).toEqual(['greet']);
    const changes = new AsyncQueue<void>();
    servers.onChange(() => changes.push());
    await made.chat.send('change');
    for await (const _ of changes) if ((await names()).includes('added')) break;
    expect(await names()).toEqual(['greet', 'added']);
  });
});

describe.skipIf(noSandbox)('resources for a message', { timeout: LONG }, () => {
  test('are not read where their address names a file with secrets', async () => {
    await using made = await mcpScenario({ notes: scripted() }, { files: { '.env': 'KEY=1\n' }, model: [] });
    const { folder, home, session } = made.chat;
    linkSync(folder.at('.env'), folder.at('hard.txt'));
    symlinkSync('.env', folder.at('link.txt'));
    const context = {
      settings: made.chat.thread[0].turn,
      thread: { id: session.threadId, home: home.path, unreadable: [] },
      host: describeHost(process.env),
      workspace: createDiskWorkspace({ roots: [folder.path], home: home.path }),
    };
    const read = (uri: string) =>
      readResourceText(
        made.mcp.servers,
        { server: 'notes', uri },
        (address) => refusalOfAddress(address, context),
        new AbortController().signal,
      );
    const addresses = ['.env', '%2Eenv', 'hard.txt', 'link.txt'].map((name) => `${folder.path}/${name}`);
    for (const address of [...addresses.map((one) => `file://${one}`), ...addresses.map((one) => `notes://n${one}`)])
      await expect(read(address)).rejects.toThrow(/\.env may not be read \(sandbox\.unreadable/);
    expect(await read(`file://${folder.path}/a.txt`)).toBe('a note');
  });

  test('are listed by their names, and read as text', async () => {
    await using made = await mcpScenario(
      { notes: scripted(), silent: scripted(['--silent'], { startupTimeoutMs: 300 }) },
      { model: [] },
    );
    const { servers } = made.mcp;
    const { signal } = new AbortController();
    const [resource] = await listResources(servers, signal);
    if (!resource) throw new Error('There is no resource.');
    expect(resource).toEqual({ server: 'notes', uri: 'note://one', name: 'One', description: '' });
    const refusal = async () => undefined;
    expect(await readResourceText(servers, resource, refusal, signal)).toBe('a note');
    await expect(readResourceText(servers, { server: 'silent', uri: 'x' }, refusal, signal)).rejects.toThrow(
      'The MCP server silent is not running.',
    );
  });
});
