/** "Select Model", "Test Connection" and "Remove Provider" with real servers; the user's choices are scripted. */
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, setup, teardown, test } from 'mocha';
import * as vscode from 'vscode';
import type { ModelListing } from '../../src/core/model/modelList.ts';
import { HttpModels } from '../../src/core/model/httpModels.ts';
import { createNodePorts } from '../../src/node/ports.ts';
import { KeyStore } from '../../src/vscode/models/apiKeys.ts';
import { ModelCommands } from '../../src/vscode/models/modelCommands.ts';
import { readSettings } from '../../src/vscode/settings.ts';
import { IMITATIONS } from '../support/imitations.ts';
import { ScriptedUser } from './support/scriptedUser.ts';
import { type ModelScript, ModelServer, recordStream, says } from '../support/modelServer.ts';
import { serverInUse } from '../../src/core/agent/serverInUse.ts';
import { DEFAULT_SETTINGS, type SettingKey } from '../../src/protocol/settings.ts';

const WRITTEN: readonly SettingKey[] = ['model', 'provider', 'providers', 'baseUrl', 'wireApi'];

/** Starts a server that is no model server; resolves with the base URL of its API. */
async function listening(server: http.Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

suite('Select Model', () => {
  const secrets = new Map<string, string>();
  const environment: Record<string, string> = {};
  let keys: KeyStore;
  let commands: ModelCommands;
  /** The models of a server on the internet, which no test asks. */
  let listed: ModelListing | undefined;
  let models: Pick<HttpModels, 'list' | 'of' | 'abilities'>;
  /** Set when the shown thread has a provider and a model other than those of the settings. */
  let thread: { readonly provider: string; readonly model: string } | undefined;
  const open: ModelServer[] = [];

  let complain: (message: string) => void;
  const settings = () => readSettings((message) => complain(message));
  const update = (key: SettingKey, value: unknown) =>
    vscode.workspace.getConfiguration('tiller').update(key, value, vscode.ConfigurationTarget.Global);
  const forget = async () => {
    for (const key of WRITTEN) {
      // VS Code sends its whole configuration at each update, also at one that changes nothing.
      const isSet = vscode.workspace.getConfiguration('tiller').inspect(key)?.globalValue !== undefined;
      if (isSet) await update(key, undefined);
    }
  };

  async function start(name: string, script: ModelScript = () => [says('OK')]): Promise<ModelServer> {
    const imitates = IMITATIONS.find((each) => each.name === name);
    const server = await ModelServer.start(script, { imitates });
    open.push(server);
    return server;
  }

  setup(async () => {
    await forget();
    complain = (message) => assert.fail(message);
    secrets.clear();
    thread = undefined;
    for (const name of Object.keys(environment)) delete environment[name];
    const storage = {
      get: async (name: string) => secrets.get(name),
      store: async (name: string, value: string) => void secrets.set(name, value),
      delete: async (name: string) => void secrets.delete(name),
      keys: async () => [...secrets.keys()],
      onDidChange: () => ({ dispose() {} }),
    } satisfies vscode.SecretStorage;
    keys = new KeyStore(storage, () => {});
    const ports = { ...createNodePorts({ roots: [] }), secrets: keys };
    const real = new HttpModels(ports, 'test');
    listed = undefined;
    models = {
      list: async (...args) => listed ?? real.list(...args),
      of: (provider) => real.of(provider),
      abilities: (...args) => real.abilities(...args),
    };
    commands = new ModelCommands({
      settings,
      used: { note: async () => {}, forget: async () => {} },
      keys,
      http: models,
      languageModels: { list: async () => [] },
      clock: ports.clock,
      environment,
      inUse: () => serverInUse(settings(), thread ?? { model: settings().model ?? '' }, undefined),
      spent: async () => ({
        day: { tokens: 12_400, cost: 0.31, estimated: false },
        month: { tokens: 240_000, cost: 0, estimated: true },
      }),
      threads: { state: null, submit: async () => {} },
    });
  });

  teardown(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
    await forget();
  });

  test('takes two choices from an empty profile to a model of a local server', async () => {
    const { baseUrl } = await start('Ollama');
    await update('providers', { ollama: { baseUrl, wireApi: 'chat', auth: 'none' } });
    const user = new ScriptedUser({ pick: 'qwen3-coder:30b' });
    await commands.select('local').finally(() => user.restore());
    const { provider, model } = settings();
    assert.deepEqual({ provider, model }, { provider: 'ollama', model: 'qwen3-coder:30b' });
    // With the card in the panel, the row and the message there are three interactions.
    assert.match(user.shown.join('\n'), /^Models on This Machine\nqwen3-coder:30b \(32.768 tokens · loaded\)$/);
  });

  test('keeps a server that only the settings baseUrl and wireApi name, when the user chooses another one', async () => {
    const { baseUrl } = await start('Ollama');
    const before = { baseUrl: 'http://localhost:9/v1', wireApi: 'chat' } as const;
    await update('providers', { ollama: { baseUrl, wireApi: 'chat', auth: 'none' } });
    for (const [key, value] of Object.entries({ ...before, model: 'mine' })) await update(key as SettingKey, value);
    const user = new ScriptedUser({ pick: 'qwen3-coder:30b' });
    await commands.select('local').finally(() => user.restore());
    assert.deepEqual([settings().provider, settings().baseUrl, settings().wireApi], ['ollama', null, null]);
    assert.deepEqual(settings().providers['localhost'], before);

    const other = await start('vLLM');
    for (const [key, value] of Object.entries({ ...before, model: 'mine' })) await update(key as SettingKey, value);
    const typed = new ScriptedUser({ type: `${other.baseUrl}/` }, { pick: 'Qwen/Qwen3-Coder' });
    await commands.select('endpoint').finally(() => typed.restore());
    assert.deepEqual(settings().providers['localhost'], before);
    assert.deepEqual(settings().providers['127.0.0.1'], { baseUrl: other.baseUrl, wireApi: 'responses' });
    assert.equal(settings().baseUrl, null);
  });

  test('lets the user replace a wrong key, stores it for the origin and lists the models', async () => {
    const { baseUrl } = await start('OpenAI');
    await update('providers', { mine: { baseUrl, wireApi: 'chat', auth: 'bearer' } });
    await keys.store(new URL(baseUrl).origin, 'sk-wrong');
    const user = new ScriptedUser(
      { pick: 'mine' },
      { pick: 'Enter Another Key' },
      { type: ' sk-test ' },
      { pick: 'gpt-5.5' },
    );
    await commands.select().finally(() => user.restore());
    assert.equal(await keys.keyFor(new URL(baseUrl).origin), 'sk-test');
    assert.deepEqual(settings().model, 'gpt-5.5');
    const words = user.shown.join('\n');
    assert.match(
      words,
      /mine does not list its models: The server did not accept the API key\. \| HTTP 401: Incorrect/,
    );
    assert.doesNotMatch(words, /sk-wrong(?!\.)/);
  });

  test('offers a key of the environment by the name of its variable and never takes it by itself', async () => {
    environment['OPENAI_API_KEY'] = 'sk-environment';
    const refused = new ScriptedUser({ pick: 'OpenAI' }, 'cancel');
    await commands.select().finally(() => refused.restore());
    assert.equal(secrets.size, 0);
    assert.match(refused.shown.join('\n'), /API key for https:\/\/api\.openai\.com/);
    assert.doesNotMatch(refused.shown.join('\n'), /sk-environment/);
    assert.equal(settings().model, null);
  });

  test('knows the address of a service, and keeps it in the settings with its key', async () => {
    listed = { type: 'models', models: [{ id: 'deepseek-chat' }] };
    const user = new ScriptedUser({ pick: 'DeepSeek' }, { type: 'sk-test' }, { pick: 'deepseek-chat' });
    await commands.select().finally(() => user.restore());
    assert.deepEqual(settings().providers, { deepseek: { baseUrl: 'https://api.deepseek.com/v1', wireApi: 'chat' } });
    assert.deepEqual([settings().provider, settings().model], ['deepseek', 'deepseek-chat']);
    assert.equal(await keys.keyFor('https://api.deepseek.com'), 'sk-test');
  });

  test('takes Anthropic by its own API, with its key', async () => {
    listed = { type: 'models', models: [{ id: 'claude-opus-5-5', contextWindow: 1_000_000 }] };
    environment['ANTHROPIC_API_KEY'] = 'sk-environment';
    const user = new ScriptedUser(
      { pick: 'Anthropic' },
      { pick: 'Use the Key in the Environment Variable ANTHROPIC_API_KEY' },
      { pick: 'claude-opus-5-5' },
    );
    await commands.select().finally(() => user.restore());
    assert.deepEqual([settings().provider, settings().model], ['anthropic', 'claude-opus-5-5']);
    assert.equal(await keys.keyFor('https://api.anthropic.com'), 'sk-environment');
  });

  test('takes the ID of a model where the server refuses to list its models alone', async () => {
    const server = http.createServer((request, response) => {
      request.resume();
      if (request.url !== '/v1/chat/completions') return void response.writeHead(401).end('{}');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(recordStream('chat', [says('OK')]));
    });
    const baseUrl = await listening(server);
    await update('providers', { mine: { baseUrl, wireApi: 'chat' } });
    await keys.store(new URL(baseUrl).origin, 'sk-test');
    const user = new ScriptedUser({ pick: 'mine' }, { pick: 'Enter a Model ID' }, { type: 'large' });
    await commands.select().finally(() => user.restore());
    server.close();
    assert.deepEqual([settings().provider, settings().model], ['mine', 'large']);
  });

  test('finds out which API another server has, and keeps the server by its name', async () => {
    const server = await start('vLLM');
    const user = new ScriptedUser({ type: `${server.baseUrl}/` }, { pick: 'Qwen/Qwen3-Coder' });
    await commands.select('endpoint').finally(() => user.restore());
    assert.deepEqual(settings().providers, { '127.0.0.1': { baseUrl: server.baseUrl, wireApi: 'responses' } });
    assert.equal(settings().provider, '127.0.0.1');
    await forget();

    const chat = await ModelServer.start(() => [says('OK')], { wire: 'chat' });
    open.push(chat);
    const typed = new ScriptedUser({ type: chat.baseUrl }, { pick: 'Enter a Model ID' }, { type: 'my-model' });
    await commands.select('endpoint').finally(() => typed.restore());
    assert.deepEqual(settings().providers, { '127.0.0.1': { baseUrl: chat.baseUrl, wireApi: 'chat' } });
    assert.equal(settings().model, 'my-model');
  });

  test('shows the words of a server that speaks neither API', async () => {
    const server = http.createServer((_request, response) => {
      response.writeHead(404, { 'content-type': 'text/html' });
      response.end('<html><title>404 Not Found</title></html>');
    });
    const baseUrl = await listening(server);
    const user = new ScriptedUser({ type: baseUrl }, { pick: 'Enter a Model ID' }, { type: 'x' }, 'cancel');
    await commands.select('endpoint').finally(() => user.restore());
    server.close();
    assert.match(
      user.shown.join('\n'),
      /Could not determine the API of .*There is no model service at this address.*404 Not Found/,
    );
    assert.deepEqual([settings().providers, settings().model], [{}, null]);
  });

  test('asks for the key when a server checks it before the address, and finds out the API then', async () => {
    const server = http.createServer((request, response) => {
      request.resume();
      if (request.headers.authorization !== 'Bearer sk-test') return void response.writeHead(401).end('{}');
      if (request.url !== '/v1/chat/completions') return void response.writeHead(404).end('{}');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(recordStream('chat', [says('OK')]));
    });
    const baseUrl = await listening(server);
    const user = new ScriptedUser(
      { type: baseUrl },
      { type: 'sk-old' },
      { pick: 'Enter Another Key' },
      { type: 'sk-test' },
      { pick: 'Enter a Model ID' },
      { type: 'my-model' },
    );
    await commands.select('endpoint').finally(() => user.restore());
    server.close();
    assert.deepEqual(settings().providers, { '127.0.0.1': { baseUrl, wireApi: 'chat' } });
    assert.equal(settings().model, 'my-model');
  });

  test('takes an address that is typed where a provider is asked for', async () => {
    const server = await start('vLLM');
    const user = new ScriptedUser({ type: ` ${server.baseUrl}/ ` }, { pick: 'Qwen/Qwen3-Coder' });
    await commands.select().finally(() => user.restore());
    assert.deepEqual(settings().providers, { '127.0.0.1': { baseUrl: server.baseUrl, wireApi: 'responses' } });
    assert.match(user.shown.join('\n'), new RegExp(`Use Server ${server.baseUrl} `));
  });

  test('asks another server for its models first, and for a key only when it wants one', async () => {
    let asked = 0;
    const server = http.createServer((request, response) => {
      asked += 1;
      request.resume();
      response.writeHead(request.headers.authorization === 'Bearer sk-1' ? 200 : 401);
      response.end(JSON.stringify({ data: [{ id: 'large' }] }));
    });
    const baseUrl = await listening(server);
    await update('providers', { gateway: { baseUrl, wireApi: 'chat' } });
    const user = new ScriptedUser({ pick: 'gateway' }, { type: 'sk-1' }, { pick: 'large' });
    await commands.select().finally(() => user.restore());
    server.close();
    assert.equal(settings().model, 'large');
    assert.equal(asked, 2);
    assert.match(user.shown.join('\n'), /API key for http:\/\/127/);
  });

  test('writes no API that a server which has stopped cannot have shown', async () => {
    const server = await start('Ollama', () => []);
    const stopping = new ScriptedUser({ type: server.baseUrl }, { pick: 'qwen3-coder:30b' }, 'cancel');
    const show = vscode.window.showQuickPick;
    Object.assign(vscode.window, {
      showQuickPick: async (...rows: Parameters<typeof show>) => {
        const picked = await show(...rows);
        if (open.length > 0) await open.pop()?.close();
        return picked;
      },
    });
    await commands.select('endpoint').finally(() => stopping.restore());
    assert.match(stopping.shown.join('\n'), /Could not determine the API of 127\.0\.0\.1: /);
    assert.deepEqual([settings().providers, settings().model], [{}, null]);
  });

  test('keeps providers that were added while it asked for the API, and those with a mistake', async () => {
    const invalid = { baseUrl: 'no address' };
    await update('providers', { invalid });
    const added = { baseUrl: 'https://added.example/v1', wireApi: 'chat' };
    let isAdded = false;
    const server = await ModelServer.start(
      [
        async () => {
          await update('providers', { invalid, '127.0.0.1': added });
          isAdded = true;
          return [says('OK')];
        },
      ],
      { wire: 'responses' },
    );
    open.push(server);
    const complained: string[] = [];
    complain = (message) => complained.push(message);
    const user = new ScriptedUser({ type: server.baseUrl }, { pick: 'Enter a Model ID' }, { type: 'my-model' });
    await commands.select('endpoint').finally(() => user.restore());
    assert(isAdded);
    assert.match(complained[0] ?? '', /providers\.invalid/);
    assert.deepEqual(vscode.workspace.getConfiguration('tiller').inspect('providers')?.globalValue, {
      invalid,
      '127.0.0.1': added,
      '127.0.0.1-2': { baseUrl: server.baseUrl, wireApi: 'responses' },
    });
  });

  test('shows what the model of the shown thread can do, under its name', async () => {
    await update('providers', {
      mine: { baseUrl: 'https://a.example/v1', models: { small: { contextWindow: 1111 } } },
      other: { baseUrl: 'https://b.example/v1', models: { large: { contextWindow: 2222 } } },
    });
    await update('provider', 'mine');
    await update('model', 'small');
    const ofSettings = new ScriptedUser({ pick: '$(check) Context window' });
    await commands.showAbilities().finally(() => ofSettings.restore());
    assert.match(ofSettings.shown.join('\n'), /^Abilities of small \(mine\) .*\n.*1.?111 tokens/);
    thread = { provider: 'other', model: 'large' };
    const ofThread = new ScriptedUser({ pick: '$(check) Context window' });
    const { executeCommand } = vscode.commands;
    const executed: string[] = [];
    Object.assign(vscode.commands, { executeCommand: async (command: string) => void executed.push(command) });
    await commands.showAbilities().finally(() => {
      ofThread.restore();
      Object.assign(vscode.commands, { executeCommand });
    });
    assert.match(ofThread.shown.join('\n'), /^Abilities of large \(other\) .*\n.*2.?222 tokens/);
    // The settings are where the user can set what the model can do.
    assert.deepEqual(executed, ['tiller.openSettings']);
  });

  test('shows the usage of today and this month, with the caps', async () => {
    await update('caps.dayTokens', 500_000);
    const user = new ScriptedUser({ pick: 'Today' });
    await commands.showUsage().finally(() => user.restore());
    await update('caps.dayTokens', undefined);
    assert.match(user.shown.join('\n'), /Today \(12,400 tokens, cost 0\.31\)/);
  });

  test('tests the connection and names the cure', async () => {
    const server = await start('OpenAI');
    await update('providers', {
      mine: { name: 'Team Gateway', baseUrl: server.baseUrl, wireApi: 'chat', auth: 'bearer' },
    });
    await update('provider', 'mine');
    await update('model', 'gpt-5.5');
    await keys.store(new URL(server.baseUrl).origin, 'k');
    const wrong = new ScriptedUser();
    await commands.testConnection().finally(() => wrong.restore());
    assert.match(wrong.shown.join('\n'), /did not accept the API key[^]*Incorrect API key[^]*Set API Key/);
    await keys.store(new URL(server.baseUrl).origin, 'sk-test');
    const right = new ScriptedUser();
    await commands.testConnection().finally(() => right.restore());
    assert.match(right.shown.join('\n'), /^gpt-5\.5 of Team Gateway answers after [\d.]+ s\.$/);
  });

  test('removes a provider with its key, and nothing of the others', async () => {
    await update('providers', {
      mine: { baseUrl: 'https://a.example/v1', wireApi: 'chat' },
      same: { baseUrl: 'https://b.example/v1', wireApi: 'chat' },
      other: { baseUrl: 'https://b.example/v2', wireApi: 'chat' },
    });
    await update('provider', 'mine');
    await update('model', 'm');
    for (const origin of ['https://a.example', 'https://b.example']) await keys.store(origin, 'sk-1');
    const mine = new ScriptedUser({ pick: 'mine' }, { button: 'Remove' });
    await commands.removeProvider().finally(() => mine.restore());
    assert.deepEqual(Object.keys(settings().providers), ['same', 'other']);
    assert.equal(await keys.keyFor('https://a.example'), undefined);
    assert.deepEqual([settings().provider, settings().model], [DEFAULT_SETTINGS.provider, null]);

    const shared = new ScriptedUser({ pick: 'same' }, { button: 'Remove' });
    await commands.removeProvider().finally(() => shared.restore());
    assert.deepEqual(Object.keys(settings().providers), ['other']);
    assert.equal(await keys.keyFor('https://b.example'), 'sk-1');
  });

  test('removes no key with a provider that one of Tiller’s own uses, but with that one', async () => {
    const origin = 'https://api.openai.com';
    await update('providers', { work: { baseUrl: `${origin}/v1`, queryParams: { team: 'a' } } });
    await keys.store(origin, 'sk-1');
    const work = new ScriptedUser({ pick: 'work' }, { button: 'Remove' });
    await commands.removeProvider().finally(() => work.restore());
    assert.deepEqual(settings().providers, {});
    assert.equal(await keys.keyFor(origin), 'sk-1');
    const own = new ScriptedUser({ pick: 'OpenAI' }, { button: 'Remove' });
    await commands.removeProvider().finally(() => own.restore());
    assert.equal(await keys.keyFor(origin), undefined);
  });
});
