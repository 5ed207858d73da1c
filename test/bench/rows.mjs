// The measurements and their limits (design §5). A row names the jobs it needs; jobs are shared between rows.

import { lookAtFiles } from './baseline.mjs';
import { measureExtension } from './extension.mjs';
import { startWithHosts } from './hosts.mjs';
import { closePanel, measurePanel, measureThread } from './panel.mjs';
import { longFile, manyFiles, runPatch } from './patches.mjs';
import { median } from './report.mjs';
import { memoryFolder } from './scratch.mjs';
import { startCommands } from './spawn.mjs';
import { readThread } from './threadLength.mjs';
import { openThreadList } from './threadList.mjs';

const lookJob = (files) => ({ only: 'tiller', measure: () => lookAtFiles(files) });
const patchJob = (patch, parent) => ({
  measure: (agent, program) => runPatch(agent, program, patch, parent),
  not: 'pi',
});
const threadJob = (turns) => ({ only: 'tiller', measure: () => readThread(turns), repeat: 3, quick: { repeat: 1 } });

const panelJob = (measure) => ({ only: 'tiller', measure, close: closePanel, repeat: 5, quick: { repeat: 1 } });

/** `cats` commands in each response. Few turns: the loop guard has a word to say about many of the same. */
const catsJob = (cats, sleeps) => ({
  only: 'tiller',
  ...{ turns: 30, cats, sleeps, boxed: true, files: 1, repeat: 3 },
  quick: { turns: 8, repeat: 1 },
});

/**
 * `repeat` and `turns` shrink under --quick. `close` is called after the last run. `only` and `not`: agents without the feature, or excluded
 * from the row.
 */
export const JOBS = {
  turns: { turns: 50, repeat: 5, quick: { turns: 20, repeat: 2 } },
  boxed: { turns: 50, boxed: true, not: 'pi', repeat: 5, quick: { turns: 20, repeat: 2 } },
  boxedLarge: { turns: 50, boxed: true, not: 'pi', files: 20_000, repeat: 3, quick: { turns: 20, repeat: 1 } },
  writes: { turns: 50, writes: true, not: 'pi', repeat: 3, quick: { turns: 20, repeat: 1 } },
  writesLarge: {
    turns: 50,
    writes: true,
    boxed: true,
    not: 'pi',
    files: 20_000,
    repeat: 3,
    quick: { turns: 20, repeat: 1 },
  },
  cat: catsJob(1, true),
  sixCats: catsJob(6, true),
  plainCat: catsJob(1, false),
  sixPlainCats: catsJob(6, false),
  long: { turns: 500, repeat: 3, quick: { turns: 100, repeat: 1 } },
  threads: { only: 'tiller', measure: openThreadList, repeat: 5, quick: { repeat: 2 } },
  looks1000: { ...lookJob(1_000), repeat: 5, quick: { repeat: 1 } },
  looks20000: { ...lookJob(20_000), repeat: 5, quick: { repeat: 1 } },
  looks100000: { ...lookJob(100_000), repeat: 3, quick: { repeat: 1 } },
  looks200000: { ...lookJob(200_000), repeat: 2, quick: { repeat: 1 } },
  spawns: { only: 'tiller', measure: () => startCommands(250), repeat: 5, quick: { repeat: 1 } },
  hosts: { only: 'tiller', measure: startWithHosts, repeat: 3, quick: { repeat: 1 } },
  deltas: { turns: 1, deltas: 20_000, quiet: true, repeat: 5, quick: { repeat: 2 } },
  hunks: { ...patchJob(longFile(200, 20_000)), repeat: 9, quick: { repeat: 3 } },
  manyHunks: { ...patchJob(longFile(1000, 100_000)), repeat: 9, quick: { repeat: 3 } },
  files20: { ...patchJob(manyFiles(20)), repeat: 5, quick: { repeat: 1 } },
  files100: { ...patchJob(manyFiles(100)), repeat: 5, quick: { repeat: 1 } },
  files500: { ...patchJob(manyFiles(500)), repeat: 9, quick: { repeat: 3 } },
  files2500: { ...patchJob(manyFiles(2500)), repeat: 5, quick: { repeat: 2 } },
  memoryFiles: {
    ...patchJob(manyFiles(500), memoryFolder),
    repeat: memoryFolder ? 9 : 0,
    quick: { repeat: memoryFolder ? 3 : 0 },
  },
  panelBurst: panelJob(() => measurePanel('burst', 20_000)),
  panelAnswer: panelJob(() => measurePanel('wholeAnswer', 100_000)),
  panelOutput: panelJob(() => measurePanel('output', 50_000)),
  panelThread: panelJob(() => measureThread(10_000)),
  extension: { only: 'tiller', measure: measureExtension, repeat: 5, quick: { repeat: 1 } },
  thread10: threadJob(10),
  thread100: threadJob(100),
  thread1000: threadJob(1_000),
  thread5000: threadJob(5_000),
};

