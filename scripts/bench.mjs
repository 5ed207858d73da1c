// `npm run bench [-- row…] [--quick]`: compares Tiller with two peers on this machine. Absolute times are only valid on
// this machine; the ratios are comparable. Writes artifacts/bench.json.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import path from 'node:path';
import { ensureInstalled, root } from './bootstrap.mjs';

ensureInstalled();
const { AGENTS } = await import('../test/bench/agents.mjs');
const { JOBS, ROWS } = await import('../test/bench/rows.mjs');
const { runAgent, startServer } = await import('../test/bench/run.mjs');

const words = process.argv.slice(2);
const quick = words.includes('--quick');
const wanted = words.filter((word) => word !== '--quick');
const unknown = wanted.filter((word) => !ROWS.some(({ name }) => name === word));
if (unknown.length > 0) {
  console.error(`No row ${unknown.join(', ')}. Rows: ${ROWS.map(({ name }) => name).join(', ')}; and --quick.`);
  process.exit(2);
}
const rows = ROWS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));

const present = [];
const missing = {};
for (const agent of AGENTS) {
  try {
    present.push({ agent, program: agent.prepare(), runs: {} });
  } catch (error) {
    missing[agent.name] = error.message;
  }
}

const load = loadavg()[0];
const server = await startServer();
for (const job of new Set(rows.flatMap(({ jobs }) => jobs))) await measure(job);
server.close();

const results = rows.map(toResult);
print();
mkdirSync(path.join(root, 'artifacts'), { recursive: true });
const machine = { cpus: cpus().length, node: process.version, loadBefore: load };
const file = path.join(root, 'artifacts', 'bench.json');
writeFileSync(file, `${JSON.stringify({ machine, quick, missing, rows: results }, null, 2)}\n`);
console.log(`\nWritten to ${path.relative(root, file)}.`);
process.exitCode = results.some(({ verdict }) => verdict === 'OVER' || verdict === 'not measured') ? 1 : 0;

/** The agents run in turn, so that background load affects all of them alike. */
async function measure(name) {
  const job = { ...JOBS[name], ...(quick ? JOBS[name].quick : {}) };
  for (let i = 0; i < job.repeat; i++) {
    for (const { agent, program, runs } of present) {
      if ((job.only ?? agent.name) !== agent.name || job.not === agent.name) continue;
      process.stderr.write(`${name} ${i + 1}/${job.repeat}: ${agent.name} … `);
      try {
        const settings = { deltas: 0, quiet: false, ...job };
        const run = await (job.measure?.(agent, program) ?? runAgent(agent, program, server, settings));
        (runs[name] ??= []).push(run);
        process.stderr.write(`${(run.wallMs / 1000).toFixed(1)} s\n`);
      } catch (error) {
        missing[agent.name] ??= `${name}: ${error.message.replace(/\s+/g, ' ').slice(0, 300)}`;
        process.stderr.write('failed\n');
      }
    }
  }
}

function toResult(row) {
  const values = {};
  for (const { agent, runs } of present) {
    if (row.jobs.every((job) => runs[job]?.length > 0)) values[agent.name] = row.value(runs);
  }
  const limit = row.limit(values) ?? null;
  const ours = values.tiller;
  const verdict = ours === undefined ? 'not measured' : limit === null ? 'no peer' : ours <= limit ? 'within' : 'OVER';
  return { name: row.name, title: row.title, values, budget: row.budget, limit, verdict };
}

function print() {
  const figure = (value) => value.toFixed(value >= 100 || Number.isInteger(value) ? 0 : 1);
  const cell = (value) => (value === undefined ? '–' : figure(value)).padStart(9);
  const ratio = (ours, peer) => (ours > 0 && peer > 0 ? `${(ours / peer).toFixed(2)}×` : '–').padStart(9);
  const title = (text) => text.padEnd(68);
  console.log(`\n${title('')}   tiller    codex       pi   /codex      /pi   budget`);
  for (const { title: text, values, budget, verdict } of results) {
    const { tiller, codex, pi } = values;
    const figures = [tiller, codex, pi].map(cell).join('') + ratio(tiller, codex) + ratio(tiller, pi);
    console.log(`${title(text)}${figures}   ${budget}: ${verdict}`);
  }
  for (const [name, why] of Object.entries(missing)) console.log(`${name}: ${why}`);
  console.log(`\n${cpus().length} cores, load ${load.toFixed(1)} before the run${load > 1 ? ' (noisy)' : ''}.`);
  if (quick) console.log('--quick: fewer and shorter runs; do not quote these figures.');
}
