// `npm run bench [-- row…] [--quick] [--disturbed]`: builds Tiller and compares it with two peers on this machine. Absolute times
// are only valid on this machine; the ratios are comparable. Writes artifacts/bench.json; a whole run that has measured every row
// also writes the table and the plots of docs/benchmarks.md. A run that other programs disturb is made again, and after three
// attempts the benchmark ends without figures; --disturbed takes it nevertheless.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureInstalled, root } from './bootstrap.mjs';

ensureInstalled();
const { runBelowReaper } = await import('../test/bench/reaper.mjs');
await runBelowReaper();
const { build } = await import('./build.mjs');
await build();
const { AGENTS } = await import('../test/bench/agents.mjs');
const { disturbanceIn, watchMachine } = await import('../test/bench/disturbance.mjs');
const { describeMachine, machineLine } = await import('../test/bench/machine.mjs');
const { plotsOf, tableOf, withTable } = await import('../test/bench/report.mjs');
const { JOBS, PLOTTED, ROWS } = await import('../test/bench/rows.mjs');
const { runAgent, startServer } = await import('../test/bench/run.mjs');

const ATTEMPTS = 3;
/** Milliseconds to wait before a disturbed run is repeated. */
const PAUSE_MS = 5_000;
/** Milliseconds during which the load of the machine is measured before the first run. */
const LOOK_MS = 2_000;

const FLAGS = ['--quick', '--disturbed'];
const words = process.argv.slice(2);
const quick = words.includes('--quick');
const mayBeDisturbed = words.includes('--disturbed');
const wanted = words.filter((word) => !FLAGS.includes(word));
const unknown = wanted.filter((word) => !ROWS.some(({ name }) => name === word));
if (unknown.length > 0) {
  console.error(
    `No row ${unknown.join(', ')}. Rows: ${ROWS.map(({ name }) => name).join(', ')}; and ${FLAGS.join(', ')}.`,
  );
  process.exit(2);
}
const isWhole = wanted.length === 0;
const rows = ROWS.filter(({ name }) => isWhole || wanted.includes(name));

const present = [];
const missing = {};
for (const agent of AGENTS) {
  try {
    present.push({ agent, program: agent.prepare(), runs: {} });
  } catch (error) {
    missing[agent.name] = error.message;
  }
}

const machine = describeMachine();
console.error(`${machineLine(machine)}.`);
const server = await startServer();
const disturbed = [];
const first = watchMachine();
await sleep(LOOK_MS);
refuseIfDisturbed('before the first run', disturbanceIn(first.end()));
for (const job of new Set([...rows.flatMap(({ jobs }) => jobs), ...(isWhole ? PLOTTED : [])])) await measure(job);
server.close();

const results = rows.map(toResult);
print();
const runs = Object.fromEntries(present.map(({ agent, runs: own }) => [agent.name, own]));
const plots = plotsOf(runs);
write(
  path.join('artifacts', 'bench.json'),
  `${JSON.stringify({ machine, quick, disturbed, missing, rows: results, runs }, null, 1)}\n`,
);
for (const [name, svg] of Object.entries(plots)) write(path.join('artifacts', 'bench', `${name}.svg`), svg);
const isComplete = results.every(({ verdict }) => verdict !== 'not measured');
if (isWhole && isComplete && !quick && disturbed.length === 0) {
  const page = path.join(root, 'docs', 'benchmarks.md');
  write('docs/benchmarks.md', withTable(readFileSync(page, 'utf8'), tableOf(results, machineLine(machine))));
  for (const [name, svg] of Object.entries(plots)) write(path.join('docs', 'benchmarks', `${name}.svg`), svg);
}
process.exitCode = results.some(({ verdict }) => verdict === 'OVER' || verdict === 'not measured') ? 1 : 0;

/** Measures a job. The agents take turns, so that background load affects all of them alike. */
async function measure(name) {
  const job = { ...JOBS[name], ...(quick ? JOBS[name].quick : {}) };
  for (let i = 0; i < job.repeat; i++) {
    for (const { agent, program, runs: own } of present) {
      if ((job.only ?? agent.name) !== agent.name || job.not === agent.name) continue;
      const title = `${name} ${i + 1}/${job.repeat}: ${agent.name}`;
      process.stderr.write(`${title} … `);
      try {
        const settings = { deltas: 0, quiet: false, ...job };
        const run = await undisturbed(
          title,
          () => job.measure?.(agent, program) ?? runAgent(agent, program, server, settings),
        );
        (own[name] ??= []).push(run);
        process.stderr.write(`${(run.wallMs / 1000).toFixed(1)} s\n`);
      } catch (error) {
        missing[agent.name] ??= `${name}: ${error.message.replace(/\s+/g, ' ').slice(0, 300)}`;
        process.stderr.write('failed\n');
      }
    }
  }
  await job.close?.();
}

async function undisturbed(title, act) {
  for (let attempt = 1; ; attempt++) {
    const watch = watchMachine();
    const run = await act();
    const why = disturbanceIn(watch.end());
    if (why === undefined) return run;
    if (attempt === ATTEMPTS || mayBeDisturbed) {
      refuseIfDisturbed(title, why);
      return run;
    }
    process.stderr.write(`disturbed: ${why}; again … `);
    await sleep(PAUSE_MS);
  }
}

function refuseIfDisturbed(title, why) {
  if (why === undefined) return;
  disturbed.push(`${title}: ${why}`);
  if (mayBeDisturbed) return;
  console.error(`\nThe machine is not quiet (${title}: ${why}): no figures. --disturbed measures nevertheless.`);
  process.exit(3);
}

function toResult(row) {
  const values = {};
  for (const { agent, runs: own } of present) {
    if (row.jobs.every((job) => own[job]?.length > 0)) values[agent.name] = row.value(own);
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
  console.log(`\n${machineLine(machine)}.`);
  if (disturbed.length > 0) console.log(`Disturbed: do not quote these figures. ${disturbed.slice(0, 5).join('; ')}`);
  if (quick) console.log('--quick: fewer and shorter runs; do not quote these figures.');
}

function write(name, text) {
  const file = path.join(root, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`Written to ${name}.`);
}