/** Jobs that are only plotted, in a whole run. */
export const PLOTTED = ['looks200000', 'files20', 'files100', 'thread10', 'thread100', 'thread1000', 'thread5000'];

/** At most this part of a peer's figure. */
const of = (peer, part) => ({
  limit: (values) => (values[peer] === undefined ? null : part * values[peer]),
  budget: `≤ ${part} × ${peer === 'pi' ? 'pi' : 'Codex'}`,
});

/** `value` turns the runs of one agent into its figure; `limit` gives the budget from the peers' figures, or null. */
export const ROWS = [
  {
    name: 'overhead',
    title: 'per-turn overhead, echo executed, persistence on (ms)',
    jobs: ['turns'],
    value: ({ turns }) => perTurn(turns),
    ...of('pi', 0.7),
  },
  {
    name: 'sandbox',
    title: 'the same in the sandbox, more than without (ms)',
    jobs: ['turns', 'boxed'],
    value: ({ turns, boxed }) => perTurn(boxed) - perTurn(turns),
    ...of('codex', 0.25),
  },
  {
    name: 'sandbox-large',
    title: 'the same in a workspace of 20,000 files (ms)',
    jobs: ['turns', 'boxedLarge'],
    value: ({ turns, boxedLarge }) => perTurn(boxedLarge) - perTurn(turns),
    ...of('codex', 0.25),
  },
  {
    name: 'sandbox-writes',
    title: 'the same for a command that writes there (ms)',
    jobs: ['writes', 'writesLarge'],
    value: ({ writes, writesLarge }) => perTurn(writesLarge) - perTurn(writes),
    ...of('codex', 0.35),
  },
  {
    name: 'parallel',
    title: 'six `sleep 0.2 && cat` of one response / one, in the sandbox',
    jobs: ['cat', 'sixCats'],
    value: ({ cat, sixCats }) => perTurn(sixCats) / perTurn(cat),
    limit: () => 2,
    budget: '≤ 2',
  },
  {
    name: 'parallel-cat',
    title: 'six `cat` of one response / one, in the sandbox',
    jobs: ['plainCat', 'sixPlainCats'],
    value: ({ plainCat, sixPlainCats }) => perTurn(sixPlainCats) / perTurn(plainCat),
    limit: () => 2,
    budget: '≤ 2',
  },
  {
    name: 'spawn',
    title: 'a command of a process of 250 MiB: its main thread (ms)',
    jobs: ['spawns'],
    value: ({ spawns }) => median(spawns.map(({ started }) => started)),
    limit: () => 3,
    budget: '≤ 3',
  },
  {
    name: 'sandbox-hosts',
    title: 'a command in the sandbox that may reach a host, more than one that may reach none (ms)',
    jobs: ['hosts'],
    value: ({ hosts }) => median(hosts.map(({ wallMs, without }) => wallMs - without)),
    limit: () => 50,
    budget: '≤ 50',
  },
  {
    name: 'cold-start',
    title: 'cold start to first request, headless (ms)',
    jobs: ['turns'],
    value: ({ turns }) => median(turns.map((run) => run.coldStartMs)),
    ...of('codex', 0.65),
  },
  {
    name: 'deltas',
    title: '20,000 text deltas in one response, wall (ms)',
    jobs: ['deltas'],
    value: ({ deltas }) => median(deltas.map((run) => run.streamMs)),
    ...of('codex', 0.6),
  },
  {
    name: 'prefix',
    title: 'request prefix: requests that change what was sent before',
    jobs: ['turns', 'long'],
    value: ({ turns, long }) => [...turns, ...long].flatMap((run) => run.breaks).length,
    limit: () => 0,
    budget: 'none',
  },
  {
    name: 'growth',
    title: 'growth of the overhead, last tenth / first tenth of the long job',
    jobs: ['long'],
    value: ({ long }) => median(long.map(({ perTurnMs }) => growth(perTurnMs))),
    limit: () => 1.2,
    budget: '≤ 1.2',
  },
  {
    name: 'memory',
    title: 'peak memory of the process tree in the long job (PSS, MiB)',
    jobs: ['long'],
    value: ({ long }) => median(long.map(({ peakMiB }) => peakMiB)),
    ...of('codex', 0.75),
  },
  {
    name: 'threads',
    title: 'opening the list of 1,000 threads (ms)',
    jobs: ['threads'],
    value: ({ threads }) => median(threads.map((run) => run.wallMs)),
    limit: () => 100,
    budget: '≤ 100',
  },
  lookRow('baseline-1000', '1,000', 'looks1000'),
  lookRow('baseline-20000', '20,000', 'looks20000'),
  lookRow('baseline-100000', '100,000', 'looks100000'),
  lookGrowth('baseline-growth', '20,000 files against 1,000', 'looks1000', 'looks20000', 20),
  lookGrowth('baseline-large-growth', '100,000 files against 20,000', 'looks20000', 'looks100000', 5),
  {
    name: 'prompt',
    title: 'first request with all default tools (bytes)',
    jobs: ['turns'],
    value: ({ turns: [run] }) => run.firstBytes,
    limit: () => 20_000,
    budget: '≤ 20,000',
  },
  patchRow('patch-hunks', '200 hunks in 20,000 lines', 'hunks', 1.5),
  patchRow('patch-many-hunks', '1,000 hunks in 100,000 lines', 'manyHunks', 1.2),
  patchRow('patch-files', '500 files', 'files500', 1.2),
  patchRow('patch-files-memory', '500 files in memory (tmpfs)', 'memoryFiles', 2.2),
  patchGrowth('patch-hunks-growth', 'five times the hunks and lines', 'hunks', 'manyHunks'),
  patchGrowth('patch-files-growth', 'five times the files', 'files500', 'files2500'),
  ...taskRows('panel-burst', '20,000 deltas at once and their end', 'panelBurst'),
  ...taskRows('panel-answer', 'an answer of 100 kB at once', 'panelAnswer'),
  ...taskRows('panel-output', '50,000 lines of output in 2 s', 'panelOutput'),
  {
    name: 'panel-thread',
    title: 'panel, a thread of 10,000 items is opened: main thread (ms)',
    jobs: ['panelThread'],
    value: ({ panelThread }) => median(panelThread.map(({ opened }) => opened.allMs)),
    limit: () => 100,
    budget: '≤ 100',
  },
  threadRow('panel-thread-opened', 'is opened', 'opened'),
  threadRow('panel-thread-loaded', 'is loaded whole', 'loaded'),
  threadRow('panel-thread-scrolled', 'is scrolled', 'scrolled'),
  threadRow('panel-thread-searched', 'is searched', 'searched'),
  extensionRow(
    'extension-first-use',
    'first use: all turns of its thread, less those of an empty extension (ms)',
    ({ firstUse, empty }) => firstUse.allMs - empty.allMs,
    45,
  ),
  extensionRow(
    'extension-slice',
    'first use: longest turn of its thread (ms)',
    ({ firstUse }) => firstUse.longestMs,
    20,
  ),
  extensionRow('extension-deltas', '1,000 of 20,000 text deltas: its thread (ms)', ({ deltas }) => deltas, 6),
  extensionRow(
    'extension-edit',
    'Edit at the Cursor: from the key to the request (ms)',
    // The first one loads what the others have.
    ({ edits }) => median(edits.slice(1)),
    30,
  ),
  extensionRow(
    'extension-patch',
    'a patch in a file with floods of problems: longest turn of its thread (ms)',
    ({ patch }) => patch.applied.turns.longestMs,
    20,
  ),
  extensionRow(
    'extension-typing',
    'the same: longest from a key to its edit, more than without the patch (ms)',
    ({ patch }) => patch.applied.longestMs - patch.without.longestMs,
    20,
  ),
  extensionRow(
    'extension-command',
    'a command of a host of 250 MiB: its thread (ms)',
    ({ commands }) => commands.started,
    3,
  ),
];

