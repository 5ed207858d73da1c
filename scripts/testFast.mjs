// `npm run test:fast [-- FILE…]`: every test that needs no VS Code, or those named. What follows is for vitest.
import { ensureInstalled } from './bootstrap.mjs';

ensureInstalled();
const { runVitest } = await import('./test/runVitest.mjs');
process.exit(await runVitest('fast', ['--reporter=default', ...process.argv.slice(2)]));
