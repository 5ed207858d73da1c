/**
 * Keep and Undo. Keep changes no text: the hunk's lines count as the user's from then on. Undo is applied like any
 * patch, through the buffers, so that Ctrl+Z reverts it and the text that the user types during the undo is kept.
 */
import * as vscode from 'vscode';
import { applyHunks } from '../../core/patch/hunkAlgebra.ts';
import { becomeText } from '../../core/changeReview/edits.ts';
import { hunksWithout, keepHunks, unkeepHunks } from '../../core/changeReview/decisions.ts';
import { WorkspaceError } from '../../core/ports.ts';
import type { ApplyChange } from '../apply/model.ts';
import { addition, at, type NamedPlace, type Reader, textAt } from '../apply/inverseOf.ts';
import type { EditorApplyResult } from '../apply/applyPatch.ts';
import { openDocument } from '../workspace/documents.ts';
import { uriOf } from '../workspace/places.ts';
import { type FileStory, isTouched, type PendingFile } from './pendingFile.ts';
import type { Reviews } from './reviews.ts';

/** A file with some of its hunks, or `all` of them. */
export interface Choice {
  readonly file: PendingFile;
  readonly hunks: readonly number[] | 'all';
}

export interface LeftAlone {
  readonly path: string;
  /** One sentence for the user. */
  readonly reason: string;
}

export interface DecideDeps {
  readonly reviews: Reviews;
  readonly reader: Reader;
  readonly apply: (changes: readonly ApplyChange[]) => Promise<EditorApplyResult>;
}

/** Typing can make a single attempt fail. */
const TRIES = 5;

export class Decisions {
  readonly #deps: DecideDeps;
  #step = 0;
  /** The history of Keep: each file after it, with its story before. */
  readonly #kept: { readonly step: number; readonly files: readonly KeptFile[] }[] = [];

  constructor(deps: DecideDeps) {
    this.#deps = deps;
  }

  get canUnkeep(): boolean {
    return this.#kept.length > 0;
  }

  keep(choices: readonly Choice[]): void {
    const step = ++this.#step;
    const files = choices.map(({ file, hunks }) => {
      const chosen = hunks === 'all' ? file.text.hunks.map(({ id }) => id) : hunks;
      const text = keepHunks(file.text, new Set(chosen), step);
      return { story: file.story, left: { ...file, story: hunks === 'all' ? EDITED : file.story, text } };
    });
    this.#kept.push({ step, files });
    for (const { left } of files) this.#deps.reviews.put(left);
  }

  /** Reverts the last Keep, except for lines that were changed since. Returns whether any hunk is pending again. */
  unkeep(): boolean {
    const last = this.#kept.pop();
    if (last === undefined) return false;
    const { reviews } = this.#deps;
    const before = reviews.count;
    for (const { story, left } of last.files) {
      const now = reviews.at(left.uri) ?? left;
      reviews.put({ ...now, story, text: unkeepHunks(now.text, last.step) });
    }
    return reviews.count > before;
  }

