import { contentBytes } from '../workspace/textContent.ts';
import type { JournalEntry, LandingStep, PlannedChange } from './model.ts';

/**
 * What the disk holds now and what it will hold. Buffers that stay unsaved are not in it: nothing of them reaches the
 * disk, and VS Code's own backup brings them back.
 */
export async function journalEntries(planned: readonly PlannedChange[]): Promise<readonly JournalEntry[]> {
  const entries = new Map<string, JournalEntry>();
  const note = (path: string, before: Uint8Array | undefined, after: Uint8Array | null) => {
    const known = entries.get(path);
    entries.set(path, { path, before: known ? known.before : (before ?? null), after });
  };
  for (const step of planned.flatMap((change) => change.steps)) {
    if (isOnDisk(step)) await noteStep(step, note);
  }
  return [...entries.values()];
}

async function noteStep(
  step: LandingStep,
  note: (path: string, before: Uint8Array | undefined, after: Uint8Array | null) => void,
): Promise<void> {
  switch (step.type) {
    case 'write':
      return note(step.file.path, step.file.disk?.bytes, step.bytes);
    case 'rename':
      note(step.from.path, step.from.disk?.bytes, null);
      return note(step.to.path, step.to.disk?.bytes, step.from.disk?.bytes ?? null);
    case 'delete':
      return note(step.file.path, step.file.disk?.bytes, null);
    case 'edit': {
      const content = { encoding: 'utf8', hasByteOrderMark: false, ...step.file.content, text: step.after };
      return note(step.file.path, step.file.disk?.bytes, await contentBytes(content));
    }
  }
}

function isOnDisk(step: LandingStep): boolean {
  return step.type !== 'edit' || !step.file.isDirty || step.savesDirty;
}
