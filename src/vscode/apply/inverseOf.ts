/** The change that undoes one applied change, given the files as they are now. Inspects only. */
import * as vscode from 'vscode';
import { applyHunks, hunksFrom, hunksTakingBack } from '../../core/patch/hunkAlgebra.ts';
import { type FilePlace, type Workspace, WorkspaceError } from '../../core/ports.ts';
import { decodeText } from '../../core/util/textBytes.ts';
import { sameBytes } from '../workspace/textContent.ts';
import type { FileImage, AppliedChange, ApplyChange } from './model.ts';

export type Inverse =
  | { readonly type: 'changes'; readonly changes: readonly ApplyChange[] }
  /** `reason`: one sentence for the user. */
  | { readonly type: 'left_alone'; readonly reason: string };

export type Reader = Pick<Workspace, 'read' | 'readBytes' | 'readPlaces' | 'places' | 'stat'>;

/** A path with its approved place: the one for which the policy or the user has approved the patch. */
export interface NamedPlace {
  readonly path: string;
  readonly place: FilePlace;
}

/** `patch`: all changes applied together; files of one patch may have been swapped. */
export async function inverseOf(
  applied: AppliedChange,
  patch: readonly AppliedChange[],
  reader: Reader,
): Promise<Inverse> {
  const { change, before } = applied;
  const there = destinationOf(applied);
  if (change.kind === 'delete') return bringBack(sourceOf(applied), before, reader);
  if (change.kind === 'add' && change.exactly?.linkTarget !== undefined) return removeLink(there, reader);
  if (change.kind === 'add' && change.exactly?.text === null) return removeBytes(there, change.exactly, reader);
  // A file that a move removed from this place is restored by the inverse of that move.
  if (before === null && patch.some((other) => movedFrom(other) === there.path)) return changes();

  const read = await textAt(there, reader);
  if (read.type === 'moved') return leadsElsewhere();
  if (read.type !== 'text') return leftAlone(vscode.l10n.t('It is no longer there.'));
  if (read.isCells !== (applied.cells !== undefined)) return inverseOfFile(applied, there, read, reader);
  const now = read.text;
  if (before === null) return now === applied.final ? changes(removal(behindLinks(there), now)) : changedSince();

  const text = textBefore(applied, now);
  if (text === undefined) return changedSince();
  if (change.kind === 'add') {
    const isOurs = now === applied.final;
    return changes(isOurs ? addition(there, before, now) : update(there, now, text));
  }
  return there.path === change.path
    ? changes(update(there, now, text))
    : moveBack(applied, { now, text }, patch, reader);
}

/** A notebook was opened or closed since: only its whole file can be restored, when it is as the patch left it. */
async function inverseOfFile(
  { before, final, cells }: AppliedChange,
  there: NamedPlace,
  { text, dirty }: Extract<TextAtPlace, { type: 'text' }>,
  reader: Reader,
): Promise<Inverse> {
  const bytes = await reader.readBytes(there.path).catch(() => undefined);
  const isOurs =
    cells === undefined
      ? bytes !== undefined && !dirty && decodeText(bytes)?.text === final
      : bytes !== undefined && cells.saved !== null && sameBytes(bytes, cells.saved);
  if (isOurs) return changes(before === null ? removal(behindLinks(there), text) : addition(there, before, text));
  return leftAlone(
    cells === undefined
      ? vscode.l10n.t('It is open as a notebook now, and was changed since.')
      : vscode.l10n.t('It was changed as a notebook, which is closed now. Open it and undo again.'),
  );
}

/** `undefined` when the same lines were changed since. */
function textBefore({ change, before, edited, final }: AppliedChange, now: string): string | undefined {
  const planned = change.kind === 'update' ? change : undefined;
  const old = edited?.before ?? planned?.before ?? before?.text ?? '';
  const left = edited?.after ?? planned?.after ?? final ?? '';
  const hunks = hunksTakingBack(hunksFrom(old, left), { before: old, after: left, now });
  if (hunks !== undefined) return applyHunks(now, hunks);
  // A formatter changed our lines on save and the file is unchanged since.
  return now === final ? old : undefined;
}

async function bringBack(named: NamedPlace, image: FileImage | null, reader: Reader): Promise<Inverse> {
  if (image === null) return changes();
  if (!(await isReached(named, reader))) return leadsElsewhere();
  const isThere = (await reader.stat(named.path)) !== undefined;
  return isThere ? newFileThere() : changes(addition(named, image, null));
}

async function moveBack(
  applied: AppliedChange,
  { now, text }: { now: string; text: string },
  patch: readonly AppliedChange[],
  reader: Reader,
): Promise<Inverse> {
  const { before, over } = applied;
  const from = destinationOf(applied);
  const named = sourceOf(applied);
  if (!(await isReached(named, reader))) return leadsElsewhere();
  let movedOver: string | null = null;
  if ((await reader.stat(named.path)) !== undefined) {
    const ours = patch.find((other) => other !== applied && destinationOf(other).path === named.path);
    const read = await textAt(named, reader);
    movedOver = read.type === 'text' ? read.text : null;
    if (ours === undefined || movedOver === null || movedOver !== ours.final) return newFileThere();
  }
  const replaced = over === null ? [] : [over];
  // Only the link was removed; its target was not changed.
  if (before?.linkTarget !== undefined) {
    const destination = replaced.map((image) => addition(from, image, now));
    const rest = over === null ? [removal(behindLinks(from), now)] : destination;
    return changes(addition(named, before, null), ...rest);
  }
  const back = update(from, now, text);
  const moved = { ...back, movedTo: named.path, movedOver, places: { ...back.places, movedTo: named.place } };
  return changes(moved, ...replaced.map((image) => addition(from, image, null)));
}

