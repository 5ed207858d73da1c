/** Paths of built scripts, which are in the same folder as cli.js. */
import path from 'node:path';

/** The script built from node/afterKill.ts. */
export const AFTER_KILL = path.join(__dirname, 'afterKill.js');
/** The script built from node/baseline/worker.ts. */
export const BASELINE_WORKER = path.join(__dirname, 'baselineWorker.js');

export const IMAGE_WORKER = path.join(__dirname, 'imageWorker.js');
