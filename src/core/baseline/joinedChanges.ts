import type { RecordedChange } from '../../protocol/baseline.ts';
import { composed, sameState } from './diffBaselines.ts';

/** The changes of one command, or of several turns: one for each path, from the first state to the last. */
export class JoinedChanges {
  readonly #byPath = new Map<string, RecordedChange>();
  /** Hashes of contents that came from a place without a record, also of those that have gone on to another path. */
  readonly #arrived = new Set<string>();

  /**
   * Adds a later change. If it does not begin where the known one ended, another writer changed the path in between,
   * and the joined change is uncertain.
   */
  add(change: RecordedChange): void {
    const known = this.#byPath.get(change.path);
    if (known === undefined) {
      this.set(change);
      return;
    }
    const isWhole = sameState(known.after, change.before) && known.by === 'this';
    const both = composed<RecordedChange>(known, isWhole ? change : { ...change, by: 'uncertain' });
    if (both === undefined) this.#byPath.delete(change.path);
    // An edit of the only copy leaves it the only copy.
    else this.set(known.isOnlyCopy && both.after.type === 'file' ? { ...both, isOnlyCopy: true } : both);
  }

  /** Replaces what is known of this path. */
  set(change: RecordedChange): void {
    this.#byPath.set(change.path, change);
    if (change.isOnlyCopy && change.after.type === 'file') this.#arrived.add(change.after.hash);
  }

  /** Returns one change for each path, in their order. A content that came as the only copy is one wherever it was moved to. */
  all(): readonly RecordedChange[] {
    const changes = [...this.#byPath.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
    const atFirstPath = new Set(changes.flatMap(({ after, isOnlyCopy }) => (isOnlyCopy ? hashesOf(after) : [])));
    const hasMoved = (hash: string) => this.#arrived.has(hash) && !atFirstPath.has(hash);
    return changes.map((change) => (hashesOf(change.after).some(hasMoved) ? { ...change, isOnlyCopy: true } : change));
  }
}

function hashesOf(state: RecordedChange['after']): readonly string[] {
  return state.type === 'file' ? [state.hash] : [];
}
