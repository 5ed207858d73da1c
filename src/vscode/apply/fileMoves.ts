/**
 * What the person renames or deletes while a patch lands in it. VS Code moves the file first and its buffer afterwards:
 * an edit in between goes down with the old buffer, and a save brings the old name back. So the two wait for each other,
 * which VS Code allows whoever listens before it moves anything (`onWillRenameFiles`, `onWillDeleteFiles`).
 */
import * as vscode from 'vscode';
import { type CanonicalPaths, type PlacedChange, placesOf } from '../../core/patch/placedChange.ts';
import { abortable } from '../../core/util/abort.ts';
import { isBelow } from '../../core/util/pathBelow.ts';
import { pathOf } from '../workspace/places.ts';
import { StaleFiles, type MovesOfPerson } from './model.ts';

/** VS Code does not say when a move was called off after all. */
const MOVED_WITHIN_MS = 10_000;

/** Something that goes on in some places until it has ended. */
interface Doing {
  readonly places: readonly string[];
  readonly ended: Promise<void>;
  end(): void;
}

interface RunningApply extends Doing {
  readonly changes: readonly PlacedChange[];
}

/** One for all landings of the host; `pass` is for them, the rest it hears from VS Code. */
export class FileMoves implements MovesOfPerson, vscode.Disposable {
  readonly #canonicalPaths: () => CanonicalPaths;
  readonly #applies = new Set<RunningApply>();
  /** By the files as VS Code names them, which are the same when it is done. */
  readonly #moves = new Map<string, Doing>();
  readonly #listeners: vscode.Disposable;

  constructor(canonicalPaths: () => CanonicalPaths) {
    this.#canonicalPaths = canonicalPaths;
    const { workspace } = vscode;
    this.#listeners = vscode.Disposable.from(
      workspace.onWillRenameFiles((event) => event.waitUntil(this.#begin(event.files.map(namesOf)))),
      workspace.onDidRenameFiles((event) => this.#end(event.files.map(namesOf))),
      workspace.onWillDeleteFiles((event) => event.waitUntil(this.#begin(event.files.map((uri) => [uri])))),
      workspace.onDidDeleteFiles((event) => this.#end(event.files.map((uri) => [uri]))),
    );
  }

  async pass(changes: readonly PlacedChange[], signal?: AbortSignal): Promise<() => void> {
    const running = { changes, ...doing(changes.flatMap((change) => placesOf(change))) };
    const move = [...this.#moves.values()].find((one) => concernsAny(one, running.places));
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
    for (const move of this.#moves.values()) move.end();
  }

  async #begin(files: readonly Names[]): Promise<void> {
    const paths = this.#canonicalPaths();
    const moved = await Promise.all(files.map((names) => Promise.all(names.map((uri) => placeOf(uri, paths)))));
    if ([...this.#applies].some((running) => moved.every((places) => isPartOf(running, places)))) return;
    const move = doing(moved.flat());
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

/** The name that goes, and the one that comes. */
type Names = readonly [from: vscode.Uri] | readonly [from: vscode.Uri, to: vscode.Uri];

function namesOf({ oldUri, newUri }: { readonly oldUri: vscode.Uri; readonly newUri: vscode.Uri }): Names {
  return [oldUri, newUri];
}

function keyOf(files: readonly Names[]): string {
  return files.flat().join('\n');
}

async function placeOf(uri: vscode.Uri, paths: CanonicalPaths): Promise<string> {
  const path = pathOf(uri);
  // What cannot be looked up cannot be renamed, either: VS Code will say so.
  return uri.scheme === 'file' ? paths.of(path).catch(() => path) : path;
}

function doing(places: readonly string[]): Doing {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { places, ended, end };
}

function concernsAny(move: Doing, places: readonly string[]): boolean {
  return places.some((place) => concerns(move, place));
}

function concerns(move: Doing, place: string): boolean {
  return move.places.some((moved) => place === moved || isBelow(place, moved));
}

/** A patch moves and deletes by the same way, forth and, when it is put back, back again; it must not wait for itself. */
function isPartOf({ changes }: RunningApply, [from, to]: readonly string[]): boolean {
  return changes.some(({ removes, writes }) =>
    to === undefined ? removes === from : (removes === from && writes === to) || (removes === to && writes === from),
  );
}