/** Returns a row measured in the extension host of the real VS Code. */
function extensionRow(name, what, value, most) {
  return {
    name,
    title: `extension, ${what}`,
    jobs: ['extension'],
    value: ({ extension }) => median(extension.map(value)),
    limit: () => most,
    budget: `≤ ${most}`,
  };
}

/** The longest task of the panel's main thread, also on a processor slowed down four times, for which there is no budget. */
function taskRows(name, what, job) {
  const row = { name, title: `panel, ${what}: longest task (ms)`, jobs: [job] };
  return [
    {
      ...row,
      value: (runs) => median(runs[job].map(({ longestMs }) => longestMs)),
      limit: () => 60,
      budget: '≤ 60',
    },
    {
      ...row,
      name: `${name}-slow`,
      title: 'the same with the processor slowed down four times',
      value: (runs) => median(runs[job].map(({ slowed }) => slowed.longestMs)),
      limit: () => Number.POSITIVE_INFINITY,
      budget: '–',
    },
  ];
}

function threadRow(name, what, step) {
  return {
    name,
    title: `panel, a thread of 10,000 items ${what}: longest task (ms)`,
    jobs: ['panelThread'],
    value: ({ panelThread }) => median(panelThread.map((run) => run[step].longestMs)),
    limit: () => 50,
    budget: '≤ 50',
  };
}

