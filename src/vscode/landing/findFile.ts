/** Looks at one place, on the disk and in the editor. Touches nothing. */
import { type BigIntStats, constants } from 'node:fs';
import { access, lstat, readlink, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { LandingRefused } from '../../core/patch/placedChange.ts';
import { describeFileError, isMissing } from '../../core/util/fileErrors.ts';
import { MAX_TEXT_BYTES } from '../documentKinds.ts';
import { documentAt, documentOfFile, tabsOf } from '../workspace/documents.ts';
import { uriOf } from '../workspace/places.ts';
import { textContent } from '../workspace/textContent.ts';
import type { DiskFile, FoundFile } from './model.ts';

/** @throws LandingRefused when it is a directory, or cannot be read. */
export async function findFile(path: string): Promise<FoundFile> {
  const document = await documentOfFile(uriOf(path));
  const uri = document?.uri ?? uriOf(path);
  const isDirty = isLive(document);
  const disk = uri.scheme === 'untitled' ? undefined : await readDisk(uri, path);
  const saved = disk && disk.bytes.length <= MAX_TEXT_BYTES ? await textContent(uri, disk.bytes) : undefined;
  // A clean document is the disk, or will be in a moment (§4: it lags 100 to 200 ms behind a shell).
  const live = isDirty && {
    text: document.getText(),
    encoding: document.encoding.replace(/^utf8bom$/, 'utf8'),
    hasByteOrderMark: saved?.hasByteOrderMark ?? document.encoding === 'utf8bom',
  };
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

/** Whether its text stands nowhere else. What was never saved is so even while VS Code does not yet call it dirty. */
function isLive(document: vscode.TextDocument | undefined): document is vscode.TextDocument {
  return document !== undefined && (document.isDirty || document.isUntitled);
}

/**
 * The same place as the name that it is: what is removed or replaced is the name, and a document that is open by another
 * one (a link, or what it leads to) would have that taken away instead.
 */
export async function underItsOwnName(found: FoundFile): Promise<FoundFile> {
  const uri = uriOf(found.path);
  if (found.uri.toString() === uri.toString() || found.isDirty) return found;
  return { ...found, uri, disk: await readDisk(uri, found.path), hadTab: tabsOf(uri).length > 0 };
}

async function readDisk(uri: vscode.Uri, path: string): Promise<DiskFile | undefined> {
  try {
    const details = await detailsOf(uri);
    if (details.type & vscode.FileType.Directory) throw new LandingRefused(`${path} is a directory.`);
    if ((details.type & (vscode.FileType.File | vscode.FileType.SymbolicLink)) === 0) {
      throw new LandingRefused(`${path} is a device, a pipe or a socket.`);
    }
    const isDangling = details.linkTarget !== undefined && details.type === vscode.FileType.SymbolicLink;
    return { ...details, bytes: isDangling ? new Uint8Array() : await vscode.workspace.fs.readFile(uri) };
  } catch (error) {
    if (error instanceof LandingRefused) throw error;
    if (isMissing(error)) return undefined;
    throw new LandingRefused(describeFileError(error, path));
  }
}

type Details = Omit<DiskFile, 'bytes'> & { readonly type: vscode.FileType };

/** VS Code's stat knows neither permissions nor names (§6), so the disk of this machine is asked itself. */
async function detailsOf(uri: vscode.Uri): Promise<Details> {
  if (uri.scheme !== 'file') {
    const { type, mtime, size } = await vscode.workspace.fs.stat(uri);
    return { type, stamp: `${mtime}:${size}`, mode: undefined, identity: undefined, linkTarget: undefined };
  }
  const link = await lstat(uri.fsPath, { bigint: true });
  const linkTarget = link.isSymbolicLink() ? await readlink(uri.fsPath) : undefined;
  // A link that leads nowhere is all there is.
  const stats = linkTarget === undefined ? link : await stat(uri.fsPath, { bigint: true }).catch(() => link);
  return {
    type: typeOf(stats),
    stamp: [stats.dev, stats.ino, stats.size, stats.mtimeNs].join(':'),
    mode: Number(stats.mode & 0o7777n),
    identity: stats.nlink > 1n ? `${stats.dev}:${stats.ino}` : undefined,
    linkTarget,
  };
}

function typeOf(stats: BigIntStats): vscode.FileType {
  if (stats.isFile()) return vscode.FileType.File;
  if (stats.isDirectory()) return vscode.FileType.Directory;
  return stats.isSymbolicLink() ? vscode.FileType.SymbolicLink : vscode.FileType.Unknown;
}

/** Whether the file is still the one that was found: not written, not removed, not typed into. */
export async function isUntouched(found: FoundFile): Promise<boolean> {
  if (isLive(documentAt(found.uri)) !== found.isDirty) return false;
  if (found.uri.scheme === 'untitled') return true;
  const stamp = await detailsOf(found.uri).then(
    (details) => details.stamp,
    () => undefined,
  );
  return stamp === found.disk?.stamp;
}

/** @throws LandingRefused when the system would not let us. */
export async function mustBeWritable({ uri, path, disk }: FoundFile): Promise<void> {
  if (uri.scheme !== 'file') return;
  await mayWrite(disk === undefined ? await nearestFolder(path) : path);
}

/** @throws LandingRefused when the name could not be taken away. */
export async function mustBeRemovable({ uri, path }: FoundFile): Promise<void> {
  if (uri.scheme === 'file') await mayWrite(dirname(path));
}

/** The folder that exists already; the ones below it are made with the file. */
async function nearestFolder(path: string): Promise<string> {
  const folder = dirname(path);
  const stats = await stat(folder).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw new LandingRefused(describeFileError(error, folder));
  });
  return stats === undefined && folder !== dirname(folder) ? nearestFolder(folder) : folder;
}

async function mayWrite(path: string): Promise<void> {
  await access(path, constants.W_OK).catch((error: unknown) => {
    throw new LandingRefused(describeFileError(error, path));
  });
}
