/** One thread that goes through the servers of all providers, each replaced by another in the middle of the work. */
import { afterEach, expect, it } from 'vitest';
import { HttpModels } from '../../src/core/model/httpModels.ts';
import { createNodePorts } from '../../src/node/ports.ts';
import type { Imitation } from '../support/imitation.ts';
import { IMITATED_KEY, IMITATIONS } from '../support/imitations.ts';
import { calls, ModelServer, type ModelScript, reasons, says, type Wire } from '../support/modelServer.ts';
import { randomOf } from '../support/random.ts';
import { type Scenario, startScenario } from '../support/startScenario.ts';

interface Place {
  readonly id: string;
  readonly imitation: Imitation;
  readonly wire: Wire;
  readonly server: ModelServer;
}

const open: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** Thinks and makes a file, then reports it. */
function worker(id: string): ModelScript {
  return [
    [
      reasons(`Thoughts of ${id}.`, { raw: `raw thoughts of ${id}`, encrypted: `sealed-${id}` }),
      calls('exec_command', { cmd: `echo made by ${id} > ${id}.txt` }),
    ],
    [says(`${id} is done.`)],
  ];
}

async function placeOf(imitation: Imitation, wire: Wire): Promise<Place> {
  const id = `${imitation.name.toLowerCase().replaceAll(/\W+/g, '-')}-${wire}`;
  const server = await ModelServer.start(worker(id), { wire, imitates: imitation });
  open.push(server);
  return { id, imitation, wire, server };
}

/** Calls and outputs pair by their ids in what a server got. */
function callIds({ server }: Place): readonly string[] {
  return server.lastRequest.input.flatMap((item) => {
    if (server.lastRequest.wire === 'responses') return item.type === 'function_call' ? [String(item.call_id)] : [];
    return ((item['tool_calls'] ?? []) as readonly { readonly id: string }[]).map(({ id }) => id);
  });
}

async function work(chat: Scenario, { id, imitation }: Place): Promise<void> {
  chat.submit({ type: 'override_turn_context', provider: id, model: imitation.model });
  expect(await chat.send(`over to ${id}`)).toMatchObject({ lastMessage: `${id} is done.` });
}

it('a thread on a changed server keeps messages, calls and outputs, and sends no reasoning of another server', async () => {
  const pairs = IMITATIONS.flatMap((imitation) => imitation.wires.map((wire) => ({ imitation, wire })));
  const random = randomOf('order of the servers');
  const places: Place[] = [];
  while (pairs.length > 0) {
    const [pair] = pairs.splice(random.below(pairs.length), 1);
    if (pair) places.push(await placeOf(pair.imitation, pair.wire));
  }
  const ports = createNodePorts({ roots: [] });
  const http = new HttpModels({ ...ports, secrets: { ...ports.secrets, keyFor: async () => IMITATED_KEY } }, '0');
  const modelsOf = (id: string) => {
    const place = places.find((each) => each.id === id);
    return place && http.of({ id, baseUrl: place.server.baseUrl, wireApi: place.wire, ...place.imitation.provider });
  };
  await using chat = await startScenario({
    policy: 'never',
    sandbox: 'danger-full-access',
    host: { modelsOf },
    model: worker('first'),
  });
  await chat.send('go');
  for (const [index, place] of places.entries()) {
    await work(chat, place);
    const { text } = place.server.lastRequest;
    const before = ['first', ...places.slice(0, index).map(({ id }) => id)];
    for (const id of before) {
      expect(text, `${place.id} after ${id}`).toContain(`made by ${id} >`);
      expect(text, `${place.id} after ${id}`).toContain(`${id} is done.`);
      expect(text, `${place.id} after ${id}`).not.toMatch(new RegExp(`(?:houghts of|sealed-) ?${id}\\b`));
    }
    expect(new Set(callIds(place)).size).toBe(index + 2);
  }
  const made = Object.fromEntries(
    ['first', ...places.map(({ id }) => id)].map((id) => [`${id}.txt`, `made by ${id}\n`]),
  );
  expect(chat.files()).toEqual(made);
}, 60_000);
