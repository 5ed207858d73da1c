/** Built scripts beside cli.js. */
import path from 'node:path';

/** node/afterKill.ts. */
export const AFTER_KILL = path.join(__dirname, 'afterKill.js');
/** node/baseline/worker.ts. */
export const BASELINE_WORKER = path.join(__dirname, 'baselineWorker.js');

export const IMAGE_WORKER = path.join(__dirname, 'imageWorker.js');
