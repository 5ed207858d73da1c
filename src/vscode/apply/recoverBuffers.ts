/**
 * Unsaved documents of a patch whose application a crash of VS Code cut off. The window restores them as they were; if
 * only the disk were recovered, the user could save half a patch by mistake.
 */
import * as vscode from 'vscode';
import { applyHunks, hunksFrom, hunksTakingBack } from '../../core/patch/hunkAlgebra.ts';
import type { TextHunk } from '../../core/ports.ts';
import { documentAt, documentOfFile, hasUnsavedText, tabsOf } from '../workspace/documents.ts';
import { uriOf } from '../workspace/places.ts';
import { sameBytes, sameButEndings, textContent } from '../workspace/textContent.ts';
import type { ApplyDeps } from './model.ts';
import { type JournalledCells, mustChangeCells, recoverCells } from './recoverCells.ts';
import { isStable, type PathGuard, withPathGuard } from './pathGuard.ts';
import type { PlaceFiles } from './placeFiles.ts';
import { replaceHunks } from './replaceHunks.ts';
import { holdsDisk, untilDiskIsShown } from './showDisk.ts';

/** `from` is the image that the recovery choice leaves, `to` the one it reaches; `null`: the file does not exist. */
export interface CutText {
  readonly path: string;
  readonly from: Uint8Array | null;
  readonly to: Uint8Array | null;
  /** It held unsaved edits of the user before the patch. */
  readonly staysUnsaved: boolean;
  /** `from` and `to` are texts of cells of a notebook. */
  readonly cells?: JournalledCells;
}

export interface RecoveredBuffers {
  /** Recovered beside unsaved edits of the user, and left unsaved like these. */
  readonly unsaved: readonly string[];
  /** Files whose same lines were changed since. */
  readonly leftAlone: readonly string[];
  /** A link leads elsewhere now: the file there is another one. */
  readonly moved: readonly string[];
  /** Call after the disk is recovered; resolves when no document without edits shows an older text. Never rejects. */
  readonly readDisk: () => Promise<void>;
}

/** Call before the disk is written: VS Code refuses to save over a file that has changed. Never rejects. */
export function recoverBuffers(texts: readonly CutText[], deps: RecoveryDeps): Promise<RecoveredBuffers> {
  return withPathGuard(deps, (guard, files) => recover(texts, { guard, files, pathWrites: deps.pathWrites }));
}

export type RecoveryDeps = Pick<ApplyDeps, 'holdFolders' | 'pathWrites'>;

interface Context extends Pick<ApplyDeps, 'pathWrites'> {
  readonly guard: PathGuard;
  readonly files: PlaceFiles;
}

async function recover(texts: readonly CutText[], context: Context): Promise<RecoveredBuffers> {
  const unsaved: string[] = [];
  const leftAlone: string[] = [];
  const moved: string[] = [];
  const stuck: { document: vscode.TextDocument; isGone: boolean }[] = [];
  for (const text of texts) {
    if (!context.files.isReachedBy(text.path, text.path)) {
      moved.push(text.path);
      continue;
    }
    if (text.cells !== undefined) {
      const outcome = await recoverCells(text, text.cells, context).catch(() => 'left_alone' as const);
      if (outcome === 'unsaved') unsaved.push(text.path);
      if (outcome === 'left_alone') leftAlone.push(text.path);
      continue;
    }
    const unsavedDocument = await unsavedAt(text.path);
    const document = unsavedDocument ?? (await shownAt(text).catch(() => undefined));
    if (document === undefined) continue;
    const outcome = await bring(document, text, context).catch(() => 'left_alone' as const);
    if (outcome === 'unsaved') unsaved.push(text.path);
    if (outcome === 'left_alone') leftAlone.push(text.path);
    if (outcome === 'stuck') stuck.push({ document, isGone: text.to === null });
  }
  const readDisk = async () => {
    await revert(stuck).catch(() => {});
    await untilDiskIsShown(texts.map(({ path }) => uriOf(path))).catch(() => {});
  };
  return { unsaved, leftAlone, moved, readDisk };
}

/** The revert command acts on the active editor only. Afterwards the user's editor is active again. */
async function revert(stuck: readonly { readonly document: vscode.TextDocument; readonly isGone: boolean }[]) {
  const activeEditor = vscode.window.activeTextEditor;
  for (const { document, isGone } of stuck) {
    await vscode.window.showTextDocument(document, { preserveFocus: true });
    await vscode.commands.executeCommand(
      isGone ? 'workbench.action.revertAndCloseActiveEditor' : 'workbench.action.files.revert',
    );
  }
  if (stuck.length === 0 || activeEditor === undefined || activeEditor.document.isClosed) return;
  await vscode.window.showTextDocument(activeEditor.document, {
    viewColumn: activeEditor.viewColumn,
    preserveFocus: true,
  });
}

