/** The model menu of the panel: models of all providers that are set up, and a choice in mid-thread (issues 17.7, 19.2). */
import assert from 'node:assert/strict';
import { setup, suite, suiteTeardown, teardown, test } from 'mocha';
import type * as vscode from 'vscode';
import { compose } from '../../src/extension/compose.ts';
import type { Tiller } from '../../src/extension/createTiller.ts';
import { providerOf } from '../../src/core/agent/threadSettings.ts';
import { HttpModels } from '../../src/core/model/httpModels.ts';
import { createNodePorts } from '../../src/node/ports.ts';
import type { ModelGroup } from '../../src/protocol/modelMenu.ts';
import { parseSettings, type Settings } from '../../src/protocol/settings.ts';
import type { HostMessage, PanelUpdate } from '../../src/protocol/wire.ts';
import { ModelMenu, type ModelMenuDeps } from '../../src/vscode/models/modelMenu.ts';
import { chooseModel } from '../../src/vscode/models/modelInSettings.ts';
import { UsedModels } from '../../src/vscode/models/usedModels.ts';
import { readSettings } from '../../src/vscode/settings.ts';
import { IMITATIONS } from '../support/imitations.ts';
import { ModelServer, says } from '../support/modelServer.ts';
import type { TempFolder } from '../support/tempFolder.ts';
import { contextOf, eventually, Page } from './support/page.ts';
import { configure, ownHome } from './support/ownHome.ts';

declare const TILLER_VERSION: string;

const WRITTEN = ['model', 'provider', 'providers', 'baseUrl', 'wireApi'] as const;

const forget = () => configure(Object.fromEntries(WRITTEN.map((key) => [key, undefined])));

function settingsWith(values: Record<string, unknown>): Settings {
  const result = parseSettings(values);
  if (result.type !== 'settings') throw new Error(result.message);
  return result.settings;
}

function mementoOf(stored = new Map<string, unknown>()) {
  return {
    get: (key: string) => stored.get(key),
    update: async (key: string, value: unknown) => void stored.set(key, value),
  };
}

