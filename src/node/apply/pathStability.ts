/**
 * Checks that the names on a path have been unchanged lately, for files that have to be written by their paths: VS Code
 * saves a document that way and follows any link that is in the path at that moment.
 *
 * Nothing prevents another process from creating a link between the check and the write. A process that does so
 * repeatedly is noticed beforehand: exchanging two names changes the ctime of their folder and of what they name within
 * the same moment. After a link was seen, the path is not trusted for a minute.
 */
import { lstatSync, type BigIntStats } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMissing } from '../../core/util/fileErrors.ts';

/** Time without an exchange of names after which a path is stable. */
const STILL_MS = 500;
/** The longest wait for that. */
const PATIENCE_MS = 1_500;
const POLL_MS = 20;
const DISTRUST_MS = 60_000;

/** `now`: milliseconds, by the clock of the file system. */
interface StabilityClock {
  now(): number;
  sleep(milliseconds: number): Promise<unknown>;
}

const SYSTEM_CLOCK: StabilityClock = { now: Date.now, sleep };

export class PathStability {
  readonly #clock: StabilityClock;
  /** By name, the last time that a link was seen there. */
  readonly #linked = new Map<string, number>();

  constructor(clock = SYSTEM_CLOCK) {
    this.#clock = clock;
  }

  /**
   * Resolves to true when no name on the way to the place, nor the place itself, is a link or was exchanged within
   * STILL_MS; none of them need exist. Waits up to PATIENCE_MS for that. Never rejects. `path`: the path that the file is
   * written by; its names may be links, but none may have been exchanged either.
   */
  async isStable(place: string, path = place): Promise<boolean> {
    const deadline = this.#clock.now() + PATIENCE_MS;
    for (;;) {
      const found = lookAtBoth(place, path, this.#clock.now());
      if (found.type === 'linked') this.distrust(found.name);
      if (found.type === 'linked' || this.#isDistrusted(place)) return false;
      if (found.type === 'stable') return true;
      if (this.#clock.now() > deadline) return false;
      await this.#clock.sleep(POLL_MS);
    }
  }

  /** Call when the name was found to lead elsewhere than before. */
  distrust(name: string): void {
    const now = this.#clock.now();
    for (const [other, at] of this.#linked) if (now - at > DISTRUST_MS) this.#linked.delete(other);
    this.#linked.set(name, now);
  }

  #isDistrusted(place: string): boolean {
    return namesTo(place).some((name) => this.#clock.now() - (this.#linked.get(name) ?? 0) < DISTRUST_MS);
  }
}

type Look =
  | { readonly type: 'stable' }
  /** Something may have been exchanged within STILL_MS. */
  | { readonly type: 'changing' }
  | { readonly type: 'linked'; readonly name: string };

function lookAtBoth(place: string, path: string, now: number): Look {
  const found = look(place, now);
  if (path === place || found.type !== 'stable') return found;
  return look(path, now, { mayBeLinks: true });
}

function look(place: string, now: number, { mayBeLinks = false } = {}): Look {
  const since = BigInt(now - STILL_MS) * 1_000_000n;
  let parent: BigIntStats | undefined;
  // A link below a name that changes is searched for, too: only after a link was seen the path is not trusted for a
  // minute.
  let isChanging = false;
  for (const name of namesTo(place)) {
    let stats: BigIntStats | undefined;
    try {
      stats = lstatSync(name, { bigint: true, throwIfNoEntry: false });
    } catch (error) {
      if (!isMissing(error)) return { type: 'changing' };
    }
    // Nothing below it exists either.
    if (stats === undefined) break;
    if (stats.isSymbolicLink() && !mayBeLinks) return { type: 'linked', name };
    isChanging ||= parent !== undefined && parent.ctimeNs > since && isRenamedSince(stats, since);
    parent = stats;
  }
  return { type: isChanging ? 'changing' : 'stable' };
}

/**
 * Returns true for a regular file whose ctime is later than its mtime; for folders and links nothing shows the
 * difference.
 */
function isRenamedSince(stats: BigIntStats, since: bigint): boolean {
  return stats.ctimeNs > since && (!stats.isFile() || stats.ctimeNs > stats.mtimeNs);
}

/** Returns the names from the root to the place, which comes last. */
function namesTo(place: string): string[] {
  const names = [place];
  for (let name = place; dirname(name) !== name; ) names.unshift((name = dirname(name)));
  return names;
}