/** Resolves to true if an unsaved document still has changes to recover. */
export async function holdsUnsaved(texts: readonly CutText[]): Promise<boolean> {
  for (const text of texts) {
    if (text.cells !== undefined) {
      if (await mustChangeCells(text)) return true;
      continue;
    }
    const document = await unsavedAt(text.path);
    if (document !== undefined && ((await wayTo(document, text))?.hunks.length ?? 0) > 0) return true;
  }
  return false;
}

async function bring(
  document: vscode.TextDocument,
  text: CutText,
  { guard, files, pathWrites }: Context,
): Promise<'done' | 'unsaved' | 'stuck' | 'left_alone'> {
  const { uri } = document;
  if (text.to === null) return (await isExactly(document, text.from)) ? 'stuck' : 'left_alone';
  const way = await wayTo(document, text);
  const isToBeSaved = way?.isAll && !text.staysUnsaved;
  // In these cases the disk is written without VS Code, and the document reloads it.
  if (isToBeSaved && ((await isSavedAlready(document)) || !(await isStable({ uri, path: text.path }, pathWrites))))
    return 'stuck';
  if (way === undefined || !(await replaceHunks(uri, way.hunks))) return 'left_alone';
  if (text.staysUnsaved && way.hunks.length === 0) return 'done';
  if (text.staysUnsaved || !way.isAll) return 'unsaved';
  const changed = documentAt(uri) ?? document;
  if ((await guard.save(changed, text.path)) !== 'saved') return 'stuck';
  // A formatter may have changed the text on save; the recovery wants the exact bytes.
  const bytes = await files.read(text.path);
  if (!sameBytes(bytes, text.to) && !hasUnsavedText(changed)) await files.write(text.path, text.to);
  return 'done';
}

/**
 * VS Code ended between saving the document and recording the save: it restores the text as unsaved, and saving it
 * would only fail because the file is newer.
 */
async function isSavedAlready(document: vscode.TextDocument): Promise<boolean> {
  return hasUnsavedText(document) && (await holdsDisk(document)) === true;
}

/** `isAll`: the hunks give exactly the target text. `undefined` when the user has changed the same lines. */
async function wayTo(
  document: vscode.TextDocument,
  { from, to }: CutText,
): Promise<{ readonly hunks: readonly TextHunk[]; readonly isAll: boolean } | undefined> {
  const target = to && (await textContent(document.uri, to))?.text;
  if (typeof target !== 'string') return undefined;
  const now = document.getText();
  if (sameButEndings(now, target)) return { hunks: [], isAll: true };
  const origin = from && (await textContent(document.uri, from))?.text;
  if (typeof origin !== 'string') return undefined;
  const hunks = hunksTakingBack(hunksFrom(target, origin), { before: target, after: origin, now });
  return hunks && { hunks, isAll: applyHunks(now, hunks) === target };
}

async function isExactly(document: vscode.TextDocument, bytes: Uint8Array | null): Promise<boolean> {
  const text = bytes && (await textContent(document.uri, bytes))?.text;
  return typeof text === 'string' && sameButEndings(document.getText(), text);
}

/** A clean document in a tab is edited through its buffer, like any patch: no editor then shows the old text. */
async function shownAt(text: CutText): Promise<vscode.TextDocument | undefined> {
  const document = await documentOfFile(uriOf(text.path));
  if (document === undefined || hasUnsavedText(document) || text.staysUnsaved || text.to === null) return undefined;
  if (tabsOf(document.uri).length === 0 || !(await holdsDisk(document))) return undefined;
  const way = await wayTo(document, text);
  return way?.isAll && way.hunks.length > 0 ? document : undefined;
}

/** Opens the file, so that VS Code restores its backup. */
async function unsavedAt(path: string): Promise<vscode.TextDocument | undefined> {
  const known = await documentOfFile(uriOf(path));
  if (hasUnsavedText(known)) return known;
  const document = await vscode.workspace.openTextDocument(uriOf(path)).then(
    (opened) => opened,
    () => undefined,
  );
  if (document === undefined || hasUnsavedText(document)) return document;
  // The event of a buffer's text comes before the event that it is dirty.
  const saved = await vscode.workspace.fs.readFile(document.uri).then(
    (bytes) => textContent(document.uri, bytes),
    () => undefined,
  );
  if (saved === undefined || sameButEndings(saved.text, document.getText())) return undefined;
  await new Promise((resolve) => setTimeout(resolve, 500));
  return hasUnsavedText(document) ? document : undefined;
}
