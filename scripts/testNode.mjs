// `npm run test:node [-- -t TEXT]`: the tests of `npm run test:fast` and of `npm run test:system` in one run, which loads what
// both need once. Arguments go to vitest.
import { ensureInstalled } from './bootstrap.mjs';

ensureInstalled();
const { runVitest } = await import('./test/runVitest.mjs');
// `npm run check` runs the architecture test.
const words = ['--reporter=default', '--exclude=test/architecture.test.ts', ...process.argv.slice(2)];
process.exit(await runVitest('node', words));
