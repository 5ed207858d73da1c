// The results of a whole run in the documentation: the table of docs/benchmarks.md and the plots beside it.
import { plot } from './plot.mjs';

const BEGIN = '<!-- table: written by npm run bench -->';
const END = '<!-- end of the table -->';

/** The rows as Markdown. A ratio below 1 is in favour of Tiller. */
export function tableOf(rows, machine) {
  const cell = (value) => (value === undefined ? '–' : figure(value));
  const ratio = (ours, peer) => (ours > 0 && peer > 0 ? `${(ours / peer).toFixed(2)} ×` : '–');
  const lines = rows.map(({ title, values: { tiller, codex, pi }, budget, verdict }) =>
    [title, cell(tiller), cell(codex), cell(pi), ratio(tiller, codex), ratio(tiller, pi), budget, verdict].join(' | '),
  );
  const head = ['what', 'Tiller', 'Codex', 'pi', 'of Codex', 'of pi', 'budget', ''];
  return [
    `${machine}.`,
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map((_, column) => (column > 0 && column < 6 ? '---:' : '---')).join('|')}|`,
    ...lines.map((line) => `| ${line.replaceAll('`', "'")} |`),
  ].join('\n');
}

/** The page with another table. @throws Error when the page has no place for one */
export function withTable(page, table) {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error('docs/benchmarks.md has no place for the table.');
  return `${page.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${page.slice(end)}`;
}

/** { name: SVG } of what was measured. `runs`: by agent, then by job. */
export function plotsOf(runs) {
  const agents = Object.keys(runs);
  const byAgent = (points) =>
    agents.map((name) => ({ name, points: points(runs[name], name) })).filter((line) => line.points.length > 1);
  const long = (value) => byAgent(({ long: [run] = [] }) => (run === undefined ? [] : pieces(run).map(value)));
  const sizes = (job, value) => (own) =>
    Object.entries(own)
      .flatMap(([name, list]) =>
        name.startsWith(job) ? [[Number(name.slice(job.length)), median(list.map(value))]] : [],
      )
      .toSorted(([one], [other]) => one - other);
  const all = {
    turns: { title: 'Overhead of a turn', x: 'turn', y: 'ms', series: long(({ turn, ms }) => [turn, ms]) },
    history: {
      title: 'Overhead of a turn',
      x: 'size of the request, KB',
      y: 'ms',
      series: long(({ kb, ms }) => [kb, ms]),
    },
    workspace: {
      ...{ title: 'A look at unchanged files', x: 'files', y: 'ms of processor time', logX: true },
      series: byAgent(sizes('looks', ({ cpuMs }) => cpuMs)),
    },
    patch: {
      ...{ title: 'A patch of many files', x: 'files', y: 'ms', logX: true },
      series: byAgent(sizes('files', ({ wallMs }) => wallMs)),
    },
    thread: {
      ...{ title: 'Reading a thread', x: 'turns', y: 'ms', logX: true },
      series: byAgent(sizes('thread', ({ wallMs }) => wallMs)),
    },
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, given]) => {
      const svg = plot(given);
      return svg === undefined ? [] : [[name, svg]];
    }),
  );
}

/** The long job in twenty pieces. */
function pieces({ perTurnMs, requestBytes }) {
  const size = Math.max(1, Math.floor(perTurnMs.length / 20));
  return Array.from({ length: Math.floor(perTurnMs.length / size) }, (_, piece) => {
    const from = piece * size;
    const turn = from + size;
    const kb = Math.round((requestBytes[Math.min(turn, requestBytes.length - 1)] ?? 0) / 1000);
    return { turn, kb, ms: median(perTurnMs.slice(Math.max(1, from), turn)) };
  });
}

function figure(value) {
  return value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString('en-US') : value.toFixed(1);
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
