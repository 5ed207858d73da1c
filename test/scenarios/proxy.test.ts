/** `tiller exec` behind a proxy, to a server whose name only the proxy can resolve. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Event, eventSchema } from '../../src/protocol/event.ts';
import { ModelServer, says } from '../support/modelServer.ts';
import { type CliRun, runCli } from '../support/runCli.ts';
import { tempFolder } from '../support/tempFolder.ts';

/** Forwards every request to the model, or refuses it. */
async function behindProxy(refuses: number | undefined, environment: Record<string, string>) {
  using folder = tempFolder();
  await using model = await ModelServer.start([[says('By proxy.')]]);
  const asked: string[] = [];
  const proxy = http.createServer((request, response) => {
    asked.push(request.url ?? '');
    if (refuses !== undefined) return void request.resume().on('end', () => response.writeHead(refuses).end());
    const { pathname } = new URL(request.url ?? '/');
    const { method, headers } = request;
    const onward = http.request(new URL(pathname, model.baseUrl), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const args = ['--json', '--model', 'm', '--base-url', 'http://model.invalid/v1', '-c', 'retry.maxAttempts=1', 'hi'];
  const env = { HTTP_PROXY: `http://127.0.0.1:${port}`, TILLER_API_KEY: 'sk-test', ...environment };
  const run = await runCli(['exec', ...args], { home: folder.path, env });
  proxy.closeAllConnections();
  proxy.close();
  return { run, asked, keys: model.requests.map(({ headers }) => headers.authorization) };
}

function eventsOf({ stdout }: CliRun): readonly Event['msg'][] {
  const lines = stdout.trimEnd().split('\n');
  return lines.map((line) => eventSchema.parse(JSON.parse(line)).msg);
}

describe('tiller exec', () => {
  it('uses the proxy of the environment', async () => {
    const { run, asked, keys } = await behindProxy(undefined, {});
    expect(eventsOf(run)).toContainEqual({ type: 'turn_completed', lastMessage: 'By proxy.' });
    expect(asked).toEqual(['http://model.invalid/v1/responses']);
    expect(keys).toEqual(['Bearer sk-test']);
  });

  it('connects directly where the environment says so', async () => {
    const { run, asked } = await behindProxy(undefined, { no_proxy: '.invalid' });
    expect(eventsOf(run)).toContainEqual(expect.objectContaining({ type: 'error', kind: 'network' }));
    expect(asked).toEqual([]);
  });

  it.each([
    ['that wants a password', 407, {}],
    ['that cannot be one of ours', undefined, { http_proxy: 'socks5://127.0.0.1:1' }],
    ['that is away', undefined, { http_proxy: 'http://127.0.0.1:1' }],
  ] as const)('says so of a proxy %s', async (_case, refuses, environment) => {
    const { run } = await behindProxy(refuses, environment);
    expect(run.code).toBe(1);
    const error = expect.objectContaining({ type: 'error', kind: 'proxy', action: 'check_network' });
    expect(eventsOf(run)).toContainEqual(error);
  });
});
