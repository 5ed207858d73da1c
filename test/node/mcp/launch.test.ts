/** The sandbox of an MCP server where several folders are open. */
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { launchRequest } from '../../../src/node/mcp/launch.ts';
import { createNodePorts } from '../../../src/node/ports.ts';
import { sandboxSupport } from '../../../src/node/sandbox/support.ts';
import { parseMcpServers } from '../../../src/protocol/mcp.ts';
import { noSandbox } from '../../support/sandboxed.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const SECRET = 'abcdefgh12345';

/** Runs a shell script as the program of a server with this entry, and resolves with what it prints. */
async function printedBy(script: string, entry: object, roots: readonly string[], home: string): Promise<string> {
  const ports = createNodePorts({ roots, environment: { ...process.env, TILLER_HOME: home } });
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
  const child = await ports.exec.spawn({ ...request, stdin: 'none' });
  let printed = '';
  child.onOutput(({ bytes }) => (printed += Buffer.from(bytes).toString()));
  await child.exited;
  return printed;
}

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
