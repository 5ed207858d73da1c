import type { Ids, Log } from '../core/ports.ts';
import { openJournal } from '../node/journal.ts';
import { CanonicalPaths } from '../node/landing/canonicalPath.ts';
import type { FileImage } from '../node/landing/fileImage.ts';
import { PathLock } from '../node/landing/pathLock.ts';
import type { LandingHands } from '../vscode/landing/model.ts';

/** What a landing in VS Code needs of the disk: the journal and the locks are the ones of the command line. */
export function landingHands(home: string, ids: Ids, log: Log): LandingHands {
  return {
    canonicalPaths: () => new CanonicalPaths(),
    locks: new PathLock(),
    journal: {
      open: (entries) =>
        openJournal(
          home,
          ids.uuid(),
          entries.map(({ path, before, after }) => ({ path, before: imageOf(before), after: imageOf(after) })),
        ),
    },
    log,
  };
}

function imageOf(bytes: Uint8Array | null): FileImage {
  return bytes === null ? { type: 'absent' } : { type: 'file', bytes, mode: null, owner: null };
}
