// Compares our first Responses request with the reference's, field by field, against the same local server.
//   node scripts/oracle/requestOracle.mjs
// Exit code 0: exactly the differences of intendedDifferences.mjs; 1: others; 3: the reference is not available here.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { buildCli } from '../build.mjs';
import { factsOf } from './requestFacts.mjs';
import { CODEX_VERSION, fetchCodex } from './fetchCodex.mjs';
import { INTENDED } from './intendedDifferences.mjs';
import { loadTypeScript } from './loadTypeScript.mjs';

const MODEL = 'gpt-5.5';
const PROMPT = 'do the thing';

/** Runs the comparison. Resolves with the exit code. */
export async function requestOracle() {
  let bin;
  try {
    bin = fetchCodex();
  } catch (error) {
    console.error(`request oracle: skipped, ${error.message}`);
    return 3;
  }
  const place = mkdtempSync(path.join(os.tmpdir(), 'tiller-oracle-'));
  const { ModelServer, says } = await loadTypeScript('test/support/modelServer.ts');
  const server = await ModelServer.start(() => [says('Done.')]);
  try {
    const work = path.join(place, 'work');
    mkdirSync(path.join(work, '.git'), { recursive: true });
    writeFileSync(path.join(work, 'AGENTS.md'), 'Use tabs.\n');
    await runCodex(bin, { work, home: path.join(place, 'codex'), baseUrl: server.baseUrl });
    await runOurs({
      work,
      home: path.join(place, 'tiller'),
      outdir: path.join(place, 'dist'),
      baseUrl: server.baseUrl,
    });
    const [reference, ours] = server.requests.map(({ body }) => factsOf(body));
    if (!ours) throw new Error(`${server.requests.length} requests have come instead of two`);
    return compare(reference, ours);
  } finally {
    await server.close();
    rmSync(place, { recursive: true, force: true });
  }
}

/** Runs one task with the reference, with this server as its model. */
export function runCodex(bin, { work, home, baseUrl }) {
  mkdirSync(home);
  const provider = `{name="oracle",base_url="${baseUrl}",wire_api="responses"}`;
  const settings = ['-c', 'model_provider=oracle', '-c', `model_providers.oracle=${provider}`];
  const args = ['exec', '--skip-git-repo-check', '-s', 'workspace-write', ...settings, '-m', MODEL, PROMPT];
  return run(path.join(bin, 'codex'), args, work, { CODEX_HOME: home });
}

/** Runs the same task with Tiller. */
export async function runOurs({ work, home, outdir, baseUrl }) {
  await buildCli({ outdir });
  const provider = JSON.stringify({ baseUrl, dialect: 'openai' });
  const settings = ['-c', 'provider=oracle', '-c', `providers.oracle=${provider}`];
  const args = [path.join(outdir, 'cli.js'), 'exec', '--cd', work, ...settings, '--model', MODEL, PROMPT];
  await run(process.execPath, args, work, { TILLER_HOME: home });
}

function run(program, args, cwd, environment) {
  return new Promise((resolve, reject) => {
    const own = { PATH: process.env.PATH, HOME: os.homedir(), SHELL: '/bin/bash' };
    const env = { ...own, ...environment };
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'], timeout: 60_000 });
    let words = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      words += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${path.basename(program)} ended with ${code}: ${words.slice(-500)}`));
    });
  });
}

function compare(reference, ours) {
  // A tool that only one side offers is reported by the list of names.
  const shared = reference['tools: order'].filter((tool) => ours['tools: order'].includes(tool));
  const isComparable = (name) => {
    const tool = /^tools: (\w+)(?:,|$)/.exec(name)?.[1];
    return tool === undefined || tool === 'order' || shared.includes(tool);
  };
  const names = [...new Set([...Object.keys(reference), ...Object.keys(ours)])].filter(isComparable).toSorted();
  const differing = names.filter((name) => !isDeepStrictEqual(reference[name], ours[name]));
  const surprises = differing.filter((name) => {
    const intended = INTENDED[name];
    return !intended || !isDeepStrictEqual([intended.codex, intended.ours], [reference[name], ours[name]]);
  });
  const stale = Object.keys(INTENDED).filter((name) => !differing.includes(name));
  for (const name of surprises) console.dir({ [name]: { codex: reference[name], ours: ours[name] } }, { depth: null });
  for (const name of stale) console.log(`${name}: the intended difference is there no more`);
  console.log(
    `request oracle: ${names.length} facts against codex ${CODEX_VERSION} -m ${MODEL}: ` +
      `${names.length - differing.length} the same, ${differing.length - surprises.length} intended differences, ` +
      `${surprises.length} others, ${stale.length} out of date`,
  );
  return surprises.length + stale.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await requestOracle();
