// `npm run test:panel [-- -t TEXT]`: the panel in a browser, without VS Code. Arguments go to vitest.
import { ensureInstalled } from './bootstrap.mjs';

ensureInstalled();
const { runVitest } = await import('./test/runVitest.mjs');
const words = ['--config', 'test/panel/vitest.config.mjs', '--reporter=verbose', ...process.argv.slice(2)];
process.exit(await runVitest('panel', words));
