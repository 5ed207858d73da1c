// Work of the machine besides a run: a figure of a disturbed run says nothing.
import { readFileSync, readdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { rootOfWork } from './reaper.mjs';

/** A clock tick of /proc in milliseconds (USER_HZ is 100 on every system that Node supports). */
const TICK_MS = 10;

/** Maximum shares of all processors that other programs may use, and that the hypervisor may take. */
const MOST_FOREIGN = 0.12;
const MOST_STOLEN = 0.03;
/** Ticks are too coarse for less. */
const LEAST_MS = 60;

/** Begins to watch. `end()` returns { foreign, stolen }, shares of all processors, or undefined without /proc. */
export function watchMachine() {
  const before = times();
  return {
    end() {
      const after = times();
      if (before === undefined || after === undefined) return undefined;
      return sharesBetween(before, after, cpus().length);
    },
  };
}

/** `before`, `after`: { at, busy, stolen, own } in milliseconds. */
export function sharesBetween(before, after, cores) {
  const wallMs = after.at - before.at;
  const share = (milliseconds) => (milliseconds <= LEAST_MS ? 0 : milliseconds / (wallMs * cores));
  const own = after.own - before.own;
  return { foreign: share(after.busy - before.busy - own), stolen: share(after.stolen - before.stolen) };
}

/** Returns the reason why a run must not be used; undefined for a quiet one. */
export function disturbanceIn(shares) {
  if (shares === undefined) return undefined;
  const percent = (share) => `${Math.round(share * 100)} %`;
  if (shares.foreign > MOST_FOREIGN) return `other programs used ${percent(shares.foreign)} of the processors`;
  return shares.stolen > MOST_STOLEN ? `the hypervisor took ${percent(shares.stolen)} of the processors` : undefined;
}

function times() {
  try {
    const [user, nice, system, , , irq, softirq, stolen] = readFileSync('/proc/stat', 'utf8')
      .split('\n', 1)[0]
      .split(/\s+/)
      .slice(1)
      .map((ticks) => Number(ticks) * TICK_MS);
    const busy = user + nice + system + irq + softirq;
    return { at: performance.now(), busy, stolen, own: treeTime(rootOfWork()) };
  } catch {
    return undefined;
  }
}

/** Milliseconds of a process and of all its descendants, also of those that have ended. */
export function treeTime(pid) {
  try {
    for (;;) {
      const before = timesOf(pid);
      const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
        readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
      );
      const sum = children.reduce((total, child) => total + treeTime(child), before.own + before.ofEndedChildren);
      // Otherwise a child has ended between two of these lines, and its time would count twice or not at all.
      if (timesOf(pid).ofEndedChildren === before.ofEndedChildren) return sum;
    }
  } catch {
    // The process has ended: its time counts for its parent.
    return 0;
  }
}

/** Milliseconds of a process, and of those of its children that have ended: fields 14 to 17 of proc(5). */
function timesOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, ...ofEnded] = fields.slice(11, 15).map((ticks) => Number(ticks) * TICK_MS);
  return { own: user + system, ofEndedChildren: ofEnded[0] + ofEnded[1] };
}
