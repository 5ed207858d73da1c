// `npm run test:fast [-- FILE…]`: every test that needs no VS Code, or those named. What follows is for vitest.
import { ensureInstalled } from './bootstrap.mjs';

ensureInstalled();
const { runVitest } = await import('./test/runVitest.mjs');
const words = process.argv.slice(2);
// `npm run check` holds the architecture.
const all = words.length === 0 ? ['--exclude=test/architecture.test.ts'] : [];
process.exit(await runVitest('fast', ['--reporter=default', ...all, ...words]));
