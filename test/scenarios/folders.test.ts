/** Folders with names that break programs, and folders that are removed. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventSchema } from '../../src/protocol/event.ts';
import { noSandbox } from '../support/sandboxed.ts';
import { calls, ModelServer, says } from '../support/modelServer.ts';
import { runCli } from '../support/runCli.ts';
import { startScenario } from '../support/startScenario.ts';
import { tempFolder } from '../support/tempFolder.ts';

const ODD_NAMES = ['with spaces', 'a\nnew line', '-rf', 'größe 🙂', '$HOME'];
const run = (cmd: string) => calls('exec_command', { cmd });

describe.each(ODD_NAMES)('a folder named %j', (name) => {
  it.skipIf(noSandbox)('is where tiller sandbox runs', async () => {
    using folder = tempFolder();
    mkdirSync(folder.at(name));
    const ran = await runCli(['sandbox', `--cd=${name}`, `--writable=${name}`, '--', 'bash', '-c', 'pwd; echo x > x'], {
      home: folder.path,
    });
    expect(ran).toEqual({ code: 0, stdout: `${folder.at(name)}\n`, stderr: '' });
    expect(readFileSync(folder.at(name, 'x'), 'utf8')).toBe('x\n');
  });

  it('is a folder in which tiller exec works', async () => {
    using folder = tempFolder();
    mkdirSync(folder.at(name));
    const patch = '*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch';
    await using server = await ModelServer.start([
      [calls('apply_patch', { input: patch })],
      [run('pwd; cat new.txt')],
      [says('Done.')],
    ]);
    const model = ['--model', 'm', '--base-url', server.baseUrl];
    const ran = await runCli(['exec', '--json', `--cd=${name}`, ...model, 'go'], { home: folder.path });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const outputs = ran.stdout
      .trimEnd()
      .split('\n')
      .map((line) => eventSchema.parse(JSON.parse(line)).msg)
      .flatMap((msg) => (msg.type === 'item_completed' && msg.item.type === 'command_execution' ? [msg.item] : []));
    expect(outputs).toMatchObject([{ cwd: folder.at(name), output: `${folder.at(name)}\nhello\n`, exitCode: 0 }]);
  });
});

describe('a link to a folder', () => {
  it.skipIf(noSandbox)('is as good as the folder', async () => {
    using folder = tempFolder();
    mkdirSync(folder.at('real'));
    symlinkSync('real', folder.at('link'));
    const ran = await runCli(['sandbox', '--cd', 'link', '--', 'bash', '-c', 'pwd; echo x > x; mkdir .git/x'], {
      home: folder.path,
    });
    expect(ran).toMatchObject({ code: 1, stdout: `${folder.at('real')}\n` });
    expect(existsSync(folder.at('real', 'x'))).toBe(true);
  });
});

describe('a folder that does not exist', () => {
  it.each(['exec', 'sandbox'])('is a usage error of %s', async (command) => {
    using folder = tempFolder();
    const more = command === 'exec' ? ['--demo', 'go'] : ['--', 'true'];
    for (const flag of ['--cd', '--writable']) {
      expect(await runCli([command, flag, 'gone', ...more], { home: folder.path })).toEqual({
        code: 2,
        stdout: '',
        stderr: `tiller: ${flag} gone: there is no such folder\n`,
      });
    }
  });
});

describe.each(['real', undefined] as const)('a working directory that is removed (sandbox: %s)', (box) => {
  const [sandbox, real] =
    box === undefined ? (['danger-full-access', {}] as const) : (['workspace-write', { box }] as const);

  it.skipIf(box === 'real' && noSandbox)(
    'is reported, and the thread continues when the folder exists again',
    async () => {
      let bringBack = () => {};
      await using chat = await startScenario({
        ...real,
        sandbox,
        policy: 'never',
        files: { mark: '' },
        model: [
          [run('echo started; while [ -e mark ]; do sleep 0.05; done; echo x > y; echo ended')],
          [run('echo never')],
          () => {
            bringBack();
            return [run('echo again; ls')];
          },
          [says('Done.')],
        ],
      });
      bringBack = () => mkdirSync(chat.folder.path);
      const ended = chat.send('go');
      expect(await chat.next('item_delta')).toMatchObject({ text: 'started\n' });
      rmSync(chat.folder.path, { recursive: true });
      expect(await ended).toMatchObject({ type: 'turn_completed' });
      const [under, before, after] = chat.outputs();
      expect(under).toMatch(/Process exited with code 0\n.*started\n.*y: No such file or directory\nended\n$/s);
      expect(before).toBe(`The working directory ${chat.folder.path} does not exist. Nothing was run.`);
      expect(after).toMatch(/Process exited with code 0\n.*Output:\nagain\n$/s);
      expect(chat.said('warning')).toEqual([]);
    },
  );
});
