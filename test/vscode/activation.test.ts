import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { say } from './support/say.ts';

const tiller = () => vscode.extensions.getExtension('tiller-dev.tiller');

/** Newer versions of Node report the CPU time of this thread alone; otherwise that of the whole process is used. */
const cpuUsage = () => (process as { threadCpuUsage?: typeof process.cpuUsage }).threadCpuUsage ?? process.cpuUsage;

/** Milliseconds of CPU to load the module of `activate` a second time. */
function bundleCost(extension: vscode.Extension<unknown>): number {
  const load = createRequire(path.join(extension.extensionPath, 'package.json'));
  const bundle = load.resolve('./dist/extension.js');
  delete load.cache[bundle];
  const measure = cpuUsage();
  const before = measure.call(process);
  load(bundle);
  const { user, system } = measure.call(process, before);
  return (user + system) / 1000;
}

suite('activation', () => {
  test('is quick', async () => {
    const extension = tiller();
    assert.ok(extension, 'VS Code does not know tiller-dev.tiller');
    assert.equal(extension.isActive, false, 'something activated it before anybody asked');
    const measure = cpuUsage();
    const started = performance.now();
    const before = measure.call(process);
    await extension.activate();
    const { user, system } = measure.call(process, before);
    // For information only: it depends on the current load of the machine, too.
    const cpu = ((user + system) / 1000).toFixed(1);
    say(`activation took ${cpu} ms CPU, ${(performance.now() - started).toFixed(1)} ms in all (budget: 10 ms CPU)`);
    assert.equal(extension.isActive, true);
    say(
      `of which its own bundle: ${bundleCost(extension).toFixed(1)} ms CPU; the rest is VS Code activating any extension`,
    );
  });

  test('registers every command of package.json', async () => {
    await tiller()?.activate();
    const { commands = [] } = tiller()?.packageJSON.contributes ?? {};
    const known = new Set(await vscode.commands.getCommands(true));
    const missing = commands.map(({ command }: { command: string }) => command).filter((id: string) => !known.has(id));
    assert.deepEqual(missing, []);
  });
});
