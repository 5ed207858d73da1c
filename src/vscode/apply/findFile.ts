/** Inspects one place on the disk and in the editor, without changes. */
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { ApplyRefused, PlaceMoved } from '../../core/patch/placedChange.ts';
import { describeFileError } from '../../core/util/fileErrors.ts';
import { MAX_TEXT_BYTES } from '../workspace/documentKinds.ts';
import { documentAt, documentOfFile, tabsOf } from '../workspace/documents.ts';
import { isLive, liveContent } from '../workspace/liveContent.ts';
import { notebookOfFile, textOfNotebook } from '../workspace/notebooks.ts';
import { uriOf } from '../workspace/places.ts';
import { textContent } from '../workspace/textContent.ts';
import type { DiskFile, FoundFile } from './model.ts';
import type { Details, PlaceFiles } from './placeFiles.ts';

/** @throws ApplyRefused for a directory or an unreadable file; PlaceMoved when a link leads there now. */
export async function findFile(path: string, files: PlaceFiles): Promise<FoundFile> {
  const notebook = await notebookOfFile(uriOf(path), path);
  if (notebook !== undefined) return foundNotebook(notebook, path, files);
  const document = await documentOfFile(uriOf(path), path);
  const uri = document?.uri ?? uriOf(path);
  const isDirty = isLive(document);
  const disk = uri.scheme === 'untitled' ? undefined : await readDisk(path, files);
  const isText = disk !== undefined && disk.linkTarget === undefined && disk.bytes.length <= MAX_TEXT_BYTES;
  const saved = isText ? await textContent(uri, disk.bytes) : undefined;
  // A clean document equals the disk, or will in a moment (§4: it lags 100 to 200 ms behind a shell).
  const live = isDirty && liveContent(document, saved);
  return {
    path,
    uri,
    disk,
    content: live || saved,
    exists: disk !== undefined || isDirty,
    isDirty,
    hadTab: tabsOf(uri).length > 0,
  };
}

async function foundNotebook(notebook: vscode.NotebookDocument, path: string, files: PlaceFiles): Promise<FoundFile> {
  const { uri, isDirty } = notebook;
  const disk = await readDisk(path, files);
  const content = { text: textOfNotebook(notebook), encoding: 'utf8', hasByteOrderMark: false };
  const hadTab = tabsOf(uri).length > 0;
  return { path, uri, disk, content, exists: disk !== undefined || isDirty, isDirty, hadTab, notebook };
}

/**
 * Returns the place under its own name: removing or replacing acts on the name, and a document that is open under
 * another name (a link, or its target) would have that other name removed instead.
 */
export async function underItsOwnName(found: FoundFile, files: PlaceFiles): Promise<FoundFile> {
  const uri = uriOf(found.path);
  if (found.uri.toString() === uri.toString() || found.isDirty) return found;
  return { ...found, uri, disk: await readDisk(found.path, files), hadTab: tabsOf(uri).length > 0 };
}

async function readDisk(path: string, files: PlaceFiles): Promise<DiskFile | undefined> {
  try {
    const details = await files.details(path);
    if (details === undefined) return undefined;
    mustBeFile(details, path);
    return { ...details, bytes: details.linkTarget === undefined ? await files.read(path) : new Uint8Array() };
  } catch (error) {
    if (error instanceof ApplyRefused || error instanceof PlaceMoved) throw error;
    throw new ApplyRefused(describeFileError(error, path));
  }
}

function mustBeFile({ type }: Details, path: string): void {
  if (type & vscode.FileType.Directory) throw new ApplyRefused(`${path} is a directory.`);
  if (type & (vscode.FileType.File | vscode.FileType.SymbolicLink)) return;
  throw new ApplyRefused(`${path} is a device, a pipe or a socket.`);
}

/** Resolves to true if the file is still as found: not written, not removed, not edited in the editor. */
export async function isUntouched(found: FoundFile, files: PlaceFiles): Promise<boolean> {
  if ((found.notebook?.isDirty ?? isLive(documentAt(found.uri))) !== found.isDirty) return false;
  if (found.uri.scheme === 'untitled') return true;
  try {
    return (await files.details(found.path))?.stamp === found.disk?.stamp;
  } catch {
    return false;
  }
}

/** @throws ApplyRefused when the operating system does not permit writing. */
export async function mustBeWritable({ uri, path, disk }: FoundFile, files: PlaceFiles): Promise<void> {
  if (uri.scheme === 'file') mayWrite(disk === undefined ? await nearestFolder(path, files) : path, files);
}

/** @throws ApplyRefused when the operating system does not permit removing the name. */
export function mustBeRemovable({ uri, path }: FoundFile, files: PlaceFiles): void {
  if (uri.scheme === 'file') mayWrite(dirname(path), files);
}

/** The nearest existing folder; the folders below it are created with the file. */
async function nearestFolder(path: string, files: PlaceFiles): Promise<string> {
  const folder = dirname(path);
  const details = await files.details(folder).catch((error: unknown) => {
    if (error instanceof PlaceMoved) throw error;
    throw new ApplyRefused(describeFileError(error, folder));
  });
  return details === undefined && folder !== dirname(folder) ? nearestFolder(folder, files) : folder;
}

function mayWrite(path: string, files: PlaceFiles): void {
  try {
    files.mustBeWritable(path);
  } catch (error) {
    if (error instanceof PlaceMoved) throw error;
    throw new ApplyRefused(describeFileError(error, path));
  }
}
