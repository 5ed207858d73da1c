// The processor time of the steps of `npm test` with all that they start: VS Code's server and the browser are in process
// groups of their own and are not waited for, so that the system does not count them with the step.
import { readdirSync, readFileSync } from 'node:fs';

/**
 * The period of reading /proc, which takes about 10 ms. The processor time of a process after its last reading is lost.
 */
const PERIOD_MS = 1000;
/** /proc has hundredths of a second, on every architecture. */
const TICKS_PER_SECOND = 100;

/**
 * @typedef {object} ProcessStat
 * @property {number} pid
 * @property {number} parent
 * @property {string} key  another one when the number of an ended process is used again
 * @property {number} seconds  of processor time of this process alone
 */

/** Every process of the system; none where there is no /proc. @returns {ProcessStat[]} */
export function processStats() {
  /** @type {string[]} */
  let names = [];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {}
  return names.flatMap((name) => {
    try {
      return [parseStat(readFileSync(`/proc/${name}/stat`, 'latin1'))];
    } catch {
      return [];
    }
  });
}

/** The name of the program, in parentheses, may contain any character. @param {string} text @returns {ProcessStat} */
function parseStat(text) {
  const pid = Number.parseInt(text, 10);
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [parent, user, system, start] = [fields[1], fields[11], fields[12], fields[19]].map(Number);
  return { pid, parent, key: `${pid}:${start}`, seconds: (user + system) / TICKS_PER_SECOND };
}

/** The processes of one step: each by its key, with its processor time when it was last seen. */
export class StepTime {
  /** @readonly */
  #root;
  /** @readonly @type {Map<string, number>} */
  #seconds = new Map();

  /** @param {number} pid  of the step */
  constructor(pid) {
    this.#root = pid;
  }

  /** Also processes whose parent has ended before them stay of this step. @param {readonly ProcessStat[]} stats */
  record(stats) {
    const byPid = new Map(stats.map((stat) => [stat.pid, stat]));
    /** @type {Map<number, boolean>} */
    const known = new Map();
    const isOurs = (/** @type {ProcessStat | undefined} */ stat) => {
      if (stat === undefined) return false;
      const answer = known.get(stat.pid);
      if (answer !== undefined) return answer;
      known.set(stat.pid, false);
      const ours = stat.pid === this.#root || this.#seconds.has(stat.key) || isOurs(byPid.get(stat.parent));
      known.set(stat.pid, ours);
      return ours;
    };
    for (const stat of stats) if (isOurs(stat)) this.#seconds.set(stat.key, stat.seconds);
  }

  get seconds() {
    return [...this.#seconds.values()].reduce((sum, one) => sum + one, 0);
  }
}

/** @type {Set<StepTime>} */
const watched = new Set();
/** @type {NodeJS.Timeout | undefined} */
let timer;

/**
 * Measures a step until `stop`, which returns its seconds of processor time; 0 where there is no /proc.
 * @param {number} pid
 */
export function watchProcessorTime(pid) {
  const step = new StepTime(pid);
  watched.add(step);
  timer ??= setInterval(recordAll, PERIOD_MS);
  return {
    stop() {
      watched.delete(step);
      if (watched.size === 0) {
        clearInterval(timer);
        timer = undefined;
      }
      return step.seconds;
    },
  };
}

function recordAll() {
  const stats = processStats();
  for (const step of watched) step.record(stats);
}
