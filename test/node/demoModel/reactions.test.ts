/** The demo model when something fails. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type DemoModel, startDemoModel } from '../../../src/node/demoModel/server.ts';
import { type DemoCall, DEMO_TOOLS, runDemoJob } from '../../support/demoJob.ts';
import { generateSample, sampleFolder, VARIANTS, writeSample } from '../../support/sample.ts';
import { tempFolder } from '../../support/tempFolder.ts';

const [someVariant = { bug: 'boundary', naming: 'shop', offset: 0 } as const] = VARIANTS.slice(4);

let model: DemoModel;
beforeAll(async () => {
  model = await startDemoModel({ port: 0, paceMs: 0 });
});
afterAll(() => model.close());

const isTestRun = (call: DemoCall) => call.type === 'command' && call.command === 'node --test';
const isPatch = (call: DemoCall) => call.type === 'patch';

describe('when the tests already pass', () => {
  it('reports that and changes nothing', async () => {
    using folder = await sampleFolder({ ...someVariant, variant: 'repaired' });
    const record = await runDemoJob({ baseUrl: model.baseUrl, folder: folder.path });
    assert.match(record.report, /^There is nothing to repair: `node --test` passes, all \d+ tests\./);
    assert.deepEqual(record.patches, []);
  });
});

describe('when the tests cannot run', () => {
  it('reports that the program is missing', async () => {
    using folder = await sampleFolder({ ...someVariant, variant: 'broken_test_runner' });
    const record = await runDemoJob({ baseUrl: model.baseUrl, folder: folder.path });
    assert.match(record.report, /^The tests cannot run.*npm test[\s\S]*not found/);
    assert.deepEqual(record.patches, []);
  });

  it('reports that the test files are broken', async () => {
    using folder = await sampleFolder({ ...someVariant, variant: 'broken_test_file' });
    const record = await runDemoJob({ baseUrl: model.baseUrl, folder: folder.path });
    assert.match(record.report, /^The tests cannot run[\s\S]*SyntaxError/);
    assert.deepEqual(record.patches, []);
  });

  it('reports that there are none', async () => {
    using folder = tempFolder();
    const record = await runDemoJob({ baseUrl: model.baseUrl, folder: folder.path });
    assert.match(record.report, /^I found no `test` script/);
  });
});

describe('when a command is denied', () => {
  it('quotes the denial, suggests a next step, and does not ask twice', async () => {
    using folder = await sampleFolder(someVariant);
    const record = await runDemoJob({
      baseUrl: model.baseUrl,
      folder: folder.path,
      intercept: (call) => (isTestRun(call) ? 'The user said no: not on this machine' : undefined),
    });
    assert.deepEqual(record.commands.filter((command) => command === 'node --test').length, 1);
    assert.match(
      record.report,
      /^`node --test` was not run[\s\S]*> The user said no: not on this machine[\s\S]*approve/,
    );
    assert.deepEqual(record.patches, []);
  });
});

describe('when a command is denied after a patch was applied', () => {
  it('reports that the change is applied and not verified', async () => {
    using folder = await sampleFolder(someVariant);
    const record = await runDemoJob({
      baseUrl: model.baseUrl,
      folder: folder.path,
      intercept: (call, earlier) => (isTestRun(call) && earlier.some(isPatch) ? 'Denied by the user.' : undefined),
    });
    assert.equal(record.patches.length, 1);
    assert.match(record.report, /My change in `src\/[\w.]+:\d+` is still there, unproven\./);
  });
});

describe('in a folder with a space in its name', () => {
  it('repairs the project all the same', async () => {
    using folder = tempFolder();
    await writeSample(folder.at('my work'), generateSample(someVariant));
    const record = await runDemoJob({ baseUrl: model.baseUrl, folder: folder.at('my work') });
    assert.match(record.report, /^\*\*Repaired\.\*\*/);
  });
});

