/**
 * The demo model repairs every sample without knowledge of it: all bugs in all namings, on real files. One run takes each bug
 * in one naming, which the seed chooses; `npm run test:all` takes all of them.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type DemoModel, startDemoModel } from '../../../src/node/demoModel/server.ts';
import { runDemoJob } from '../../support/demoJob.ts';
import { askByChat, type AskDemo, askByResponses } from '../../support/demoWires.ts';
import { randomOf } from '../../support/random.ts';
import { isFullRun } from '../../support/rounds.ts';
import { type Choices, sampleFolder, VARIANTS } from '../../support/sample.ts';

const BUGS = [...new Set(VARIANTS.map(({ bug }) => bug))];
const NAMINGS = [...new Set(VARIANTS.map(({ naming }) => naming))];
const turn = randomOf('variants').below(NAMINGS.length);
const chosen = VARIANTS.filter(
  ({ bug, naming }) => isFullRun() || (BUGS.indexOf(bug) + NAMINGS.indexOf(naming)) % NAMINGS.length === turn,
);

let model: DemoModel;
beforeAll(async () => {
  model = await startDemoModel({ port: 0, paceMs: 0 });
});
afterAll(() => model.close());

async function repairs(choices: Choices, ask: AskDemo): Promise<void> {
  using folder = await sampleFolder(choices);
  const { seeded } = folder.sample;
  const record = await runDemoJob({ baseUrl: model.baseUrl, folder: folder.path, ask });

  const [before, after] = record.testRuns.length > 1 ? [record.testRuns[0], record.testRuns.at(-1)] : [];
  assert.match(before ?? '', /^(?:# |ℹ )fail [12]$/m);
  assert.match(after ?? '', /^Process exited with code 0$/m);
  assert.match(record.report, /^\*\*Repaired\.\*\*/);
  const repaired = await readFile(folder.at(seeded.path), 'utf8');
  assert.ok(repaired.includes(seeded.right), `${seeded.path} was repaired another way:\n${record.report}`);
}

describe('on Responses', { concurrent: true }, () => {
  test.each(chosen)('repairs $bug in $naming, offset $offset', (choices) => repairs(choices, askByResponses));
});

describe('on Chat', { concurrent: true }, () => {
  test.each(chosen.filter((_, index) => index % 3 === 1))('repairs $bug in $naming, offset $offset', (choices) =>
    repairs(choices, askByChat),
  );
});
