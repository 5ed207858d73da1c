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