  /** Never rejects. Returns the files that could not be undone. */
  async undo(choices: readonly Choice[]): Promise<readonly LeftAlone[]> {
    let open = choices;
    for (let attempt = 1; ; attempt++) {
      const ways = await Promise.all(open.map((choice) => this.#wayBack(choice)));
      const leftAlone = ways.flatMap((way) => (way.type === 'left_alone' ? [way.what] : []));
      const possible = ways.flatMap((way) => (way.type === 'back' ? [way] : []));
      if (possible.length === 0) return leftAlone;
      const result = await this.#deps.apply(possible.map(({ change }) => change));
      if (result.type === 'applied') {
        for (const [index, way] of possible.entries()) this.#done(way, result.changes[index]?.final ?? null);
        return leftAlone;
      }
      if (result.type === 'failed') {
        const [only, ...others] = possible;
        if (only !== undefined && others.length === 0)
          return [...leftAlone, { path: only.file.path, reason: result.message }];
        // One file that cannot be changed must not block the others.
        for (const choice of open) leftAlone.push(...(await this.undo([choice])));
        return [...new Map(leftAlone.map((left) => [left.path, left])).values()];
      }
      if (attempt === TRIES) {
        const reason = vscode.l10n.t('It was changed at the same time.');
        return [...leftAlone, ...possible.map(({ file }) => ({ path: file.path, reason }))];
      }
      open = open.flatMap((choice) => {
        const file = this.#deps.reviews.at(choice.file.uri);
        return file === undefined ? [] : [{ ...choice, file }];
      });
    }
  }

  async #wayBack({ file, hunks }: Choice): Promise<WayBack> {
    const { path, story } = file;
    const there = await this.#placeOf(path, file.place);
    if (there === undefined) return leftAlone(path, vscode.l10n.t('It is no longer there.'));
    if (story.type === 'deleted') {
      const isThere = (await this.#deps.reader.stat(path)) !== undefined;
      return isThere
        ? leftAlone(path, vscode.l10n.t('A file with that name already exists.'))
        : { type: 'back', file, change: addition(there, story.image, null) };
    }
    const read = await textAt(there, this.#deps.reader);
    switch (read.type) {
      case 'moved':
        return leftAlone(path, vscode.l10n.t('A folder in its path is a link now.'));
      case 'unreadable':
        return leftAlone(path, read.message);
      case 'nothing':
        this.#deps.reviews.drop(file.uri);
        return leftAlone(path, vscode.l10n.t('It is no longer there.'));
      case 'text':
    }
    if (read.isCells !== (file.isCells ?? false)) {
      return leftAlone(
        path,
        read.isCells
          ? vscode.l10n.t('It is open as a notebook now. Close it and undo again.')
          : vscode.l10n.t('It was changed as a notebook, which is closed now. Open it and undo again.'),
      );
    }
    const now = read.text;
    if (story.type === 'added' && hunks === 'all') {
      if (isTouched(this.#upToDate(file, now))) return leftAlone(path, vscode.l10n.t('You have edited it since.'));
      return { type: 'back', file, change: { kind: 'delete', ...at(there), before: now } };
    }
    return this.#withoutHunks(this.#upToDate(file, now), there, hunks, now);
  }

  /** Finds a file by its place, so that its other names do not matter. */
  async #placeOf(path: string, place: string | undefined): Promise<NamedPlace | undefined> {
    if (place !== undefined) return { path: place, place: { name: place, target: place } };
    const now = (await this.#deps.reader.places([path])).get(path);
    return now === undefined || now instanceof WorkspaceError ? undefined : { path, place: now };
  }

  async #withoutHunks(file: PendingFile, there: NamedPlace, hunks: Choice['hunks'], now: string): Promise<WayBack> {
    const { path, story, text } = file;
    const chosen = text.hunks.filter(({ id, touched }) => (hunks === 'all' ? !touched : hunks.includes(id)));
    const edits = hunksWithout(text, chosen, now);
    if (edits === undefined) return leftAlone(path, vscode.l10n.t('It was changed at the same time.'));
    const change = { kind: 'update' as const, ...at(there), before: now, after: applyHunks(now, edits), hunks: edits };
    const back = { type: 'back' as const, file };
    if (story.type !== 'moved' || hunks !== 'all') {
      if (edits.length === 0) {
        return leftAlone(
          path,
          hunks === 'all' ? vscode.l10n.t('You have edited it since.') : vscode.l10n.t('It is no longer there.'),
        );
      }
      return { ...back, change: { ...change, movedTo: null, movedOver: null } };
    }
    if ((await this.#deps.reader.stat(story.from)) !== undefined)
      return leftAlone(path, vscode.l10n.t('A file with that name already exists.'));
    const from = await this.#placeOf(story.from, story.place);
    if (from === undefined) return leftAlone(path, vscode.l10n.t('It is no longer there.'));
    const places = { ...change.places, movedTo: from.place };
    return { ...back, change: { ...change, movedTo: from.path, movedOver: null, places } };
  }

  /** A closed file may have been changed without an event. */
  #upToDate(file: PendingFile, now: string): PendingFile {
    const known = this.#deps.reviews.at(file.uri) ?? file;
    return hunksWithout(known.text, [], now) === undefined ? this.#deps.reviews.found(known, now, 'user') : known;
  }

  /** Records changes that document events do not report. */
  #done({ file, change }: Extract<WayBack, { type: 'back' }>, final: string | null): void {
    const { reviews } = this.#deps;
    if (change.kind === 'delete') return reviews.drop(file.uri);
    if (change.kind === 'add') {
      const was = file.story.type === 'deleted' ? file.story.was : file.story;
      return reviews.put({ ...file, story: was });
    }
    const known = change.movedTo === null ? reviews.at(file.uri) : reviews.at(uriOf(change.movedTo));
    if (known === undefined) return;
    const story = change.movedTo === null ? known.story : EDITED;
    const text = (known.isCells ? undefined : openDocument(known.uri)?.getText()) ?? final ?? change.after;
    reviews.put({ ...known, story, text: becomeText(known.text, text, 'decision') });
  }
}

/** A kept file after Keep, with its story before. */
interface KeptFile {
  readonly story: FileStory;
  readonly left: PendingFile;
}

const EDITED: FileStory = { type: 'edited' };

type WayBack =
  | { readonly type: 'back'; readonly file: PendingFile; readonly change: ApplyChange }
  | { readonly type: 'left_alone'; readonly what: LeftAlone };

function leftAlone(path: string, reason: string): WayBack {
  return { type: 'left_alone', what: { path, reason } };
}
