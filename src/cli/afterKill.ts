import path from 'node:path';

/** The built script node/afterKill.ts, beside cli.js. */
export const AFTER_KILL = path.join(__dirname, 'afterKill.js');