describe('when the patch is denied', () => {
  it('reports that, shows the proposed change, and stops', async () => {
    using folder = await sampleFolder(someVariant);
    const record = await runDemoJob({
      baseUrl: model.baseUrl,
      folder: folder.path,
      intercept: (call) => (isPatch(call) ? 'Patch declined by the user: ask Ann first' : undefined),
    });
    assert.equal(record.patches.length, 1);
    assert.match(record.report, /^The patch was declined[\s\S]*> .*ask Ann first[\s\S]*```diff/);
    assert.equal(
      await readFile(folder.at(folder.sample.seeded.path), 'utf8'),
      folder.sample.files[folder.sample.seeded.path],
    );
  });
});

describe('when a patch does not fit', () => {
  it('reads the file again and tries once more', async () => {
    using folder = await sampleFolder(someVariant);
    const record = await runDemoJob({
      baseUrl: model.baseUrl,
      folder: folder.path,
      intercept: (call, earlier) =>
        isPatch(call) && !earlier.some(isPatch) ? 'Cannot find these lines:\nfoo' : undefined,
    });
    const tail = record.commands.slice(-2);
    assert.deepEqual(tail, [`cat ${folder.sample.seeded.path}`, 'node --test']);
    assert.equal(record.patches.length, 2);
    assert.match(record.report, /^\*\*Repaired\.\*\*/);
  });

  it('finds its line when the file has changed meanwhile', async () => {
    using folder = await sampleFolder(someVariant);
    const file = folder.at(folder.sample.seeded.path);
    const original = await readFile(file, 'utf8');
    const files = {
      moved: original
        .split('\n')
        .flatMap((line) => ['// moved', line])
        .join('\n'),
    };
    const record = await runDemoJob({
      baseUrl: model.baseUrl,
      folder: folder.path,
      before: (call) => (isPatch(call) ? writeFileOnce(file, files) : undefined),
    });
    assert.equal(record.patches.length, 2);
    assert.match(record.report, /^\*\*Repaired\.\*\*/);
  });

  it('reports failure the second time', async () => {
    using folder = await sampleFolder(someVariant);
    const record = await runDemoJob({
      baseUrl: model.baseUrl,
      folder: folder.path,
      intercept: (call) => (isPatch(call) ? 'Cannot find these lines:\nfoo' : undefined),
    });
    assert.equal(record.patches.length, 2);
    assert.match(record.report, /did not fit, and after reading the file again it still does not/);
  });
});

describe('when a guess does not help', () => {
  it('reverts it before the next one, and restores the files after the last guess', async () => {
    using folder = await sampleFolder(someVariant);
    const { files } = folder.sample;
    const failing = (await runDemoJob({ baseUrl: model.baseUrl, folder: folder.path, intercept: deniesPatches }))
      .testRuns[0];
    const record = await runDemoJob({
      baseUrl: model.baseUrl,
      folder: folder.path,
      intercept: (call) => (isTestRun(call) ? failing : undefined),
    });
    assert.match(record.report, /^I could not repair/);
    assert.ok(record.patches.length >= 2 && record.patches.length <= 12);
    const after = await Promise.all(
      Object.keys(files).map(async (name) => [name, await readFile(folder.at(name), 'utf8')]),
    );
    assert.deepEqual(Object.fromEntries(after), files);
  });
});

describe('with other tools', () => {
  it('sends patches as JSON where that is the format, and runs commands by argv', async () => {
    using folder = await sampleFolder(someVariant);
    const tools = ['shell', 'apply_patch'].map((name) => ({ type: 'function', name }) as const);
    const record = await runDemoJob({ baseUrl: model.baseUrl, folder: folder.path, tools });
    assert.match(record.report, /^\*\*Repaired\.\*\*/);
    assert.deepEqual(
      record.calls.filter(({ type }) => type === 'plan'),
      [],
    );
  });

  it('describes its guess where no patch can be sent', async () => {
    using folder = await sampleFolder(someVariant);
    const tools = DEMO_TOOLS.filter(({ name }) => name !== 'apply_patch');
    const record = await runDemoJob({ baseUrl: model.baseUrl, folder: folder.path, tools });
    assert.match(record.report, /^My best guess is `src\/[\s\S]*No tool for patches/);
  });

  it('reports that it can do nothing without commands', async () => {
    using folder = await sampleFolder(someVariant);
    const tools = DEMO_TOOLS.filter(({ name }) => name === 'apply_patch');
    const record = await runDemoJob({ baseUrl: model.baseUrl, folder: folder.path, tools });
    assert.match(record.report, /No command tool is offered/);
  });
});

function deniesPatches(call: DemoCall): string | undefined {
  return isPatch(call) ? 'denied' : undefined;
}

async function writeFileOnce(path: string, files: { moved?: string }): Promise<void> {
  const { moved } = files;
  delete files.moved;
  if (moved !== undefined) await writeFile(path, moved);
}
