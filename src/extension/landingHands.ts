import type { Ids, Log } from '../core/ports.ts';
import { PathLock } from '../core/util/pathLock.ts';
import { openJournal } from '../node/journal.ts';
import { CanonicalPaths } from '../node/landing/canonicalPath.ts';
import type { FileImage } from '../node/landing/fileImage.ts';
import type { DiskImage, LandingHands } from '../vscode/landing/model.ts';

/** What a landing in VS Code needs of the disk: the journal and the locks are the ones of the command line. */
export function landingHands(home: string, ids: Pick<Ids, 'uuid'>, log: Log): LandingHands {
  return {
    canonicalPaths: () => new CanonicalPaths(),
    locks: new PathLock(),
    journal: {
      open: (entries) =>
        openJournal(
          home,
          // Another window that finds the journal half written knows by the number that somebody is writing it.
          `${ids.uuid()}-${process.pid}`,
          entries.map(({ path, before, after }) => ({ path, before: imageOf(before), after: imageOf(after) })),
        ),
    },
    log,
  };
}

/** Its owner is whoever owns the file when it is put back. */
function imageOf(image: DiskImage): FileImage {
  return image.type === 'file' ? { ...image, owner: null } : image;
}
