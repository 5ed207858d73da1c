import assert from 'node:assert/strict';
import path from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { forReading } from '../../src/core/sandbox/confinement.ts';
import { createExec } from '../../src/node/exec.ts';
import { Starter } from '../../src/node/process/starter.ts';
import { noSandbox, Playground } from '../support/sandboxed.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { eventually } from './support/page.ts';

suite('commands of the extension', () => {
  test('are started by the starter and not by the extension host', async function () {
    if (process.platform !== 'linux') return this.skip();
    const extension = vscode.extensions.all.find(({ packageJSON }) => packageJSON.name === 'tiller');
    assert.ok(extension);
    using home = tempFolder();
    const starter = new Starter(home.path, path.join(extension.extensionPath, 'dist', 'starter.js'));
    starter.prepare();
    await eventually(() => starter.ready !== undefined);
    const child = await createExec({ starter }).spawn({
      argv: ['/bin/sh', '-c', 'echo $PPID; tr "\\0" " " < /proc/$PPID/cmdline'],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdin: 'none',
      confinement: { type: 'none' },
    });
    let out = '';
    child.onOutput(({ bytes }) => (out += Buffer.from(bytes).toString()));
    assert.deepEqual(await child.exited, { code: 0, signal: null });
    starter.dispose();
    assert.notEqual(Number.parseInt(out, 10), process.pid);
    assert.match(out, /starter\.js/);
  });

  test('that only read and start together share a sandbox', async function () {
    if (noSandbox !== false) return this.skip();
    const extension = vscode.extensions.all.find(({ packageJSON }) => packageJSON.name === 'tiller');
    assert.ok(extension);
    using place = new Playground();
    const starter = new Starter(place.home, path.join(extension.extensionPath, 'dist', 'starter.js'));
    starter.prepare();
    await eventually(() => starter.ready !== undefined);
    const exec = createExec({ home: place.home, sandboxes: place.sandboxes, starter });
    const confinement = forReading({ type: 'sandbox', limits: place.limits });
    // Their parent is the script that starts them. More than a pipe holds shows that they may wait for their reader.
    const print = async () => {
      const argv = ['/bin/sh', '-c', 'echo $PPID; head -c 1000000 /dev/zero'] as const;
      const child = await exec.spawn(place.request(argv, { confinement, onlyReads: true }));
      let out = '';
      child.onOutput(({ bytes }) => (out += Buffer.from(bytes).toString('latin1')));
      const { code } = await child.exited;
      return { code, parent: Number.parseInt(out, 10), length: out.length };
    };
    const end = { code: 0, parent: 2, length: 1_000_002 };
    assert.deepEqual(await Promise.all([print(), print()]), [end, end]);
    starter.dispose();
  });
});
