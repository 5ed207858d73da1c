import { describe, expect, test } from 'vitest';
import type { McpSecrets } from '../../src/core/mcp/authorization.ts';
import { AuthorizationServer } from '../support/authorizationServer.ts';
import { type McpScenario, mcpScenario } from '../support/mcpServers.ts';
import { calls, says } from '../support/modelServer.ts';

const LONG = { timeout: 60_000 };
const REDIRECT = 'vscode://tiller-dev.tiller/mcp-auth';
const SCRIPT = [[calls('mcp__guarded__secret')], [says('Done.')]];

function secretsIn(kept: Map<string, string>): McpSecrets {
  return {
    read: async (key) => kept.get(key),
    write: async (key, text) => void (text === undefined ? kept.delete(key) : kept.set(key, text)),
  };
}

/** Signs in as a user does, whose browser comes back at once; `change` changes what it comes back with. */
async function signIn(
  { mcp }: McpScenario,
  server: AuthorizationServer,
  change: (answer: URLSearchParams) => void = () => {},
): Promise<void> {
  const guarded = mcp.servers.get('guarded');
  if (!guarded) throw new Error('There is no server.');
  let back: (answer: URLSearchParams) => void = () => {};
  const returned = new Promise<URLSearchParams>((resolve) => {
    back = resolve;
  });
  const redirect = {
    url: REDIRECT,
    async open(page: URL) {
      const answer = await server.visit(page);
      change(answer);
      back(answer);
    },
    callback: () => returned,
  };
  await mcp.signIn(guarded, redirect, new AbortController().signal);
}

const guardedBy = (server: AuthorizationServer, more = {}) => ({
  guarded: { url: server.url, startupTimeoutMs: 60_000, ...more },
});

describe('an MCP server that demands an authorization', LONG, () => {
  test('is authorized when the user signs in, and stays so at the next start', async () => {
    const kept = new Map<string, string>();
    await using server = await AuthorizationServer.start();
    await using made = await mcpScenario(guardedBy(server), { model: SCRIPT, secrets: secretsIn(kept) });
    expect(made.mcp.servers.get('guarded')?.status.type).toBe('needs_auth');
    await signIn(made, server);
    expect(made.mcp.servers.get('guarded')?.status.type).toBe('ready');
    await made.chat.send('go');
    expect(made.chat.outputs()).toEqual(['the secret']);
    expect(server.registered).toEqual(['Tiller']);
    expect(server.resources).toEqual([server.url]);
    expect(server.clientIds).toEqual(['registered-1']);

    await using later = await mcpScenario(guardedBy(server), { model: SCRIPT, secrets: secretsIn(kept) });
    await later.chat.send('go');
    expect(later.chat.outputs()).toEqual(['the secret']);
    expect(server.registered).toHaveLength(1);
  });

  test('refreshes a token that has expired, without the user', async () => {
    await using server = await AuthorizationServer.start();
    await using made = await mcpScenario(guardedBy(server), { model: SCRIPT, secrets: secretsIn(new Map()) });
    await signIn(made, server);
    server.valid.clear();
    await made.chat.send('go');
    expect(made.chat.outputs()).toEqual(['the secret']);
    expect(server.refreshed).toBe(1);
  });

  test('whose token cannot be refreshed for now stays signed in', async () => {
    await using server = await AuthorizationServer.start();
    await using made = await mcpScenario(guardedBy(server), {
      model: [...SCRIPT, ...SCRIPT, ...SCRIPT],
      secrets: secretsIn(new Map()),
    });
    await signIn(made, server);
    server.valid.clear();
    server.failures.push('server_error', '');
    await made.chat.send('go');
    await made.chat.send('again');
    await made.chat.send('and again');
    expect(made.chat.outputs()).toEqual([
      'tool call error: Its authorization server could not refresh the token; try again later.',
      'tool call error: It failed, and gave no reason.',
      'the secret',
    ]);
  });

  test('stays authorized in two windows, whichever refreshes the token', async () => {
    const kept = new Map<string, string>();
    await using server = await AuthorizationServer.start();
    await using made = await mcpScenario(guardedBy(server), { model: SCRIPT, secrets: secretsIn(kept) });
    await signIn(made, server);
    await using other = await mcpScenario(guardedBy(server), {
      model: [...SCRIPT, ...SCRIPT],
      secrets: secretsIn(kept),
    });
    for (const { chat } of [made, other, other]) {
      server.valid.clear();
      await chat.send('go');
      expect(chat.outputs().at(-1)).toBe('the secret');
    }
    expect(server.refreshed).toBe(3);
  });

  test('whose authorization is revoked needs another sign-in', async () => {
    await using server = await AuthorizationServer.start();
    await using made = await mcpScenario(guardedBy(server), {
      model: [...SCRIPT, ...SCRIPT],
      secrets: secretsIn(new Map()),
    });
    await signIn(made, server);
    server.revoke();
    await made.chat.send('go');
    expect(made.chat.outputs()).toEqual(['tool call error: It demands an authorization.']);
    expect(made.mcp.servers.get('guarded')?.status.type).toBe('needs_auth');
    await signIn(made, server);
    await made.chat.send('again');
    expect(made.chat.outputs().at(-1)).toBe('the secret');
  });

  test('is asked with the client that the user has registered', async () => {
    await using server = await AuthorizationServer.start({ registers: false });
    const entry = guardedBy(server, { oauth: { clientId: 'my-client' } });
    await using made = await mcpScenario(entry, { model: SCRIPT, secrets: secretsIn(new Map()) });
    await signIn(made, server);
    expect(server.clientIds).toEqual(['my-client']);
    expect(made.mcp.servers.get('guarded')?.status.type).toBe('ready');
  });

  test.each([
    ['takes it', true],
    ['does not take it', false],
  ])('is asked with the document of the setting where it %s, else by a registration', async (_what, takesDocuments) => {
    await using server = await AuthorizationServer.start({ takesDocuments });
    const clientMetadataUrl = 'https://tiller.example/client.json';
    await using made = await mcpScenario(guardedBy(server), {
      model: SCRIPT,
      secrets: secretsIn(new Map()),
      clientMetadataUrl,
    });
    await signIn(made, server);
    expect(server.clientIds).toEqual([takesDocuments ? clientMetadataUrl : 'registered-1']);
    expect(server.registered).toEqual(takesDocuments ? [] : ['Tiller']);
    expect(made.mcp.servers.get('guarded')?.status.type).toBe('ready');
  });

  test.each([
    ['of another issuer', { iss: 'https://evil.test' }, () => {}],
    ['with another state', {}, (answer: URLSearchParams) => answer.set('state', 'forged')],
    ['with another code', {}, (answer: URLSearchParams) => answer.set('code', 'forged')],
    ['that refuses', {}, (answer: URLSearchParams) => (answer.delete('code'), answer.set('error', 'access_denied'))],
  ])('takes no answer %s', async (_what, options, change) => {
    const kept = new Map<string, string>();
    await using server = await AuthorizationServer.start(options);
    await using made = await mcpScenario(guardedBy(server), { model: SCRIPT, secrets: secretsIn(kept) });
    await expect(signIn(made, server, change)).rejects.toThrow(/^The authorization failed: /);
    expect(server.valid.size).toBe(0);
    expect(kept.get(server.url) ?? '').not.toContain('access_token');
    expect(made.mcp.servers.get('guarded')?.status.type).toBe('needs_auth');
  });
});
