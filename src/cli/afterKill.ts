import path from 'node:path';

/** The built script node/sandbox/afterKill.ts, beside cli.js. */
export const AFTER_KILL = path.join(__dirname, 'afterKill.js');
