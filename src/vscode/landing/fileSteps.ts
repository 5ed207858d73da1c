/** Steps that put whole files down, move them and take them away: one call each, with an inverse (§6). */
import { chmod, rm, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { LandingRefused } from '../../core/patch/placedChange.ts';
import { isMissing } from '../../core/util/fileErrors.ts';
import { decodeText } from '../../core/util/textBytes.ts';
import { openDocument, tabsOf } from '../workspace/documents.ts';
import { sameBytes, sameButEndings } from '../workspace/textContent.ts';
import type { Compensation } from './compensation.ts';
import { isUntouched } from './findFile.ts';
import { FilesMoved, type FoundFile, type LandingStep, type LandingWatch } from './model.ts';

type StepOf<Type extends LandingStep['type']> = Extract<LandingStep, { type: Type }>;

/**
 * By the file system and not by an edit: Ctrl+Z in a file that an edit created deletes it (§2).
 * @throws the error of the file system, or FilesMoved
 */
export async function writeFile(
  step: StepOf<'write'>,
  compensation: Compensation,
  watch: LandingWatch | undefined,
): Promise<void> {
  const { file, bytes, mode, linkTarget, comesFrom } = step;
  if (comesFrom === undefined && !(await isUntouched(file))) throw new FilesMoved([file.path]);
  const folders = file.disk === undefined ? await missingFolders(file.uri) : [];
  const before = comesFrom?.disk?.bytes ?? file.disk?.bytes;
  compensation.add(file.path, () => unwrite(file.uri, before, bytes, folders));
  if (linkTarget !== undefined) {
    await rm(file.uri.fsPath, { force: true });
    return symlink(linkTarget, file.uri.fsPath);
  }
  const after = decodeText(bytes)?.text;
  const text = openDocument(file.uri)?.getText();
  const done = text === undefined || after === undefined ? undefined : watch?.edits(file, { before: text, after });
  await vscode.workspace.fs.writeFile(file.uri, bytes);
  if (mode !== undefined && file.uri.scheme === 'file') await chmod(file.uri.fsPath, mode);
  await bufferTakesUp(file.uri, after);
  done?.();
}

/** With a tab by an edit, so that the tab follows; without one by the file system, which asks nobody anything (§6). */
export async function renameFile(
  { from, to }: StepOf<'rename'>,
  compensation: Compensation,
  watch: LandingWatch | undefined,
): Promise<void> {
  const untouched = await Promise.all([isUntouched(from), isUntouched(to)]);
  if (untouched.includes(false)) throw new FilesMoved([from.path]);
  const folders = to.disk === undefined ? await missingFolders(to.uri) : [];
  await moveFile(from.uri, to.uri, { withTab: from.hadTab || from.isDirty, overwrite: to.exists });
  watch?.moves(from, to);
  compensation.add(from.path, async () => {
    await moveFile(to.uri, from.uri, { withTab: tabsOf(to.uri).length > 0, overwrite: false });
    watch?.moves(to, from);
    if (to.disk !== undefined) await vscode.workspace.fs.writeFile(to.uri, to.disk.bytes);
    await removeFolders(folders);
    return true;
  });
}

/** The last of all steps: it loses most. Its own call closes the tab. */
export async function deleteFile({ file }: StepOf<'delete'>, compensation: Compensation): Promise<void> {
  if (!(await isUntouched(file))) throw new FilesMoved([file.path]);
  if (openDocument(file.uri) === undefined && !file.hadTab) {
    await vscode.workspace.fs.delete(file.uri);
  } else {
    const edit = new vscode.WorkspaceEdit();
    edit.deleteFile(file.uri);
    if (!(await vscode.workspace.applyEdit(edit))) throw new LandingRefused(`${file.path} could not be deleted.`);
  }
  compensation.add(file.path, () => undelete(file));
}

async function undelete({ uri, disk }: FoundFile): Promise<boolean> {
  if (disk === undefined || (await bytesAt(uri)) !== undefined) return false;
  if (disk.linkTarget !== undefined) {
    await symlink(disk.linkTarget, uri.fsPath);
    return true;
  }
  await vscode.workspace.fs.writeFile(uri, disk.bytes);
  if (disk.mode !== undefined) await chmod(uri.fsPath, disk.mode);
  return true;
}

async function moveFile(
  from: vscode.Uri,
  to: vscode.Uri,
  { withTab, overwrite }: { withTab: boolean; overwrite: boolean },
): Promise<void> {
  if (!withTab) return vscode.workspace.fs.rename(from, to, { overwrite });
  const edit = new vscode.WorkspaceEdit();
  edit.renameFile(from, to, { overwrite });
  if (!(await vscode.workspace.applyEdit(edit))) throw new LandingRefused(`${from.fsPath} could not be moved.`);
}

async function unwrite(
  uri: vscode.Uri,
  before: Uint8Array | undefined,
  written: Uint8Array,
  folders: readonly vscode.Uri[],
): Promise<boolean> {
  const now = await bytesAt(uri);
  const isAsBefore = before === undefined ? now === undefined : now !== undefined && sameBytes(now, before);
  if (!isAsBefore) {
    // Anything but our own bytes, whole or in part, is somebody's later work.
    const isOurs = now !== undefined && sameBytes(now, written.subarray(0, now.length));
    if (!isOurs || openDocument(uri)?.isDirty) return false;
    if (before === undefined) await vscode.workspace.fs.delete(uri);
    else await vscode.workspace.fs.writeFile(uri, before);
  }
  await removeFolders(folders);
  return true;
}

async function bytesAt(uri: vscode.Uri): Promise<Uint8Array | undefined> {
  try {
    return await vscode.workspace.fs.readFile(uri);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Inner ones first. */
async function missingFolders(uri: vscode.Uri): Promise<readonly vscode.Uri[]> {
  const missing: vscode.Uri[] = [];
  for (let folder = parentOf(uri); folder.path !== parentOf(folder).path; folder = parentOf(folder)) {
    const stat = await vscode.workspace.fs.stat(folder).then(
      (found) => found,
      () => undefined,
    );
    if (stat !== undefined) break;
    missing.push(folder);
  }
  return missing;
}

/** A folder that got another file meanwhile stays for its sake. */
async function removeFolders(folders: readonly vscode.Uri[]): Promise<void> {
  for (const folder of folders) {
    const entries = await vscode.workspace.fs.readDirectory(folder).then(
      (found) => found,
      () => undefined,
    );
    if (entries?.length !== 0) return;
    await vscode.workspace.fs.delete(folder);
  }
}

function parentOf(uri: vscode.Uri): vscode.Uri {
  return uri.with({ path: dirname(uri.path) });
}

/** An open buffer reads the file again by itself; whoever reads next shall not meet the old text. */
async function bufferTakesUp(uri: vscode.Uri, text: string | undefined): Promise<void> {
  if (text === undefined) return;
  for (let waited = 0; waited < 2000; waited += 25) {
    const document = openDocument(uri);
    if (document === undefined || document.isDirty || sameButEndings(document.getText(), text)) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