/** The row for one look before or after a command: its cost outside of the worker. */
function lookRow(name, files, job) {
  return {
    name,
    title: `a look at ${files} unchanged files: main thread (ms)`,
    jobs: [job],
    value: (runs) => median(runs[job].map(({ mainMs }) => mainMs)),
    limit: () => 50,
    budget: '≤ 50',
  };
}

/** 1 is linear. */
function lookGrowth(name, what, small, large, times) {
  const time = (runs) => median(runs.map(({ cpuMs }) => cpuMs));
  return {
    name,
    title: `a look at ${what}: times the CPU time, per file`,
    jobs: [small, large],
    value: (runs) => time(runs[large]) / time(runs[small]) / times,
    limit: () => 1.5,
    budget: '≤ 1.5',
  };
}

/** The first of a process, without warm caches. */
function patchRow(name, what, job, part) {
  return {
    name,
    title: `a patch of ${what}: read, planned, on disk (ms)`,
    jobs: [job],
    value: (runs) => median(runs[job].map(({ wallMs }) => wallMs)),
    ...of('codex', part),
  };
}

/** 1 is linear and 5 quadratic. */
function patchGrowth(name, what, small, large) {
  const time = (runs) => median(runs.map(({ wallMs }) => wallMs));
  return {
    name,
    title: `a patch of ${what}: times as long, per hunk or file`,
    jobs: [small, large],
    value: (runs) => time(runs[large]) / time(runs[small]) / 5,
    limit: () => 1.2,
    budget: '≤ 1.2',
  };
}

/** Over 500 turns this is the last 50 against the first 50. */
function growth(perTurnMs) {
  const tenth = Math.max(10, Math.floor(perTurnMs.length / 10));
  return median(perTurnMs.slice(-tenth)) / median(perTurnMs.slice(1, tenth + 1));
}

function perTurn(runs) {
  return median(runs.map((run) => median(run.perTurnMs.slice(1))));
}
