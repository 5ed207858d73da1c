import { dirname } from 'node:path';
import type { Ids, Log } from '../core/ports.ts';
import { PathLock } from '../core/util/pathLock.ts';
import { type JournalStep, openJournal } from '../node/apply/journal.ts';
import { DiskPaths } from '../node/apply/canonicalPath.ts';
import type { FileImage } from '../node/apply/fileImage.ts';
import { planFolders } from '../node/apply/folders.ts';
import { holdFolders } from '../node/apply/heldFolders.ts';
import { PathStability } from '../node/apply/pathStability.ts';
import { pausableCommands } from '../node/process/pausing.ts';
import { sandboxedLeaders } from '../node/process/processRecord.ts';
import type { FileMoves } from '../vscode/apply/fileMoves.ts';
import type { DiskImage, JournalEntry, ApplyDeps, PathWrites } from '../vscode/apply/model.ts';

/** Shared by the whole window: links seen while one patch is applied also count for the next. */
const stability = new PathStability();

function pathWrites(home: string): PathWrites {
  return {
    isStable: (place, path) => stability.isStable(place, path),
    distrust: (place) => stability.distrust(dirname(place)),
    // Commands of other windows and of the command line, too.
    pause: async () => pausableCommands.pause(await sandboxedLeaders(home)),
  };
}

/** The services for applying patches in VS Code: journal and locks are shared with the command line. */
export function applyDeps(home: string, ids: Pick<Ids, 'uuid'>, moves: FileMoves, log: Log): ApplyDeps {
  return {
    moves,
    canonicalPaths: () => new DiskPaths(),
    holdFolders,
    pathWrites: pathWrites(home),
    locks: new PathLock(),
    journal: {
      async open(entries, signal) {
        // By the pid in the name, another window that finds an incomplete journal knows that it is being written.
        const id = `${ids.uuid()}-${process.pid}`;
        return openJournal(home, id, withFolders(entries), signal);
      },
    },
    log,
  };
}

/**
 * VS Code creates the folders of a new file implicitly; recovery after a crash has to create or remove them explicitly.
 * @throws ApplyRefused where that is impossible, PlaceMoved
 */
function withFolders(entries: readonly JournalEntry[]): readonly JournalStep[] {
  const all = entries.map(({ cells, ...entry }) => ({
    ...entry,
    before: imageOf(entry.before),
    after: imageOf(entry.after),
    ...(cells && { cells: { ...cells, file: cells.file && imageOf(cells.file) } }),
  }));
  const steps = all.filter(({ unsaved }) => !unsaved);
  const seen = steps.map((step) => ({ ...step, seen: '' }));
  const isRemoved = ({ after }: JournalStep) => after.type === 'absent';
  const held = holdFolders();
  try {
    const { folders, replaced } = planFolders(
      seen.filter((step) => !isRemoved(step)),
      seen.filter(isRemoved),
      held,
    );
    return [...folders, ...steps.filter(({ path }) => !replaced.has(path)), ...all.filter(({ unsaved }) => unsaved)];
  } finally {
    held.dispose();
  }
}

/** A restored file gets the owner of the file that it replaces. */
function imageOf(image: DiskImage): FileImage {
  return image.type === 'file' ? { ...image, owner: null } : image;
}
