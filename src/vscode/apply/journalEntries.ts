import { encodeText } from '../../core/util/textBytes.ts';
import { contentBytes } from '../workspace/textContent.ts';
import { removedCells } from './cellsInJournal.ts';
import type { DiskFile, DiskImage, EditStep, JournalEntry, ApplyStep, PlannedChange } from './model.ts';
import { isSavedWhen } from './saveEdits.ts';

type Note = (path: string, before: DiskImage, after: DiskImage) => void;

/**
 * The images of this machine's disk before and after; for buffers that stay unsaved their texts, because VS Code's own
 * backup restores those. Other file systems are left out: they could not be reached at the next start.
 */
export async function journalEntries(planned: readonly PlannedChange[]): Promise<readonly JournalEntry[]> {
  const entries = new Map<string, JournalEntry>();
  const note: Note = (path, before, after) => {
    entries.set(path, { path, before: entries.get(path)?.before ?? before, after });
  };
  const unsaved: JournalEntry[] = [];
  for (const step of planned.flatMap((change) => change.steps)) {
    if (step.type === 'edit' && step.file.notebook !== undefined) {
      if (step.file.uri.scheme === 'file') unsaved.push(cellsEntry(step));
    } else if (isOnDisk(step)) await noteStep(step, note);
    else if (step.type === 'edit' && step.file.uri.scheme === 'file') unsaved.push(unsavedEntry(step));
  }
  return [...entries.values(), ...unsaved];
}

function unsavedEntry({ file, before, after }: EditStep): JournalEntry {
  const imageOfText = (text: string): DiskImage => {
    return { type: 'file', bytes: encodeText({ text, hasByteOrderMark: false }), mode: null };
  };
  return { path: file.path, before: imageOfText(before), after: imageOfText(after), unsaved: true };
}

/** The bytes that VS Code will save of a notebook are not known before, so its images are texts of cells. */
function cellsEntry(step: EditStep): JournalEntry {
  const { disk, isDirty } = step.file;
  const file = isSavedWhen(step, isDirty) ? fileImageOf(disk) : null;
  return { ...unsavedEntry(step), cells: { file, removed: removedCells(step) } };
}

async function noteStep(step: ApplyStep, note: Note): Promise<void> {
  switch (step.type) {
    case 'write': {
      const { file, bytes, linkTarget } = step;
      const mode = step.mode ?? file.disk?.mode ?? null;
      const after: DiskImage =
        linkTarget === undefined ? { type: 'file', bytes, mode } : { type: 'link', target: linkTarget };
      return note(file.path, fileImageOf(file.disk), after);
    }
    case 'rename':
      note(step.from.path, imageOf(step.from.disk), ABSENT);
      return note(step.to.path, imageOf(step.to.disk), imageOf(step.from.disk));
    case 'delete':
      return note(step.file.path, imageOf(step.file.disk), ABSENT);
    case 'edit': {
      const { disk, path } = step.file;
      const content = { encoding: 'utf8', hasByteOrderMark: false, ...step.file.content, text: step.after };
      const after: DiskImage = { type: 'file', bytes: await contentBytes(content), mode: disk?.mode ?? null };
      return note(path, fileImageOf(disk), after);
    }
  }
}

const ABSENT: DiskImage = { type: 'absent' };

/** A link that is moved or removed is recorded as a link. */
function imageOf(disk: DiskFile | undefined): DiskImage {
  return disk?.linkTarget === undefined ? fileImageOf(disk) : { type: 'link', target: disk.linkTarget };
}

/** Returns the image of the target file for writes through links, whatever name the buffer has. */
function fileImageOf(disk: DiskFile | undefined): DiskImage {
  return disk === undefined ? ABSENT : { type: 'file', bytes: disk.bytes, mode: disk.mode ?? null };
}

function isOnDisk(step: ApplyStep): boolean {
  const { uri } = step.type === 'rename' ? step.from : step.file;
  if (uri.scheme !== 'file') return false;
  return step.type !== 'edit' || isSavedWhen(step, step.file.isDirty);
}
