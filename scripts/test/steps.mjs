// The steps of `npm test`, with the processor time that each may take. What counts is their sum: both cores of CI are busy
// nearly all the time (docs/decisions/0055-processor-time-of-tests.md).
import path from 'node:path';
import { root } from '../bootstrap.mjs';

const script = (/** @type {string} */ name) => path.join(root, 'scripts', `${name}.mjs`);

/**
 * Each group waits for the one before. In the order in which they start, the longest first. `inBackground`: needs no window, so
 * that it takes what the others leave of the processors (docs/decisions/0075-temporary-files-of-tests-are-in-memory.md). `budget`:
 * seconds of processor time with all that the step starts, VS Code and the browser included: what was measured, plus a tenth.
 * @type {import('./runGroups.mjs').Step[][]}
 */
export const GROUPS = [
  [{ name: 'build', script: script('build'), budget: 5 }],
  [
    { name: 'test:e2e', script: script('testE2e'), suite: 'e2e', budget: 310 },
    { name: 'test:vscode', script: script('testVscode'), suite: 'host', budget: 125 },
    { name: 'test:panel', script: script('testPanel'), suite: 'panel', budget: 90 },
    { name: 'test:vsix', script: script('testVsix'), budget: 24 },
    { name: 'test:node', script: script('testNode'), suite: 'node', budget: 310, inBackground: true },
    { name: 'check', script: script('check'), budget: 42, inBackground: true },
  ],
];