suite('the model menu', () => {
  const open: ModelServer[] = [];
  async function start(name: string): Promise<ModelServer> {
    const imitates = IMITATIONS.find((each) => each.name === name);
    const server = await ModelServer.start(() => [says(`I am ${name}.`)], { imitates });
    open.push(server);
    return server;
  }
  teardown(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
  });

  /** A menu on its own, and what it has posted. */
  function menuOf(settings: Settings, more: Partial<ModelMenuDeps> = {}) {
    const posted: PanelUpdate[] = [];
    const keyFor = async () => undefined;
    const ports = { ...createNodePorts({ roots: [] }), secrets: { keyFor } };
    const menu = new ModelMenu({
      settings: () => settings,
      inUse: () => ({ provider: settings.provider, model: settings.model ?? '' }),
      used: { all: [] },
      keys: { keyFor },
      http: new HttpModels(ports, 'test'),
      languageModels: { list: async () => [] },
      post: (message) => void posted.push(message),
      report: (error) => assert.fail(String(error)),
      ...more,
    });
    /** The newest of each provider. */
    const groups = () => {
      const newest = new Map<string, ModelGroup>();
      for (const message of posted) {
        if (message.type === 'models') for (const group of message.groups) newest.set(group.provider, group);
      }
      return newest;
    };
    const isListed = () => [...groups().values()].every(({ listing }) => listing.type !== 'asking');
    return { menu, posted, groups, isListed };
  }

  test('shows what each provider lists, with the models that the settings name, and why one lists none', async () => {
    const { baseUrl } = await start('Ollama');
    const settings = settingsWith({
      provider: 'here',
      model: 'qwen3-coder:30b',
      providers: {
        here: { baseUrl, wireApi: 'chat', auth: 'none', models: { 'my-alias': { contextWindow: 4096 } } },
        gone: { baseUrl: 'http://127.0.0.1:9/v1', wireApi: 'chat', auth: 'none' },
      },
    });
    const used = {
      all: [
        { provider: 'gone', model: 'old' },
        { provider: 'nowhere', model: 'x' },
      ],
    };
    const { menu, groups, isListed, posted } = menuOf(settings, { used });
    menu.open(7);
    await eventually(() => groups().size === 2 && isListed());
    menu.dispose();
    const here = groups().get('here');
    assert.deepEqual(here?.listing, { type: 'listed' });
    const rows = here.models.map(({ id, detail }) => `${id}: ${detail}`);
    assert.equal(rows[0], 'my-alias: ');
    assert.ok(
      rows.some((row) => /^qwen3-coder:30b: 32.768 tokens · loaded$/.test(row)),
      rows.join('\n'),
    );
    const gone = groups().get('gone');
    assert(gone?.listing.type === 'failed');
    assert.match(gone.listing.problem, /ECONNREFUSED/);
    assert.deepEqual(
      gone.models.map(({ id }) => id),
      ['old'],
    );
    assert.ok(posted.every((message) => message.type === 'models' && message.id === 7));
  });

  test('holds a message of bounded size for a server with very many models', async () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({ id: `vendor/model-number-${index}` }));
    const settings = settingsWith({ provider: 'mine', model: 'm', providers: { mine: { baseUrl: 'http://h/v1' } } });
    const http: ModelMenuDeps['http'] = {
      reported: () => [],
      list: async () => ({ type: 'models', models: many }),
    };
    const { menu, groups, isListed, posted } = menuOf(settings, { http });
    menu.open(1);
    await eventually(() => groups().size === 1 && isListed());
    assert.equal(groups().get('mine')?.isCut, true);
    assert.ok(posted.every((message) => JSON.stringify(message).length < 200_000));
  });

  test('names models of other extensions so that two vendors may have the same id', async () => {
    const model = (vendor: string) => ({ id: 'gpt', vendor, name: 'GPT', maxInputTokens: 1000 });
    const languageModels = { list: async () => ['one', 'two'].map(model) as unknown as vscode.LanguageModelChat[] };
    const { menu, groups } = menuOf(settingsWith({}), { languageModels });
    menu.open(1);
    await eventually(() => groups().size === 1);
    assert.deepEqual(
      groups()
        .get('vscode')
        ?.models.map(({ id, label, detail }) => [id, label, detail.split(' ')[0]]),
      [
        ['one/gpt', 'GPT', 'one'],
        ['two/gpt', 'GPT', 'two'],
      ],
    );
  });

  test('says nothing more once it is closed', async () => {
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let isAsked = false;
    const http: ModelMenuDeps['http'] = {
      reported: () => [],
      list: async () => {
        isAsked = true;
        await asked;
        return { type: 'models', models: [] };
      },
    };
    const settings = settingsWith({ provider: 'mine', model: 'm', providers: { mine: { baseUrl: 'http://h/v1' } } });
    const { menu, posted } = menuOf(settings, { http });
    menu.open(1);
    await eventually(() => isAsked);
    const before = posted.length;
    menu.close();
    answer();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(posted.length, before);
  });

  test('remembers models that were used, the last one first, until their provider is removed', async () => {
    const memento = mementoOf();
    const used = new UsedModels(memento);
    await used.note('one', 'a');
    await used.note('two', 'b');
    await used.note('one', 'a');
    assert.deepEqual(new UsedModels(memento).all, [
      { provider: 'one', model: 'a' },
      { provider: 'two', model: 'b' },
    ]);
    await used.forget('one');
    assert.deepEqual(used.all, [{ provider: 'two', model: 'b' }]);
    assert.deepEqual(new UsedModels(mementoOf(new Map([['tiller.usedModels', 'nonsense']]))).all, []);
  });

  suite('keeps, when a model is chosen,', () => {
    teardown(forget);
    const settings = () => readSettings((message) => assert.fail(message));
    const address = 'http://127.0.0.1:9/v1';

    test('the server of the setting baseUrl: for its own models as it is, for others under its host name', async () => {
      await configure({ baseUrl: address, wireApi: 'chat', model: 'a' });
      await chooseModel(settings(), '127.0.0.1', 'b');
      assert.deepEqual([settings().baseUrl, settings().wireApi, settings().model], [address, 'chat', 'b']);
      assert.deepEqual(settings().providers, {});
      await chooseModel(settings(), 'ollama', 'c');
      assert.deepEqual([settings().baseUrl, settings().provider, settings().model], [null, 'ollama', 'c']);
      const { menu, groups } = menuOf(settings());
      menu.open(1);
      await eventually(() => groups().has('127.0.0.1'));
      menu.close();
      await chooseModel(settings(), '127.0.0.1', 'b');
      const { id, baseUrl, wireApi } = providerOf(settings()) ?? assert.fail('no server');
      assert.deepEqual([id, baseUrl, wireApi], ['127.0.0.1', address, 'chat']);
    });

    test('what the settings say of that server already', async () => {
      const headers = { 'X-Team': 'mine' };
      await configure({ providers: { '127.0.0.1': { baseUrl: address, headers } }, baseUrl: address, wireApi: 'chat' });
      await chooseModel(settings(), 'ollama', 'c');
      assert.deepEqual(settings().providers, { '127.0.0.1': { baseUrl: address, wireApi: 'chat', headers } });
    });

    test('the API that the setting wireApi gives a named provider', async () => {
      await configure({ providers: { mine: { baseUrl: address } }, provider: 'mine', wireApi: 'chat', model: 'a' });
      await chooseModel(settings(), 'mine', 'b');
      assert.deepEqual([settings().wireApi, settings().model], ['chat', 'b']);
      await chooseModel(settings(), 'ollama', 'c');
      assert.deepEqual([settings().wireApi, settings().provider, settings().model], [null, 'ollama', 'c']);
      await chooseModel(settings(), 'mine', 'b');
      assert.equal(providerOf(settings())?.wireApi, 'chat');
    });
  });
});

