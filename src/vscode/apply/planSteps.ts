/** Chooses how a text is written: through the buffer where possible, as bytes where only that is exact (§5). */
import * as vscode from 'vscode';
import { applyHunks, hunksFrom } from '../../core/patch/hunkAlgebra.ts';
import { ApplyRefused } from '../../core/patch/placedChange.ts';
import type { TextHunk } from '../../core/ports.ts';
import { MAX_EDIT_BYTES } from '../workspace/documentKinds.ts';
import { hasUnsavedText, openDocument } from '../workspace/documents.ts';
import { contentBytes, keepsEndings, sameButEndings, UnencodableText } from '../workspace/textContent.ts';
import { mustHaveCells } from './editCells.ts';
import {
  StaleFiles,
  type FoundFile,
  type ApplyChange,
  type ApplyStep,
  type EditStep,
  type PathWrites,
} from './model.ts';
import { type Addressed, isStable } from './pathGuard.ts';
import type { PlaceFiles } from './placeFiles.ts';

/** The effects of the other changes of the same patch on a place. */
export interface Surroundings {
  readonly removed: ReadonlySet<string>;
  readonly written: ReadonlySet<string>;
  readonly manyFiles: boolean;
  readonly files: PlaceFiles;
  readonly pathWrites: PathWrites;
  /** A text that a tab shows is not saved. */
  readonly staysUnsaved: boolean;
}

interface TextForPlace {
  readonly file: FoundFile;
  readonly text: string;
  /** The text is the whole new file, written without reading the old one. */
  readonly replaces: boolean;
}

type Update = Extract<ApplyChange, { kind: 'update' }>;

/** @throws ApplyRefused when the file's encoding lacks a character of the text, StaleFiles. */
export async function putText(
  change: ApplyChange,
  { file, text, replaces }: TextForPlace,
  around: Surroundings,
): Promise<ApplyStep[]> {
  const exact = change.exactly;
  if (file.notebook !== undefined) return putNotebook(change, { file, text, replaces }, around);
  const isNew = !file.exists || around.removed.has(file.path) || exact?.bytes;
  if (isNew || file.content === undefined) {
    const bytes = exact?.bytes ?? (await contentBytes({ text, encoding: 'utf8', hasByteOrderMark: false }));
    return [{ type: 'write', file, bytes, mode: exact?.mode, linkTarget: exact?.linkTarget, comesFrom: undefined }];
  }
  const before = change.kind === 'update' && !replaces ? change.before : file.content.text;
  if (before === text) return [];
  const bytes = await encoded(file, text, replaces && !file.isDirty ? 'without_mark' : 'with_its_mark');
  if (await goesAsBytes(file, { text, replaces, actsAt: [file] }, around)) {
    return [{ type: 'write', file, bytes, mode: undefined, linkTarget: undefined, comesFrom: undefined }];
  }
  const hunks = hunksOf(change, before, text);
  const saving = replaces && file.isDirty ? 'always' : savingOf(file, around);
  return [{ type: 'edit', file, before, after: text, hunks, saving }];
}

/**
 * Plans a change of a notebook. An update changes its cells; otherwise the file is replaced, and the notebook reloads
 * it. @throws ApplyRefused
 */
function putNotebook(change: ApplyChange, { file, text, replaces }: TextForPlace, around: Surroundings): ApplyStep[] {
  const { path, isDirty } = file;
  if (change.kind === 'update' && !replaces) {
    mustHaveCells(text, path);
    const { before } = change;
    const hunks = hunksOf(change, before, text);
    return [{ type: 'edit', file, before, after: text, hunks, saving: savingOf(file, around) }];
  }
  const bytes = change.exactly?.bytes;
  if (isDirty || !bytes) {
    throw new ApplyRefused(
      `${path} is open as a notebook${isDirty ? ' with unsaved edits' : ''}; its file can be replaced once the user has ${isDirty ? 'saved or ' : ''}closed it.`,
    );
  }
  return [{ type: 'write', file, bytes, mode: change.exactly?.mode, linkTarget: undefined, comesFrom: undefined }];
}

function savingOf({ hadTab }: FoundFile, { staysUnsaved }: Surroundings): EditStep['saving'] {
  return staysUnsaved && hadTab ? 'never' : 'if_clean';
}

/** Deletes the name: of a link not its target. */
export function deleteStep(file: FoundFile): ApplyStep {
  return { type: 'delete', file };
}

/**
 * A plain move keeps the file's permissions, tab and undo history. Where a link is removed, or places are swapped with
 * other changes, the new text is written and the old name removed.
 */
