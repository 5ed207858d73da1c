/** The Workspace port in VS Code: unsaved buffers where there are any, else the disk (docs/design.md decision 5). */
import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import {
  type ApplyResult,
  type DirectoryEntry,
  type FilePlaces,
  type FileStat,
  type TextFile,
  toWorkspaceError,
  type Workspace,
  WorkspaceError,
} from '../../core/ports.ts';
import { PlaceMoved } from '../../core/patch/placedChange.ts';
import { abortable } from '../../core/util/abort.ts';
import { isMissing } from '../../core/util/fileErrors.ts';
import { MAX_TEXT_BYTES } from '../workspace/documentKinds.ts';
import type { AppliedChange, ApplyChange, ApplyDeps, ApplyWatch, PatchOrigin } from './model.ts';
import { PlaceFiles } from './placeFiles.ts';
import { placesInEditor } from './placeInEditor.ts';
import { restoreInEditor } from './restoreInEditor.ts';
import { UnsavedFiles } from './unsavedFiles.ts';
import { applyPatch } from './applyPatch.ts';
import { dirtyFiles, documentOfFile } from '../workspace/documents.ts';
import { dirtyNotebooks, notebookOfFile, textOfNotebook } from '../workspace/notebooks.ts';
import { fileBytes, fileDetails } from '../workspace/fileAccess.ts';
import { isLive } from '../workspace/liveContent.ts';
import { uriOf, workspaceRoots } from '../workspace/places.ts';
import { textContent } from '../workspace/textContent.ts';

export interface EditorWorkspaceOptions extends ApplyDeps {
  /** Called after an undo or a redo. */
  readonly onRestored?: (changes: readonly AppliedChange[]) => void;
  /** The observer of an undo or a redo. */
  readonly watchOfRestore?: () => ApplyWatch;
  /** Called after each applied patch, so that it can be undone. */
  readonly onApplied?: (changes: readonly AppliedChange[], origin: PatchOrigin | undefined) => void;
  /** `Workspace.findLinks` for files on the disk, in these places. */
  readonly findLinks: NonNullable<Workspace['findLinks']>;
  /** The observer of one application, called while it runs. */
  readonly watchFor?: (origin: PatchOrigin | undefined) => ApplyWatch;
}

export interface EditorWorkspace extends Workspace {
  apply(changes: readonly ApplyChange[], signal?: AbortSignal, origin?: PatchOrigin): Promise<ApplyResult>;
}

export function createEditorWorkspace({
  onApplied,
  watchFor,
  onRestored,
  watchOfRestore,
  findLinks,
  ...deps
}: EditorWorkspaceOptions): EditorWorkspace {
  const unsaved = new UnsavedFiles(deps);
  return {
    get roots() {
      return workspaceRoots();
    },
    read: (path, signal) => (signal ? abortable(readText(path), signal) : readText(path)),
    readBytes: (path, options) => {
      const reading = readBytes(path, options?.maxBytes ?? MAX_TEXT_BYTES);
      return options?.signal ? abortable(reading, options.signal) : reading;
    },
    stat: statPath,
    realPath: realPathOf,
    places: (paths) => placesInEditor(paths, deps.canonicalPaths()),
    readPlaces: (places, signal) => readAtPlaces(places, deps, signal),
    findLinks: (files, wanted, also) => findLinks(files.filter(isOnDisk), wanted, [...diskFolders(), ...also]),
    list: listDirectory,
    async apply(changes: readonly ApplyChange[], signal, origin) {
      const { staysUnsaved } = origin ?? {};
      const result = await applyPatch(changes, { ...deps, watch: watchFor?.(origin), staysUnsaved }, signal);
      if (result.type !== 'applied') return result;
      // A command does not save files that the user has to save.
      if (staysUnsaved !== true) unsaved.note(result.files, changes);
      onApplied?.(result.changes, origin);
      return { type: 'applied', files: result.files };
    },
    unsavedFiles: () => unsaved.paths,
    unsavedTexts: () => [...dirtyFiles(), ...dirtyNotebooks().map(({ uri }) => uri.fsPath)],
    moves: deps.moves.log,
    save: (paths) => unsaved.save(paths),
    async restore(files, folders) {
      const result = await restoreInEditor(files, folders, { ...deps, watch: watchOfRestore?.() });
      if (result.type !== 'restored') return result;
      onRestored?.(result.changes);
      return { type: 'restored' };
    },
  };
}

/** Follows links as they are now. */
function readText(path: string): Promise<TextFile> {
  return textAt(path, uriOf(path), { read: () => readBytes(path, MAX_TEXT_BYTES) });
}

/**
 * A clean document equals the disk, or will in a moment, and the disk preserves mixed line endings, which a buffer does
 * not: only unsaved text is taken from the buffer. `place`: the resolved place of the file, where known.
 */
