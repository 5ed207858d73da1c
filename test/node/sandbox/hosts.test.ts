/** Commands in a real sandbox that may reach some hosts: real programs, and names that only the injected look-up knows. */
import { readdirSync } from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOST_PROXY_PORT } from '../../../src/core/sandbox/proxyVariables.ts';
import { thisProcess } from '../../../src/node/host/processIdentity.ts';
import { hostsOfBubblewrap } from '../../../src/node/sandbox/hostBridge.ts';
import type { SandboxLife } from '../../../src/node/sandbox/sandboxLife.ts';
import { noSandbox, Playground, type SandboxedOptions } from '../../support/sandboxed.ts';
import { tempFolder } from '../../support/tempFolder.ts';

let server: http.Server;
let port: number;
beforeAll(async () => {
  server = http.createServer((request, response) => response.end(`hello from ${request.headers.host}\n`));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** All names lead to this machine, whose port of the server is allowed. */
function playground(allowed: readonly string[], options: SandboxedOptions = {}): Playground {
  return new Playground({
    hosts: { allowed: [...allowed, `127.0.0.1:${port}`], denied: [], once: [] },
    network: { resolve: async () => [{ address: '127.0.0.1', family: 4 }] },
    ...options,
  });
}

describe.skipIf(noSandbox)('a command in the sandbox that may reach a host', () => {
  test('reaches it by curl, and no other one, which is reported', async () => {
    using place = playground([`good.test:${port}`]);
    const story = await place.bash(
      `curl -sS http://good.test:${port}/; curl -sS -o /dev/null -w '%{http_code}\\n' http://bad.test/; curl -sS https://bad.test/`,
    );
    expect(story).toEqual({
      code: 56,
      stdout: `hello from good.test:${port}\n403\n`,
      stderr: expect.stringContaining('403') as string,
      findings: [],
      hosts: { refused: ['bad.test:80', 'bad.test:443'], misleading: [] },
    });
  });

  test('has no other way out: no name, no address, no device but the loopback one', async () => {
    using place = playground([`good.test:${port}`]);
    const script = `cat /proc/net/dev | grep -c :; curl -sS --noproxy '*' http://good.test:${port}/; curl -sS --noproxy '*' http://127.0.0.1:${port}/`;
    const { stdout, stderr } = await place.bash(script);
    expect(stdout).toBe('1\n');
    expect(stderr).toMatch(/resolve[^]*(refused|connect)/i);
  });

  test('keeps its own servers, its arguments, its exit code and its input', async () => {
    using place = playground([]);
    const script = `const server = require('node:net').createServer((it) => it.end('mine'));
      server.listen(0, () => require('node:net').connect(server.address().port, '127.0.0.1').on('data', (it) => {
        console.log(String(it), process.argv[1], require('node:fs').readFileSync(0, 'utf8'));
        process.exit(7);
      }));`;
    const story = await place.run([process.execPath, '-e', script, 'a b'], { stdin: { text: 'typed' } });
    expect({ code: story.code, stdout: story.stdout }).toEqual({ code: 7, stdout: 'mine a b typed\n' });
  });

  test('works in a terminal', async () => {
    using place = playground([`good.test:${port}`]);
    const argv = ['/bin/bash', '-c', `test -t 1 && curl -sS http://good.test:${port}/`] as const;
    const { code, stdout } = await place.run([...argv], { tty: { columns: 80, rows: 24 } });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `hello from good.test:${port}\r\n` });
  });

  test('leaves nothing behind, and its proxy ends with it', async () => {
    using place = playground([`good.test:${port}`]);
    const child = await place.start(['/bin/bash', '-c', 'echo up; sleep 60']);
    await new Promise<void>((resolve) => child.onOutput(() => resolve()));
    const listening = () => net.connect(HOST_PROXY_PORT, '127.0.0.1');
    const outside = await new Promise((resolve) => listening().once('error', resolve).once('connect', resolve));
    expect(outside).toMatchObject({ code: 'ECONNREFUSED' });
    await child.kill(0);
    expect(readdirSync(path.join(place.home, 'box')).filter((name) => name.startsWith('gate-'))).toEqual([]);
  });

  test('that does not exist is not run, and its sandbox ends', async () => {
    using place = playground([`good.test:${port}`]);
    const { code, stdout } = await place.run(['/does/not/exist']);
    expect([code === 0, stdout]).toEqual([false, '']);
  });
});

describe('the way from a sandbox to its hosts', () => {
  const limits = { allowed: ['good.test'], denied: [], once: [] };
  const programs = { nsenter: '/bin/false', mkfifo: '/bin/false' };

  /** A sandbox whose first process is `first`. */
  const lifeOf = (first: SandboxLife['first']): SandboxLife => ({
    descriptor: -1,
    first,
    ended: async () => true,
    gone: async () => {},
    close: () => {},
  });

  test('is not made into the network of this machine, and the command is not run', async () => {
    using folder = tempFolder();
    const hosts = hostsOfBubblewrap(folder.path, lifeOf(thisProcess), limits, programs);
    await expect(hosts.ready(new Promise(() => {}))).rejects.toThrow(
      'The command was not run: its way to the allowed hosts could not be made. bubblewrap has ended.',
    );
    hosts.close();
  });

  test('is not waited for when the sandbox has ended before', async () => {
    using folder = tempFolder();
    const hosts = hostsOfBubblewrap(
      folder.path,
      lifeOf(() => undefined),
      limits,
      programs,
    );
    await hosts.ready(Promise.resolve());
    hosts.close();
    expect(hosts.report()).toEqual({ refused: [], misleading: [] });
  });
});