export async function moveSteps(
  change: Update,
  { source, link, over }: { source: FoundFile; link: FoundFile; over: FoundFile },
  around: Surroundings,
): Promise<ApplyStep[]> {
  const isPlain =
    link === source && !around.written.has(source.path) && !around.removed.has(over.path) && !over.isDirty;
  const isNotebook = source.notebook !== undefined || over.notebook !== undefined;
  if (isNotebook && !(isPlain && change.after === change.before)) {
    throw new ApplyRefused(`${change.path} cannot be moved and changed at once: a notebook is open there.`);
  }
  if (!isPlain) {
    const written = await movedText(change, source, over, around);
    return around.written.has(link.path) ? written : [...written, deleteStep(link)];
  }
  const rename: ApplyStep = { type: 'rename', from: source, to: over };
  const arrived: FoundFile = { ...source, path: over.path, uri: over.uri };
  if (change.after === change.before) return [rename];
  const asBytes = await goesAsBytes(source, { text: change.after, replaces: false, actsAt: [source, over] }, around);
  if (!asBytes) {
    const hunks = hunksOf(change, change.before, change.after);
    const { before, after } = change;
    return [rename, { type: 'edit', file: arrived, before, after, hunks, saving: savingOf(source, around) }];
  }
  const bytes = await encoded(source, change.after, 'with_its_mark');
  return [rename, { type: 'write', file: arrived, bytes, mode: undefined, linkTarget: undefined, comesFrom: source }];
}

async function movedText(
  change: Update,
  source: FoundFile,
  over: FoundFile,
  around: Surroundings,
): Promise<ApplyStep[]> {
  if (over.isDirty) return putText(change, { file: over, text: change.after, replaces: true }, around);
  const bytes = await encoded(source, change.after, 'with_its_mark');
  // The move keeps the permissions (docs/design.md decision 4, difference (c)).
  return [{ type: 'write', file: over, bytes, mode: source.disk?.mode, linkTarget: undefined, comesFrom: undefined }];
}

/** The hunks of the plan if they give exactly the planned text, else the difference itself. */
function hunksOf(change: ApplyChange, before: string, after: string): readonly TextHunk[] {
  if (change.kind === 'update' && change.before === before && change.after === after) {
    if (applyHunks(before, change.hunks) === after) return change.hunks;
  }
  return hunksFrom(before, after);
}

/** Encodes as the file is encoded, with its byte order mark or without one. @throws ApplyRefused where that cannot be done */
async function encoded(file: FoundFile, text: string, form: 'with_its_mark' | 'without_mark'): Promise<Uint8Array> {
  const { encoding, hasByteOrderMark } = file.content ?? { encoding: 'utf8', hasByteOrderMark: false };
  try {
    return await contentBytes({ text, encoding, hasByteOrderMark: hasByteOrderMark && form === 'with_its_mark' });
  } catch (error) {
    if (error instanceof UnencodableText) throw new ApplyRefused(`${file.path} stays as it is: ${error.message}`);
    throw error;
  }
}

/** `actsAt`: where VS Code would write. */
async function goesAsBytes(
  file: FoundFile,
  { text, replaces, actsAt }: { text: string; replaces: boolean; actsAt: readonly Addressed[] },
  { manyFiles, pathWrites }: Surroundings,
): Promise<boolean> {
  const { content, disk, hadTab, isDirty, uri } = file;
  if (isDirty || content === undefined || disk === undefined) return false;
  // A notebook that no tab shows reloads its file.
  if (vscode.workspace.notebookDocuments.some((notebook) => notebook.uri.toString() === uri.toString())) return true;
  if (!keepsEndings(content.text, text)) return true;
  if (replaces && content.hasByteOrderMark) return true;
  if (!hadTab && (manyFiles || disk.bytes.length > MAX_EDIT_BYTES)) return true;
  for (const address of actsAt) {
    if (await isStable(address, pathWrites)) continue;
    // Writing the file under an open editor would conflict with the user's typing.
    if (hadTab) throw new StaleFiles([file.path]);
    return true;
  }
  const reload = await reloadOf(file);
  // The same conflict: the user has typed since the file was found.
  if (reload === 'edited' && hadTab) throw new StaleFiles([file.path]);
  return reload !== 'done';
}

/** Maximum wait for a buffer to reload a file that a command has just written (§4: 100 to 200 ms). */
const CATCH_UP_MS = 2000;

/** Waits until the buffer, if there is one, has the text of the disk, or the user has edited it, or time is up. */
async function reloadOf({ uri, content }: FoundFile): Promise<'done' | 'edited' | 'late'> {
  const deadline = Date.now() + CATCH_UP_MS;
  for (;;) {
    const document = openDocument(uri);
    if (document === undefined || sameButEndings(document.getText(), content?.text ?? '')) return 'done';
    if (hasUnsavedText(document)) return 'edited';
    if (Date.now() > deadline) return 'late';
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
