/**
 * Whether the names on the way to a place have been left alone lately, for what has to be written by its path: VS Code saves a
 * document that way and follows any link that stands in the path at that moment.
 *
 * Nothing can keep another process from putting a link there between a look and the write. One that does it over and over is
 * noticed beforehand: to exchange two names changes the folder in which they stand and what they name, within the same
 * moment (ctime). Where a link was seen the way is not trusted for a minute.
 */
import { lstatSync, type BigIntStats } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMissing } from '../../core/util/fileErrors.ts';

/** How long nothing may have been exchanged. */
const STILL_MS = 500;
/** How long to wait for that. */
const PATIENCE_MS = 1_500;
const POLL_MS = 20;
const DISTRUST_MS = 60_000;

export class StillWays {
  /** By name, when a link was last seen in its place. */
  readonly #linked = new Map<string, number>();

  /**
   * Resolves to true when every folder on the way stands at its place, is no link, and was not exchanged for a moment; the
   * same for the file, which need not exist. Waits for that moment where it may come. Never rejects. `path`: by which it is
   * written; of its names, too, none may have been exchanged, but they may be links.
   */
  async isStill(place: string, path = place): Promise<boolean> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const found = lookAtBoth(place, path);
      if (found.type === 'linked') this.distrust(found.name);
      if (found.type === 'linked' || this.#isDistrusted(place)) return false;
      if (found.type === 'still') return true;
      if (Date.now() > deadline) return false;
      await sleep(POLL_MS);
    }
  }

  /** The name was found to lead elsewhere than it did. */
  distrust(name: string): void {
    const now = Date.now();
    for (const [other, at] of this.#linked) if (now - at > DISTRUST_MS) this.#linked.delete(other);
    this.#linked.set(name, now);
  }

  #isDistrusted(place: string): boolean {
    return namesTo(place).some((name) => Date.now() - (this.#linked.get(name) ?? 0) < DISTRUST_MS);
  }
}

type Look =
  | { readonly type: 'still' }
  /** Something may have been exchanged a moment ago. */
  | { readonly type: 'restless' }
  | { readonly type: 'linked'; readonly name: string };

function lookAtBoth(place: string, path: string): Look {
  const found = look(place);
  if (path === place || found.type !== 'still') return found;
  return look(path, { mayBeLinks: true });
}

function look(place: string, { mayBeLinks = false } = {}): Look {
  const since = BigInt(Date.now() - STILL_MS) * 1_000_000n;
  let parent: BigIntStats | undefined;
  for (const name of namesTo(place)) {
    let stats: BigIntStats | undefined;
    try {
      stats = lstatSync(name, { bigint: true, throwIfNoEntry: false });
    } catch (error) {
      if (!isMissing(error)) return { type: 'restless' };
    }
    // Neither it nor anything below it exists.
    if (stats === undefined) return { type: 'still' };
    if (stats.isSymbolicLink() && !mayBeLinks) return { type: 'linked', name };
    if (parent !== undefined && parent.ctimeNs > since && isRenamedSince(stats, since)) return { type: 'restless' };
    parent = stats;
  }
  return { type: 'still' };
}

/** A file that was only written has the same time for its content; folders and links do not tell. */
function isRenamedSince(stats: BigIntStats, since: bigint): boolean {
  return stats.ctimeNs > since && (!stats.isFile() || stats.ctimeNs > stats.mtimeNs);
}

/** From the root on, the place last. */
function namesTo(place: string): string[] {
  const names = [place];
  for (let name = place; dirname(name) !== name; ) names.unshift((name = dirname(name)));
  return names;
}
