import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { says } from '../support/modelScript.ts';
import { ModelServer } from '../support/modelServer.ts';
import { runCli } from '../support/runCli.ts';
import { tempFolder } from '../support/tempFolder.ts';

it('exec runs the hooks of a file only when they were approved with `tiller hooks`', async () => {
  const folder = tempFolder();
  const home = tempFolder();
  mkdirSync(folder.at('.claude'));
  const hook = { type: 'command', command: 'echo from a hook' };
  writeFileSync(
    folder.at('.claude/settings.json'),
    JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [hook] }] } }),
  );
  const server = await ModelServer.start([[says('Hello.')], [says('Hello.')]], { wire: 'responses' });
  const options = { cwd: folder.path, home: home.path };
  const exec = async () =>
    runCli(['exec', '--model', 'm', '--base-url', server.baseUrl, '--sandbox', 'danger-full-access', 'hi'], options);
  const first = await exec();
  expect(first.stderr).toContain('One hook is not run until you approve: see tiller hooks list');
  expect(JSON.stringify(server.lastRequest.input)).not.toContain('from a hook');
  const listed = await runCli(['hooks'], options);
  expect(listed.stdout).toMatch(
    /^[0-9a-f]{12} {2}proposed {2}UserPromptSubmit {2}echo from a hook {2}\[.*settings\.json\]\n$/,
  );
  expect(await runCli(['hooks', 'approve', 'ffff'], options)).toMatchObject({ code: 2 });
  expect(await runCli(['hooks', 'approve', listed.stdout.slice(0, 12)], options)).toMatchObject({ code: 0 });
  expect(existsSync(home.at('tiller/hooks.json'))).toBe(true);
  const second = await exec();
  expect(second.stderr).not.toContain('not run until');
  expect(JSON.stringify(server.lastRequest.input)).toContain('from a hook');
  await server.close();
});

it('hooks list shows all that an approval covers, and approve shows what it has approved', async () => {
  const folder = tempFolder();
  const home = tempFolder();
  mkdirSync(folder.at('.claude'));
  const command = 'echo one\nffffffffffff  runs  Stop  harmless';
  const program = { command: 'node', args: ['a b', 'c'], cwd: '../up', env: { NODE_OPTIONS: '--require ./x.js' } };
  const file = folder.at('.claude/settings.json');
  writeFileSync(file, JSON.stringify({ hooks: { Stop: [{ command, shell: 'bash' }, program] } }));
  const options = { cwd: folder.path, home: home.path };
  const { stdout } = await runCli(['hooks'], options);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.replace(/^[0-9a-f]{12} /, 'ID '))).toEqual([
    `ID  proposed  Stop  echo one\\nffffffffffff  runs  Stop  harmless  [${file}]`,
    '    shell: bash',
    `ID  proposed  Stop  node 'a b' c  [${file}]`,
    '    working directory: ../up',
    '    variable: NODE_OPTIONS=--require ./x.js',
  ]);
  const approved = await runCli(['hooks', 'approve', lines[2]?.slice(0, 12) ?? ''], options);
  expect(approved.stdout.trimEnd().split('\n')).toEqual([lines[2]?.replace('proposed', 'runs    '), ...lines.slice(3)]);
});
