// `npm run test:oracle`: compares Tiller with the reference, live. Each step resolves to an exit code.
//   node scripts/oracle.mjs [cases] [seed]
import { randomInt } from 'node:crypto';
import { compactionOracle } from './oracle/compactionOracle.mjs';
import { patchOracle } from './oracle/patchOracle.mjs';
import { requestOracle } from './oracle/requestOracle.mjs';

const [cases = '2000', seed = String(randomInt(2 ** 31))] = process.argv.slice(2);

const STEPS = [() => patchOracle(Number(cases), Number(seed)), () => requestOracle(), () => compactionOracle()];

const codes = [];
for (const step of STEPS) codes.push(await step());
// A difference takes precedence over a step that could not run.
process.exitCode = codes.includes(1) ? 1 : Math.max(...codes);
