// The suite that runs inside the extension host: its bundle, its workspace, its report.
import { readFileSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { root } from '../bootstrap.mjs';
import { generateSample, writeSample } from '../sample.mjs';
import { countsOf, outcomesFile, readOutcomes, shortened, startOutcomes, writeOutcome } from '../test/outcomes.mjs';
import { seedOfThisRun } from '../test/seed.mjs';
import { leftToRunTime } from '../build.mjs';
import { stageExtension } from './server.mjs';

export const ARTIFACTS = path.join(root, 'artifacts', 'vscode');
const SEED = 1;

/** A plugin for the module that imports all files of test/vscode, in the order in which their tests run. */
const allTests = {
  name: 'all-tests',
  setup(build) {
    build.onResolve({ filter: /^all-tests$/ }, ({ path: name }) => ({ path: name, namespace: 'all-tests' }));
    build.onLoad({ filter: /.*/, namespace: 'all-tests' }, () => {
      const resolveDir = path.join(root, 'test/vscode');
      const names = readdirSync(resolveDir).filter((name) => name.endsWith('.test.ts'));
      return {
        contents: names
          .toSorted()
          .map((name) => `import './${name}';`)
          .join('\n'),
        resolveDir,
      };
    });
  },
};

/**
 * Bundles all tests of test/vscode together, so that the extension host loads `src/` once and not for each of 60 files.
 * VS Code runs `index.js`, which loads `tests.js`.
 */
export async function bundleSuite(outdir = path.join(ARTIFACTS, 'suite')) {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: {
      index: 'test/vscode/index.ts',
      tests: 'all-tests',
      mcpSdk: 'src/node/mcp/mcpSdk.ts',
    },
    outdir,
    bundle: true,
    platform: 'node',
    mainFields: ['module', 'main'],
    format: 'cjs',
    target: 'node20',
    external: ['vscode', 'mocha'],
    sourcemap: 'linked',
    sourcesContent: false,
    define: { TILLER_VERSION: JSON.stringify(version), TILLER_BUILD: JSON.stringify(version) },
    logLevel: 'warning',
    // This module is loaded on first use, as in the product: in the same bundle, its modules would be initialized in
    // another order.
    plugins: [allTests, leftToRunTime('mcpSdk')],
  });
  // Marks the folder as CommonJS, whatever a package.json above it says.
  await writeFile(path.join(outdir, 'package.json'), '{ "type": "commonjs" }\n');
  return path.join(outdir, 'index.js');
}

/**
 * Prepares one run in a new folder inside the repository, where the suite can resolve mocha.
 * @param {string} name  the name of the file of outcomes
 */
export async function prepareRun(name) {
  await mkdir(ARTIFACTS, { recursive: true });
  const folder = await mkdtemp(path.join(ARTIFACTS, 'run-'));
  const workspace = path.join(folder, 'workspace');
  const [tests, extension] = await Promise.all([
    bundleSuite(path.join(folder, 'suite')),
    stageExtension(path.join(folder, 'extension')),
    writeSample(workspace, generateSample(SEED)),
  ]);
  await offerModels(extension);
  const outcomes = outcomesFile(name);
  startOutcomes(outcomes);
  return {
    folder,
    workspace,
    tests,
    extension,
    /** The folders of other extensions that the tests need. */
    others: ['modelProvider', 'toolProvider'].map((name) => path.join(root, 'test', 'fixtures', name)),
    /**
     * Returns the environment for one attempt, or for the tests with these titles. @param {number} [attempt] @param
     * {string[]} [titles]
     */
    env(attempt = 1, titles = []) {
      const grep = titles.length > 0 ? `^(?:${titles.map(escaped).join('|')})$` : (process.env.TILLER_TEST_GREP ?? '');
      return {
        ...seedOfThisRun(),
        ...passedOn('TILLER_SOAK', 'TILLER_TEST_ALL', 'TILLER_ATTACKS'),
        TILLER_TEST_OUTCOMES: outcomes,
        TILLER_TEST_ATTEMPT: String(attempt),
        TILLER_TEST_GREP: grep,
      };
    },
    summary: () => readOutcomes(outcomes),
    /** Records a problem outside of the tests. @param {string} message */
    problem(message) {
      const [title] = message.split('\n');
      writeOutcome(outcomes, { name: `beside the tests: ${title}`, state: 'failed', message, isFinal: true });
      console.error(message);
    },
    /** Prints the counts, and removes the folder of a run without a failure. Resolves with true if all tests passed. */
    async conclude(seconds) {
      const summary = readOutcomes(outcomes);
      const passed = summary.failed === 0 && summary.passed > 0;
      for (const { name, message } of summary.flaky) console.log(`flaky: ${name}\n${shortened(message)}`);
      console.log(`${countsOf(summary)} (${seconds.toFixed(1)} s; ${path.relative(root, outcomes)})`);
      if (passed) await rm(folder, { recursive: true, force: true });
      else console.log(`What there is to look at: ${folder}`);
      return passed;
    },
  };
}

/**
 * Lets the suite offer models to extensions, as the vendor `tiller-test`. @param {string} extension  the extension's
 * folder
 */
async function offerModels(extension) {
  const file = path.join(extension, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  manifest.contributes.languageModelChatProviders = [{ vendor: 'tiller-test', displayName: 'Tiller test' }];
  await writeFile(file, JSON.stringify(manifest, null, 2));
}

/** Returns those of the named environment variables that are set. */
function passedOn(...names) {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleSuite();
