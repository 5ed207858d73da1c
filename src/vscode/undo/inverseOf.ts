/** What would take one landed change back, as the files stand now. Looks, and touches nothing. */
import * as vscode from 'vscode';
import { applyHunks, hunksFrom, hunksTakingBack } from '../../core/patch/hunkAlgebra.ts';
import type { Workspace } from '../../core/ports.ts';
import { decodeText } from '../../core/util/textBytes.ts';
import type { FileImage, LandedChange, LandingChange } from '../landing/model.ts';

export type Inverse =
  | { readonly type: 'changes'; readonly changes: readonly LandingChange[] }
  /** `reason`: one sentence for a person. */
  | { readonly type: 'left_alone'; readonly reason: string };

export type Reader = Pick<Workspace, 'read' | 'readBytes' | 'stat'>;

/** `patch`: all that landed with it; files of one patch may have changed places. */
export async function inverseOf(
  landed: LandedChange,
  patch: readonly LandedChange[],
  reader: Reader,
): Promise<Inverse> {
  const { change, before } = landed;
  const name = destinationOf(landed);
  if (change.kind === 'delete') return bringBack(change.path, before, reader);
  if (change.kind === 'add' && change.exactly?.text === null) return removeBytes(name, change.exactly, reader);
  // What a move takes back its place from goes with that move.
  if (before === null && patch.some((other) => movedFrom(other) === name)) return changes();

  const now = await textAt(name, reader);
  if (now === undefined) return leftAlone(vscode.l10n.t('It is no longer there.'));
  if (before === null) return now === landed.final ? changes(removal(name, now)) : changedSince();

  const text = textBefore(landed, now);
  if (text === undefined) return changedSince();
  if (change.kind === 'add') {
    const isOurs = now === landed.final;
    return changes(isOurs ? addition(name, before, now) : update(name, now, text));
  }
  return name === change.path ? changes(update(name, now, text)) : moveBack(landed, { now, text }, patch, reader);
}

/** `undefined` when somebody worked on the same lines. */
function textBefore({ change, before, edited, final }: LandedChange, now: string): string | undefined {
  const planned = change.kind === 'update' ? change : undefined;
  const old = edited?.before ?? planned?.before ?? before?.text ?? '';
  const left = edited?.after ?? planned?.after ?? final ?? '';
  const hunks = hunksTakingBack(hunksFrom(old, left), { before: old, after: left, now });
  if (hunks !== undefined) return applyHunks(now, hunks);
  // A formatter had its way with our lines and nobody else came after it.
  return now === final ? old : undefined;
}

async function bringBack(path: string, image: FileImage | null, reader: Reader): Promise<Inverse> {
  if (image === null) return changes();
  if ((await reader.stat(path)) !== undefined) return leftAlone(vscode.l10n.t('There is a new file of that name.'));
  return changes(addition(path, image, null));
}

async function moveBack(
  landed: LandedChange,
  { now, text }: { now: string; text: string },
  patch: readonly LandedChange[],
  reader: Reader,
): Promise<Inverse> {
  const { change, before, over } = landed;
  const { path } = change;
  const from = destinationOf(landed);
  let movedOver: string | null = null;
  if ((await reader.stat(path)) !== undefined) {
    const ours = patch.find((other) => other !== landed && destinationOf(other) === path);
    movedOver = (await textAt(path, reader)) ?? null;
    if (ours === undefined || movedOver === null || movedOver !== ours.final) {
      return leftAlone(vscode.l10n.t('There is a new file of that name.'));
    }
  }
  const replaced = over === null ? [] : [over];
  // Of a link only the link was removed: what it leads to was never touched.
  if (before?.linkTarget !== undefined) {
    const destination = replaced.map((image) => addition(from, image, now));
    return changes(addition(path, before, null), ...(over === null ? [removal(from, now)] : destination));
  }
  const back = { ...update(from, now, text), movedTo: path, movedOver };
  return changes(back, ...replaced.map((image) => addition(from, image, null)));
}

/** A file that is no text can only be compared whole. */
async function removeBytes(path: string, { bytes }: FileImage, reader: Reader): Promise<Inverse> {
  const now = await reader.readBytes(path).then(
    (read) => read,
    () => undefined,
  );
  if (now === undefined) return leftAlone(vscode.l10n.t('It is no longer there.'));
  return bytes !== null && Buffer.compare(now, bytes) === 0 ? changes(removal(path, null)) : changedSince();
}

function destinationOf({ change }: LandedChange): string {
  return change.kind === 'update' ? (change.movedTo ?? change.path) : change.path;
}

function movedFrom({ change }: LandedChange): string | undefined {
  return change.kind === 'update' && change.movedTo !== null ? change.path : undefined;
}

/** Unsaved text included; `undefined` when there is none. */
function textAt(path: string, reader: Reader): Promise<string | undefined> {
  return reader.read(path).then(
    ({ text }) => text,
    () => undefined,
  );
}

function update(path: string, before: string, after: string): Extract<LandingChange, { kind: 'update' }> {
  return { kind: 'update', path, before, after, hunks: hunksFrom(before, after), movedTo: null, movedOver: null };
}

function removal(path: string, before: string | null): LandingChange {
  return { kind: 'delete', path, before };
}

/** With the very bytes that were on disk, unless the person had unsaved text there: that is what comes back. */
export function addition(path: string, image: FileImage, before: string | null): LandingChange {
  const text = image.text ?? '';
  const onDisk = image.bytes === null ? undefined : decodeText(image.bytes)?.text;
  const wasUnsaved = image.text !== null && onDisk !== undefined && onDisk !== image.text;
  return { kind: 'add', path, text, before, exactly: wasUnsaved ? { ...image, bytes: null } : image };
}

function changes(...made: readonly LandingChange[]): Inverse {
  return { type: 'changes', changes: made };
}

function changedSince(): Inverse {
  return leftAlone(vscode.l10n.t('The same lines were changed since.'));
}

function leftAlone(reason: string): Inverse {
  return { type: 'left_alone', reason };
}
