/** The journal of the disk hands under the landing of the editor hands, as extension.ts puts them together. */
import { randomUUID } from 'node:crypto';
import { openJournal } from '../../../src/node/journal.ts';
import { imageOf, type FileImage } from '../../../src/node/landing/fileImage.ts';
import type { JournalEntry, LandingJournal } from '../../../src/vscode/landing/model.ts';

export function nodeJournal(home: string): LandingJournal {
  return {
    async open(entries) {
      const steps = await Promise.all(entries.map(stepOf));
      return openJournal(home, `${randomUUID()}-${process.pid}`, steps);
    },
  };
}

async function stepOf({ path, before, after }: JournalEntry) {
  const seen = await imageOf(path);
  const mode = seen.image.type === 'file' ? seen.image.mode : null;
  const image = (bytes: Uint8Array | null): FileImage =>
    bytes === null ? { type: 'absent' } : { type: 'file', bytes, mode, owner: null };
  // A link is journalled as the link it is.
  return {
    path,
    before: seen.image.type === 'link' ? seen.image : image(before),
    after: image(after),
    seen: seen.stamp,
  };
}