/** A file that is not text can only be compared whole. */
async function removeBytes(named: NamedPlace, { bytes }: FileImage, reader: Reader): Promise<Inverse> {
  const now = await reader.readBytes(named.path).then(
    (read) => read,
    () => undefined,
  );
  if (now === undefined) return leftAlone(vscode.l10n.t('It is no longer there.'));
  return bytes !== null && Buffer.compare(now, bytes) === 0 ? changes(removal(named, null)) : changedSince();
}

/** Resolves to true if the path's folders still lead to the approved place. */
async function isReached({ path, place }: NamedPlace, reader: Reader): Promise<boolean> {
  const now = (await reader.places([path])).get(path);
  return now !== undefined && !(now instanceof WorkspaceError) && now.name === place.name;
}

/** Removes the link only, wherever it leads. */
async function removeLink({ path, place }: NamedPlace, reader: Reader): Promise<Inverse> {
  const now = (await reader.places([path])).get(path);
  if (now === undefined || now instanceof WorkspaceError || now.name !== place.name) return leadsElsewhere();
  if (now.target === now.name) return changedSince();
  const read = await textAt({ path, place: now }, reader);
  return changes(removal({ path, place: now }, read.type === 'text' ? read.text : null));
}

/** The path that the change freed: restored there is a regular file, not a link. */
function sourceOf({ change }: AppliedChange): NamedPlace {
  const { name } = change.places.path;
  return { path: change.path, place: { name, target: name } };
}

function destinationOf({ change }: AppliedChange): NamedPlace {
  const { path, movedTo } = change.places;
  const isMoved = change.kind === 'update' && change.movedTo !== null && movedTo !== null;
  return isMoved ? { path: change.movedTo, place: movedTo } : { path: change.path, place: path };
}

/** A file that was added through a link: the link's target was created, and the inverse removes it. */
function behindLinks(named: NamedPlace): NamedPlace {
  const { name, target } = named.place;
  return name === target ? named : { path: target, place: { name: target, target } };
}

function movedFrom({ change }: AppliedChange): string | undefined {
  return change.kind === 'update' && change.movedTo !== null ? change.path : undefined;
}

type TextAtPlace =
  /** `isCells`: the file is open as a notebook, and the text is that of its cells. */
  | { readonly type: 'text'; readonly text: string; readonly isCells: boolean; readonly dirty: boolean }
  | { readonly type: 'nothing' }
  /** `message`: the reason. */
  | { readonly type: 'unreadable'; readonly message: string }
  | { readonly type: 'moved' };

/** Unsaved text included. `moved`: the path no longer leads to the approved place. */
export async function textAt({ path, place }: NamedPlace, reader: Reader): Promise<TextAtPlace> {
  const found = (await reader.readPlaces(new Map([[path, place]]))).get(path);
  if (found === undefined) return { type: 'nothing' };
  if (!(found instanceof WorkspaceError)) {
    return { type: 'text', text: found.text, isCells: found.isCells ?? false, dirty: found.dirty };
  }
  if (found.code === 'moved') return { type: 'moved' };
  return found.code === 'not_found' ? { type: 'nothing' } : { type: 'unreadable', message: found.message };
}

function update(named: NamedPlace, before: string, after: string): Extract<ApplyChange, { kind: 'update' }> {
  const hunks = hunksFrom(before, after);
  return { kind: 'update', ...at(named), before, after, hunks, movedTo: null, movedOver: null };
}

function removal(named: NamedPlace, before: string | null): ApplyChange {
  return { kind: 'delete', ...at(named), before };
}

/** Restores the exact bytes from the disk, unless the user had unsaved text there: then that text. */
export function addition(named: NamedPlace, image: FileImage, before: string | null): ApplyChange {
  const text = image.text ?? '';
  const onDisk = image.bytes === null ? undefined : decodeText(image.bytes)?.text;
  const wasUnsaved = image.text !== null && onDisk !== undefined && onDisk !== image.text;
  return { kind: 'add', ...at(named), text, before, exactly: wasUnsaved ? { ...image, bytes: null } : image };
}

/** The path fields of a change that touches one path only. */
export function at({ path, place }: NamedPlace): Pick<ApplyChange, 'path' | 'places'> {
  return { path, places: { path: place, movedTo: null } };
}

function changes(...made: readonly ApplyChange[]): Inverse {
  return { type: 'changes', changes: made };
}

function changedSince(): Inverse {
  return leftAlone(vscode.l10n.t('The same lines were changed since.'));
}

function newFileThere(): Inverse {
  return leftAlone(vscode.l10n.t('A file with that name already exists.'));
}

function leadsElsewhere(): Inverse {
  return leftAlone(vscode.l10n.t('A folder in its path is a link now.'));
}

function leftAlone(reason: string): Inverse {
  return { type: 'left_alone', reason };
}
