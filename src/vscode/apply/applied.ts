/** The outcome of applying a patch: for the model, and for undo. */
import { haveSameCells } from '../../core/patch/notebookText.ts';
import type { AppliedFile } from '../../core/ports.ts';
import { decodeText } from '../../core/util/textBytes.ts';
import type { BufferEdit, EditStep, FileImage, FoundFile, AppliedChange, ApplyChange, PlannedChange } from './model.ts';
import type { SaveOutcome } from './saveEdits.ts';

/** Reports one file to the caller of the patch: where it is now, and whether it was saved as planned. */
export function appliedFile(planned: PlannedChange, outcomes: ReadonlyMap<EditStep, SaveOutcome>): AppliedFile {
  const { change } = planned;
  const path = change.kind === 'update' ? (change.movedTo ?? change.path) : change.path;
  const edit = editOf(planned);
  const outcome = edit && outcomes.get(edit);
  const movedDirty = planned.steps.some((step) => step.type === 'rename' && step.from.isDirty);
  if (edit === undefined || outcome === undefined) return { path, saved: !movedDirty, reformatted: false };
  // New cells of a notebook get ids.
  const isAsPlanned =
    outcome.text === edit.after || (edit.file.notebook !== undefined && haveSameCells(outcome.text, edit.after));
  return { path, saved: outcome.saved, reformatted: outcome.saved && !isAsPlanned };
}

/**
 * Records one change as an undo and the change review need it: its images, and what the buffer held before and after.
 */
export function appliedChange(
  planned: PlannedChange,
  edits: ReadonlyMap<EditStep, BufferEdit>,
  outcomes: ReadonlyMap<EditStep, SaveOutcome>,
): AppliedChange {
  const { change, source, destination } = planned;
  const step = editOf(planned);
  const edit = step && edits.get(step);
  const outcome = step && outcomes.get(step);
  return {
    change,
    before: imageOf(source),
    over: destination === undefined ? null : imageOf(destination),
    edited: edit === undefined ? null : { before: edit.before, after: edit.after },
    final: outcome?.text ?? plannedText(change),
    ...(step?.file.notebook === undefined ? {} : { cells: { saved: outcome?.bytes ?? null } }),
  };
}

function imageOf({ exists, content, disk, notebook }: FoundFile): FileImage | null {
  if (!exists) return null;
  // The file of a notebook is restored from its JSON, not from the text of its cells.
  const onDisk = notebook && disk && decodeText(disk.bytes)?.text;
  return {
    text: onDisk ?? content?.text ?? null,
    bytes: disk?.bytes ?? null,
    mode: disk?.mode,
    linkTarget: disk?.linkTarget,
  };
}

function plannedText(change: ApplyChange): string | null {
  switch (change.kind) {
    case 'add':
      return change.text;
    case 'delete':
      return null;
    case 'update':
      return change.after;
  }
}

function editOf({ steps }: PlannedChange): EditStep | undefined {
  return steps.find((step) => step.type === 'edit');
}
