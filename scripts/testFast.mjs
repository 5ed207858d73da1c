// `npm run test:fast [-- FILE…]`: every test that needs no VS Code, or those named. Arguments go to vitest.
import { ensureInstalled } from './bootstrap.mjs';

ensureInstalled();
const { runVitest } = await import('./test/runVitest.mjs');
const words = process.argv.slice(2);
// `npm run check` runs the architecture test.
const all = words.length === 0 ? ['--exclude=test/architecture.test.ts'] : [];
process.exit(await runVitest('fast', ['--reporter=default', ...all, ...words]));