suite('a model that is chosen in the menu', () => {
  let home: TempFolder;
  let tiller: Tiller | undefined;
  const open: ModelServer[] = [];
  setup(() => {
    home = ownHome();
  });
  teardown(async () => {
    await tiller?.dispose();
    tiller = undefined;
    await Promise.all(open.splice(0).map((server) => server.close()));
    home[Symbol.dispose]();
    await forget();
  });
  suiteTeardown(forget);

  test('answers the next message of the thread, also when it is of another provider, and is that of new threads', async () => {
    const first = await ModelServer.start(() => [says('From the first.')]);
    const second = await ModelServer.start(() => [says('From the second.')], { wire: 'chat' });
    open.push(first, second);
    await configure({
      providers: {
        first: { baseUrl: first.baseUrl, wireApi: 'responses', auth: 'none' },
        second: { baseUrl: second.baseUrl, wireApi: 'chat', auth: 'none' },
      },
      provider: 'first',
      model: 'one',
    });
    tiller = await compose(contextOf());
    const page = new Page();
    const settings = () =>
      (page.heard as readonly HostMessage[]).flatMap((one) => (one.type === 'settings' ? [one.settings] : [])).at(-1);
    tiller.view.resolveWebviewView(page.view);
    page.say({ type: 'ready', build: TILLER_VERSION });
    await page.hears('"snapshot"');
    page.say({ type: 'op', op: { type: 'user_turn', input: [{ type: 'text', text: 'Who are you?' }] } });
    await page.hears('turn_completed');
    page.say({ type: 'choose', what: { type: 'mode', mode: 'chat' } });
    // Its chip shows it without another message.
    await eventually(() => settings()?.mode === 'chat');
    page.heard.length = 0;
    page.say({ type: 'choose', what: { type: 'model', provider: 'second', model: 'two' } });
    // Sent at once: the choice holds for it.
    page.say({ type: 'op', op: { type: 'user_turn', input: [{ type: 'text', text: 'And now?' }] } });
    await page.hears('turn_completed');
    assert.deepEqual(
      second.requests.map(({ body }) => body['model']),
      ['two'],
    );
    assert.equal(first.requests.length, 1);
    assert.match(JSON.stringify(second.requests[0]?.body), /From the first\./);
    assert.deepEqual([settings()?.provider, settings()?.model], ['second', 'two']);
    const read = readSettings((message) => assert.fail(message));
    assert.deepEqual([read.provider, read.model], ['second', 'two']);
  });
});
