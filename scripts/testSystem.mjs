// `npm run test:system [-- -t TEXT]`: the tests of real programs, sandboxes and floods (scripts/test/systemTests.mjs).
// Arguments go to vitest.
import { ensureInstalled } from './bootstrap.mjs';

ensureInstalled();
const { runVitest } = await import('./test/runVitest.mjs');
const { SYSTEM_TESTS } = await import('./test/systemTests.mjs');
process.env.TILLER_TEST_FILES = SYSTEM_TESTS.join('\n');
process.exit(await runVitest('system', ['--reporter=default', ...process.argv.slice(2)]));
