/**
 * Renames and deletions by the user while a patch is applied. VS Code moves the file first and its buffer afterwards:
 * an edit in between is lost with the old buffer, and a save recreates the old name. So each waits for the other; VS
 * Code lets listeners of `onWillRenameFiles` and `onWillDeleteFiles` delay the operation.
 */
import * as vscode from 'vscode';
import { type CanonicalPaths, type PlacedChange, placesOf } from '../../core/patch/placedChange.ts';
import { abortable } from '../../core/util/abort.ts';
import { MoveLog } from '../../core/util/moveLog.ts';
import { isBelow } from '../../core/util/pathBelow.ts';
import { pathOf } from '../workspace/places.ts';
import { StaleFiles, type UserMoves } from './model.ts';

/** VS Code sends no event when a move is cancelled, so a move counts as ended after this time. */
const MOVED_WITHIN_MS = 10_000;

/** An operation on some places, until it has ended. */
interface Operation {
  readonly places: readonly string[];
  readonly ended: Promise<void>;
  end(): void;
}

interface RunningApply extends Operation {
  readonly changes: readonly PlacedChange[];
}

/** One instance for the whole extension host. Applications call `pass`; moves come from events of VS Code. */
export class FileMoves implements UserMoves, vscode.Disposable {
  readonly #canonicalPaths: () => CanonicalPaths;
  readonly #applies = new Set<RunningApply>();
  /** Keyed by the URIs as VS Code gives them, which are the same in the events before and after. */
  readonly #moves = new Map<string, Operation>();
  readonly #listeners: vscode.Disposable;
  readonly log: MoveLog;

  constructor(canonicalPaths: () => CanonicalPaths, report: (error: unknown) => void) {
    this.#canonicalPaths = canonicalPaths;
    this.log = new MoveLog(report);
    const { workspace } = vscode;
    this.#listeners = vscode.Disposable.from(
      workspace.onWillRenameFiles((event) => event.waitUntil(this.#begin(event.files.map(namesOf)))),
      workspace.onDidRenameFiles((event) => {
        this.#end(event.files.map(namesOf));
        for (const { oldUri, newUri } of event.files) this.log.add({ from: pathOf(oldUri), to: pathOf(newUri) });
      }),
      workspace.onWillDeleteFiles((event) => event.waitUntil(this.#begin(event.files.map((uri) => [uri])))),
      workspace.onDidDeleteFiles((event) => this.#end(event.files.map((uri) => [uri]))),
    );
  }

  async pass(changes: readonly PlacedChange[], signal?: AbortSignal): Promise<() => void> {
    const running = { changes, ...operationOn(changes.flatMap((change) => placesOf(change))) };
    const move = [...this.#moves.values()].find((candidate) => concernsAny(candidate, running.places));
    if (move !== undefined) {
      await (signal === undefined ? move.ended : abortable(move.ended, signal));
      throw new StaleFiles([...new Set(running.places)].filter((place) => concerns(move, place)));
    }
    this.#applies.add(running);
    return () => {
      this.#applies.delete(running);
      running.end();
    };
  }

  dispose(): void {
    this.#listeners.dispose();
    this.log.dispose();
    for (const move of this.#moves.values()) move.end();
  }

  async #begin(files: readonly Names[]): Promise<void> {
    const paths = this.#canonicalPaths();
    const moved = await Promise.all(files.map((names) => Promise.all(names.map((uri) => placeOf(uri, paths)))));
    if ([...this.#applies].some((running) => moved.every((places) => isPartOf(running, places)))) return;
    const move = operationOn(moved.flat());
    const key = keyOf(files);
    this.#moves.get(key)?.end();
    this.#moves.set(key, move);
    const limit = setTimeout(() => move.end(), MOVED_WITHIN_MS);
    void move.ended.then(() => {
      clearTimeout(limit);
      if (this.#moves.get(key) === move) this.#moves.delete(key);
    });
    await Promise.all(
      [...this.#applies].filter((running) => concernsAny(move, running.places)).map(({ ended }) => ended),
    );
  }

  #end(files: readonly Names[]): void {
    this.#moves.get(keyOf(files))?.end();
  }
}

/** The old name and, for a rename, the new one. */
type Names = readonly [from: vscode.Uri] | readonly [from: vscode.Uri, to: vscode.Uri];

function namesOf({ oldUri, newUri }: { readonly oldUri: vscode.Uri; readonly newUri: vscode.Uri }): Names {
  return [oldUri, newUri];
}

function keyOf(files: readonly Names[]): string {
  return files.flat().join('\n');
}

async function placeOf(uri: vscode.Uri, paths: CanonicalPaths): Promise<string> {
  const path = pathOf(uri);
  // A path that cannot be resolved cannot be renamed either: VS Code reports it.
  return uri.scheme === 'file' ? paths.of(path).catch(() => path) : path;
}

function operationOn(places: readonly string[]): Operation {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { places, ended, end };
}

function concernsAny(move: Operation, places: readonly string[]): boolean {
  return places.some((place) => concerns(move, place));
}

function concerns(move: Operation, place: string): boolean {
  return move.places.some((moved) => place === moved || isBelow(place, moved));
}

/** A patch renames and deletes with the same events, in its rollback, too; it must not wait for itself. */
function isPartOf({ changes }: RunningApply, [from, to]: readonly string[]): boolean {
  return changes.some(({ removes, writes }) =>
    to === undefined ? removes === from : (removes === from && writes === to) || (removes === to && writes === from),
  );
}
