/** A key that Tiller holds is in none of its files, whether the user, the model or a command prints it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { AgentService } from '../../src/core/agent/agentService.ts';
import { createNodePorts } from '../../src/node/ports.ts';
import { calls, ModelServer, says } from '../support/modelServer.ts';
import { runCli } from '../support/runCli.ts';
import { tempFolder } from '../support/tempFolder.ts';

const KEY = 'sesame-"open"-5f2c81d0';

function filesWith(text: string, folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text));
}

it('a key that Tiller holds is in no rollout, log, audit, index, trash or export, though the user, the model and a command print it', async () => {
  using folder = tempFolder();
  await using server = await ModelServer.start([
    [says(`Is it ${KEY}?`), calls('exec_command', { cmd: `cat key.txt; echo '${KEY}'; printenv | sort` })],
    [says('Yes.')],
    [says('Again.')],
  ]);
  writeFileSync(folder.at('key.txt'), `the key: ${KEY}\n`);
  const flags = ['--model', 'm', '--base-url', server.baseUrl, '--sandbox', 'danger-full-access'];
  const env = { TILLER_API_KEY: KEY, TILLER_LOG: 'debug' };
  const first = await runCli(['exec', ...flags, `my key is ${KEY}`], { home: folder.path, env });
  expect([first.code, first.stdout]).toEqual([0, 'Yes.\n']);
  await runCli(['exec', ...flags, 'fork', '--last', 'and now?'], { home: folder.path, env });
  expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);

  const home = folder.at('tiller');
  const ports = createNodePorts({ roots: [folder.path], environment: { TILLER_HOME: home, TILLER_API_KEY: KEY } });
  const { catalog } = new AgentService(ports, { version: '0', originator: 'cli' });
  const [thread] = await catalog.list([]);
  const exported = [await catalog.export(thread?.id ?? '', 'json'), await catalog.export(thread?.id ?? '', 'markdown')];
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
  for (const form of [KEY, inJson(KEY), inJson(inJson(KEY))]) {
    expect(filesWith(form, home)).toEqual([]);
    expect(exported.join('')).not.toContain(form);
  }
  expect(exported.join('')).toContain('[hidden]');
  expect(thread?.title).toBe('my key is [hidden]');
});

it('a key is in none of them, either, when it is from the settings, in a header, a parameter or an address; other headers are no secrets', async () => {
  using folder = tempFolder();
  const secrets = { header: 'sesame-header-1', query: 'sesame-query-2', address: 'sesame-address-3' };
  const all = Object.values(secrets).join(' ');
  await using server = await ModelServer.start([
    [says(`Is it ${all}?`), calls('exec_command', { cmd: `echo '${all}' plain-title-4` })],
    [says('Yes.')],
  ]);
  const provider = {
    baseUrl: server.baseUrl,
    wireApi: 'responses',
    headers: { Authorization: `Bearer ${secrets.header}`, 'x-title': 'plain-title-4' },
    queryParams: { api_key: secrets.query },
  };
  const other = { baseUrl: `http://me:${secrets.address}@127.0.0.1:1/v1`, wireApi: 'chat' };
  const config = ['-c', `providers=${JSON.stringify({ p: provider, other })}`, '--provider', 'p'];
  const flags = ['--model', 'm', '--sandbox', 'danger-full-access', ...config];
  const run = await runCli(['exec', ...flags, 'go'], { home: folder.path, env: { TILLER_LOG: 'debug' } });
  expect([run.code, run.stdout]).toEqual([0, 'Yes.\n']);
  expect(server.lastRequest.headers.authorization).toBe(`Bearer ${secrets.header}`);
  for (const secret of Object.values(secrets)) expect(filesWith(secret, folder.at('tiller'))).toEqual([]);
  expect(filesWith('plain-title-4', folder.at('tiller'))).not.toEqual([]);
});
