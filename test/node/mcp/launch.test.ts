/** The sandbox of an MCP server: its hosts, and its files where several folders are open. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { launchRequest, sandboxHint } from '../../../src/node/mcp/launch.ts';
import { StdioTransport } from '../../../src/node/mcp/stdioTransport.ts';
import { createNodePorts } from '../../../src/node/ports.ts';
import { sandboxSupport } from '../../../src/node/sandbox/support.ts';
import { parseMcpServers } from '../../../src/protocol/mcp.ts';
import { noSandbox } from '../../support/sandboxed.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const SECRET = 'abcdefgh12345';

/** Every name leads to this machine. */
const resolve = async () => [{ address: '127.0.0.1', family: 4 }];

/** The ports, and the request that starts a shell script as the program of a server with this entry. */
function launchOf(script: string, entry: object, roots: readonly string[], home: string) {
  const ports = createNodePorts({ roots, resolve, environment: { ...process.env, TILLER_HOME: home } });
  const { servers, problems } = parseMcpServers({ notes: { command: '/bin/sh', args: ['-c', script], ...entry } });
  const server = servers.get('notes');
  if (server === undefined || !('command' in server)) throw new Error(problems[0]?.problem);
  const { host, keys, storage } = ports;
  const request = launchRequest('notes', server, {
    host,
    keys,
    home: storage.home,
    support: sandboxSupport,
    roots: () => roots,
    unreadable: () => [],
    isInSandbox: () => false,
  });
  return { ports, request };
}

/** Runs it, and resolves with what it prints. */
async function printedBy(...args: Parameters<typeof launchOf>): Promise<string> {
  const { ports, request } = launchOf(...args);
  const child = await ports.exec.spawn({ ...request, stdin: 'none' });
  let printed = '';
  child.onOutput(({ bytes }) => (printed += Buffer.from(bytes).toString()));
  await child.exited;
  return printed;
}

describe.skipIf(noSandbox)('a server with allowed hosts', () => {
  test('reaches these alone, and its log names those that it was refused', async () => {
    using place = tempFolder();
    const server = http.createServer((_request, response) => response.end('hello\n'));
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const script = `curl -sS http://good.test:${port}/; curl -sS -o /dev/null http://bad.test/; true`;
    const entry = { cwd: place.path, sandbox: { allowedHosts: [`good.test:${port}`, `127.0.0.1:${port}`] } };
    const { ports, request } = launchOf(script, entry, [place.path], place.at('home'));
    const logged: string[] = [];
    const transport = new StdioTransport({
      exec: ports.exec,
      request,
      log: (line) => logged.push(line),
      clock: ports.clock,
    });
    await transport.start();
    await expect
      .poll(() => logged)
      .toEqual([
        'Not a message of the protocol: hello',
        'The sandbox refused these hosts, which are not allowed: bad.test:80.',
      ]);
    server.closeAllConnections();
    server.close();
  });

  test('is not asked about again because others may have hosts, and is named with them', () => {
    const server = (sandbox: object) => parseMcpServers({ notes: { command: 'a', sandbox } });
    expect(server({}).servers.get('notes')).toMatchObject({ sandbox: { writableRoots: [], network: false } });
    expect(server({}).servers.get('notes')).not.toHaveProperty('sandbox.allowedHosts');
    expect(server({ allowedHosts: ['https://a.org'] }).problems[0]?.problem).toContain('must be a host such as');
    const notes = server({ allowedHosts: ['a.org', '*.b.org'] }).servers.get('notes');
    if (notes === undefined || !('command' in notes)) throw new Error('no program');
    expect(sandboxHint(notes, { isInSandbox: () => false })).toContain('and reaches only a.org, *.b.org');
  });
});

describe.skipIf(noSandbox)('a server that runs in one of several open folders', () => {
  test.each(['no writable folder', 'its folder writable', 'all folders writable'])(
    'reads and changes no file with secrets of the others: %s',
    async (what) => {
      using place = tempFolder();
      for (const name of ['home', 'own', 'other/deep']) mkdirSync(place.at(name), { recursive: true });
      const files = ['own/.env', 'other/.env', 'other/deep/.env.local', 'other/key.pem'];
      for (const name of files) writeFileSync(place.at(name), `API_KEY=${SECRET}\n`);
      writeFileSync(place.at('other/a.txt'), 'one\n');
      symlinkSync('../other/.env', place.at('own/link.txt'));
      linkSync(place.at('other/.env'), place.at('other/hard.txt'));
      linkSync(place.at('other/.env'), place.at('own/hard.txt'));
      const [own, other] = [place.at('own'), place.at('other')];
      const writableRoots = what === 'no writable folder' ? [] : what === 'its folder writable' ? [own] : [own, other];
      const script = [
        `cat ${other}/a.txt`,
        'cat .env link.txt hard.txt ../other/.env ../other/deep/.env.local ../other/key.pem ../other/hard.txt',
        `cat ${other}/.env /proc/self/root${other}/.env`,
        `grep -rh API_KEY ${own} ${other}`,
        `echo changed >> ${other}/.env; mv ${other}/.env ${own}/moved; ln ${other}/.env ${own}/linked; rm -f ${other}/.env`,
        `cat ${own}/moved ${own}/linked`,
      ];
      const entry = { cwd: own, sandbox: { writableRoots } };
      const printed = await printedBy(script.join('\n'), entry, [own, other], place.at('home'));
      expect(printed.match(/^one$/m)?.[0]).toBe('one');
      expect(printed).not.toContain(SECRET);
      expect(printed).toContain('Permission denied');
      for (const name of files) expect(readFileSync(place.at(name), 'utf8')).toBe(`API_KEY=${SECRET}\n`);
    },
  );
});
