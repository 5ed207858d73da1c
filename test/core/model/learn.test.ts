/** When a server on this machine is asked again about its models. */
import { afterEach, expect, test } from 'vitest';
import { HttpModels } from '../../../src/core/model/httpModels.ts';
import { IMITATED_KEY, IMITATIONS } from '../../support/imitations.ts';
import type { Imitation } from '../../support/imitation.ts';
import { ModelServer } from '../../support/modelServer.ts';
import { testPorts } from './harness.ts';

const MINUTE = 60_000;
const open: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** LM Studio, with its report of one model, which the test replaces. Counts how often it is asked. */
async function lmStudio(model: object) {
  const original = IMITATIONS.find(({ name }) => name === 'LM Studio') as Imitation;
  const reported = { id: original.model, object: 'model', type: 'llm', max_context_length: 262_144, ...model };
  const routes: Record<string, unknown> = {
    ...original.routes,
    '/api/v0/models': { object: 'list', data: [reported] },
  };
  const server = await ModelServer.start([], { imitates: { ...original, routes } });
  open.push(server);
  let asked = 0;
  const ports = testPorts({
    fetch: (...request) => {
      asked += 1;
      return fetch(...request);
    },
  });
  const http = new HttpModels({ ...ports, host: { environment: {} } } as never, '0');
  const provider = { id: 'lmstudio', baseUrl: server.baseUrl, wireApi: 'chat' } as const;
  return {
    learn: () => http.learn(provider, original.model, MINUTE),
    window: () => http.abilities(provider, original.model).family.contextWindow,
    reports: (facts: object) => Object.assign(reported, facts),
    asked: () => asked,
  };
}

test('a model that was not loaded is asked about again, until the server has loaded it', async () => {
  const server = await lmStudio({ state: 'not-loaded' });
  await server.learn();
  expect(server.window()).toBe(262_144);
  server.reports({ state: 'loaded', loaded_context_length: 8192 });
  await server.learn();
  expect(server.window()).toBe(8192);
});

test('a loaded model is asked about once', async () => {
  const server = await lmStudio({ state: 'loaded', loaded_context_length: 8192 });
  await server.learn();
  const asked = server.asked();
  await server.learn();
  expect(server.asked()).toBe(asked);
});

test('OpenRouter is asked once in a window, and not by the command line', async () => {
  const imitates = IMITATIONS.find(({ name }) => name === 'OpenRouter') as Imitation;
  const server = await ModelServer.start([], { imitates });
  open.push(server);
  let asked = 0;
  const baseUrl = 'https://openrouter.ai/api/v1';
  const ports = testPorts({
    fetch: (url, init) => {
      asked += 1;
      return fetch(String(url).replace(baseUrl, server.baseUrl), init);
    },
    secrets: { keyFor: async () => IMITATED_KEY },
  });
  const http = new HttpModels({ ...ports, host: { environment: {} } } as never, '0');
  const provider = { id: 'openrouter', baseUrl, wireApi: 'chat' } as const;
  await http.learn(provider, imitates.model, MINUTE);
  expect(asked).toBe(0);
  await http.learn(provider, imitates.model, MINUTE, { asksRemote: true });
  await http.learn(provider, 'not/listed', MINUTE, { asksRemote: true });
  expect(asked).toBe(1);
  expect(http.abilities(provider, imitates.model).family.contextWindow).toBe(262_144);
});
