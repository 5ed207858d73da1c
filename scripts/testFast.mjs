// `npm run test:fast [-- FILE…]`: the tests that need no VS Code but those of `npm run test:system`, or those named.
// Arguments go to vitest.
import { ensureInstalled } from './bootstrap.mjs';

ensureInstalled();
const { runVitest } = await import('./test/runVitest.mjs');
const { SYSTEM_TESTS } = await import('./test/systemTests.mjs');
const words = process.argv.slice(2);
// `npm run check` runs the architecture test.
const others = ['test/architecture.test.ts', ...SYSTEM_TESTS];
const all = words.length === 0 ? others.map((file) => `--exclude=${file}`) : [];
process.exit(await runVitest('fast', ['--reporter=default', ...all, ...words]));
