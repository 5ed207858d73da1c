// Compares the requests that Tiller and the reference send when a thread is compacted between two rounds: the request
// for the summary, and the first request after it.
//   node scripts/oracle/compactionOracle.mjs
// Exit code 0: the same; 1: they differ; 3: the reference is not available here.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { CODEX_VERSION, fetchCodex } from './fetchCodex.mjs';
import { loadTypeScript } from './loadTypeScript.mjs';
import { runCodex, runOurs } from './requestOracle.mjs';

/** A number of tokens above both limits: 90 % of 272,000 tokens, and 90 % of 95 % of them. */
const FULL = 250_000;

/** Runs the comparison. Resolves with the exit code. */
export async function compactionOracle() {
  let bin;
  try {
    bin = fetchCodex();
  } catch (error) {
    console.error(`compaction oracle: skipped, ${error.message}`);
    return 3;
  }
  const place = mkdtempSync(path.join(os.tmpdir(), 'tiller-oracle-'));
  const { ModelServer, calls, says, usage } = await loadTypeScript('test/support/modelServer.ts');
  const answers = [
    [says('I look.'), calls('exec_command', { cmd: 'true' }), usage({ input: FULL, output: 10 })],
    [says('All is well.')],
    [says('Done.')],
  ];
  // Not checked, because the reference is another program and its requests may have unpaired calls.
  const server = await ModelServer.start((_request, index) => answers[index % 3], { checks: false });
  try {
    const work = path.join(place, 'work');
    mkdirSync(path.join(work, '.git'), { recursive: true });
    writeFileSync(path.join(work, 'AGENTS.md'), 'Use tabs.\n');
    await runCodex(bin, { work, home: path.join(place, 'codex'), baseUrl: server.baseUrl });
    const dist = path.join(place, 'dist');
    await runOurs({ work, home: path.join(place, 'tiller'), outdir: dist, baseUrl: server.baseUrl });
    if (server.requests.length !== 6) throw new Error(`${server.requests.length} requests have come instead of six`);
    const facts = server.requests.map(factsOf);
    const [reference, ours] = [facts.slice(0, 3), facts.slice(3)];
    const isSame = isDeepStrictEqual(reference, ours);
    if (!isSame) console.dir({ codex: reference, ours }, { depth: null });
    console.log(`compaction oracle: ${isSame ? 'the same as' : 'not the same as'} codex ${CODEX_VERSION}`);
    return isSame ? 0 : 1;
  } finally {
    await server.close();
    rmSync(place, { recursive: true, force: true });
  }
}

/** Match the summary as Tiller and the reference introduce it, and the request for it. */
const SUMMARY = /^(?:<thread_summary>|Another language model started to solve this problem)[\s\S]*All is well\./;
const REQUEST = /^<summary_request>|CONTEXT CHECKPOINT COMPACTION/;
const CONTEXT = /^<(?:environment_context|permissions)|^# AGENTS\.md instructions/;

/**
 * Returns the facts of a request that the oracle compares: offered tools, parallel calls, and the kinds of the input
 * items after the context that every thread begins with.
 */
function factsOf({ input, toolNames, body }) {
  return {
    offersTools: toolNames.length > 0,
    callsInParallel: toolNames.length > 0 && body.parallel_tool_calls === true,
    input: input.flatMap(kindOf),
  };
}

function kindOf({ type, role, content = [] }) {
  const text = content.map((part) => part.text ?? '').join('');
  if (type !== 'message') return [type];
  if (role === 'developer' || CONTEXT.test(text)) return [];
  if (SUMMARY.test(text)) return [`${role}: the summary`];
  return REQUEST.test(text) ? [`${role}: asks for a summary`] : [`${role}: ${text}`];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await compactionOracle();