async function textAt(
  path: string,
  uri: vscode.Uri,
  { read, place }: { readonly read: () => Promise<Uint8Array>; readonly place?: string },
): Promise<TextFile> {
  const notebook = await notebookOfFile(uri, place);
  if (notebook !== undefined) {
    return { text: textOfNotebook(notebook), source: 'buffer', dirty: notebook.isDirty, isCells: true };
  }
  const document = await documentOfFile(uri, place);
  if (isLive(document)) {
    return { text: document.getText(), source: 'buffer', dirty: true };
  }
  const content = await textContent(uri, await read());
  if (content === undefined) {
    throw new WorkspaceError(
      'not_text',
      path,
      `${path} is not text: it is binary, or its encoding is not the one VS Code opens it with (files.encoding).`,
    );
  }
  return { text: content.text, source: document === undefined ? 'disk' : 'buffer', dirty: false };
}

async function readAtPlaces(
  places: FilePlaces,
  { holdFolders }: ApplyDeps,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, TextFile | WorkspaceError>> {
  const files = new PlaceFiles(holdFolders());
  try {
    const found = [...places].map(async ([path, { target }]) => [path, await readAt(target, path, files)] as const);
    const read = Promise.all(found);
    return new Map(await (signal ? abortable(read, signal) : read));
  } finally {
    files.dispose();
  }
}

/** Never rejects: failures are returned. */
async function readAt(place: string, path: string, files: PlaceFiles): Promise<TextFile | WorkspaceError> {
  try {
    return await textAt(path, uriOf(place), { read: () => bytesAt(place, path, files), place });
  } catch (error) {
    if (error instanceof PlaceMoved) return new WorkspaceError('moved', path, `${path} leads elsewhere now.`);
    return toWorkspaceError(error, path);
  }
}

async function bytesAt(place: string, path: string, files: PlaceFiles): Promise<Uint8Array> {
  const details = await files.details(place);
  if (details === undefined) throw new WorkspaceError('not_found', path, `${path} does not exist.`);
  if (details.linkTarget !== undefined) throw new PlaceMoved(place);
  mustBeReadable(details, path, MAX_TEXT_BYTES);
  return files.read(place);
}

function mustBeReadable({ type, size }: Pick<vscode.FileStat, 'type' | 'size'>, path: string, maxBytes: number): void {
  if (type & vscode.FileType.Directory) throw new WorkspaceError('is_directory', path, `${path} is a directory.`);
  // Reading a pipe or a device may never end.
  if ((type & vscode.FileType.File) === 0) {
    throw new WorkspaceError('io', path, `${path} is a device, a pipe or a socket.`);
  }
  if (size > maxBytes) {
    throw new WorkspaceError('too_large', path, `${path} has ${size} bytes; the limit is ${maxBytes}.`);
  }
}

async function readBytes(path: string, maxBytes: number): Promise<Uint8Array> {
  const uri = uriOf(path);
  try {
    mustBeReadable(await fileDetails(uri), path, maxBytes);
    return await fileBytes(uri);
  } catch (error) {
    throw toWorkspaceError(error, path);
  }
}

async function statPath(path: string): Promise<FileStat | undefined> {
  try {
    const { type, size, mtime } = await fileDetails(uriOf(path));
    return {
      type: type & vscode.FileType.File ? 'file' : type & vscode.FileType.Directory ? 'directory' : 'other',
      symbolicLink: (type & vscode.FileType.SymbolicLink) !== 0,
      size,
      modifiedAt: mtime,
    };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw toWorkspaceError(error, path);
  }
}

function isOnDisk(path: string): boolean {
  return uriOf(path).scheme === 'file';
}

function diskFolders(): readonly string[] {
  return workspaceRoots().filter(isOnDisk);
}

/** Resolves links on the disk; on other file systems, which have none, the path is the place. */
async function realPathOf(path: string): Promise<string> {
  const uri = uriOf(path);
  if (uri.scheme !== 'file') return path;
  try {
    return await realpath(uri.fsPath);
  } catch (error) {
    throw toWorkspaceError(error, path);
  }
}

async function listDirectory(path: string): Promise<readonly DirectoryEntry[]> {
  try {
    const entries = await vscode.workspace.fs.readDirectory(uriOf(path));
    return entries
      .map(([name, type]) => ({ name, type: entryType(type) }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    throw toWorkspaceError(error, path);
  }
}

function entryType(type: vscode.FileType): DirectoryEntry['type'] {
  if (type & vscode.FileType.SymbolicLink) return 'symbolic_link';
  if (type & vscode.FileType.File) return 'file';
  return type & vscode.FileType.Directory ? 'directory' : 'other';
}
