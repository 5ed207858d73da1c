import assert from 'node:assert/strict';
import path from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { createExec } from '../../src/node/exec.ts';
import { Starter } from '../../src/node/process/starter.ts';
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
});
