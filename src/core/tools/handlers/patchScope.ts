/** What a patch may write and may not read, with the places that this leads to now. */
import path from 'node:path';
import type { WritableScope } from '../../policy/pathScope.ts';
import type { ReadScope } from '../../policy/unreadableSource.ts';
import { type FilePlaces, WorkspaceError, type Workspace } from '../../ports.ts';
import { MACHINE_SECRETS } from '../../sandbox/bubblewrap.ts';
import { unreadablePaths } from '../../sandbox/confinement.ts';
import { PROTECTED_PATTERNS, writableRoots } from '../../sandbox/writableRoots.ts';
import { pathBelow } from '../../util/pathBelow.ts';
import { inBareRepositories } from '../bareRepositories.ts';
import type { ToolContext } from '../handler.ts';
import { temporaryIn } from '../temporaryPaths.ts';

export interface PatchScope {
  readonly roots: readonly string[];
  /** Where the roots lead, without those that a command can lead elsewhere. */
  readonly rootPlaces: ReadonlyMap<string, string>;
  readonly reading: ReadScope;
}

/** What sandboxed commands may write, a patch may, too; what they may not read, it may not either. */
export async function patchScope(context: ToolContext): Promise<PatchScope> {
  const { settings, host, thread, workspace } = context;
  const { cwd, sandboxPolicy } = settings;
  const writable = writableRoots(sandboxPolicy, { cwd, platform: host.platform });
  const { folder, seenAt } = temporaryIn(context);
  const temporary = seenAt.length > 0 ? [folder] : [];
  const roots = writable.type === 'roots' ? [...writable.roots.map((root) => root.path), ...temporary] : [];
  const rootPlaces = steadyPlaces(await realPlaces(roots, workspace));
  const reading =
    writable.type === 'everything' ? [] : unreadablePaths(thread.unreadable, host.homeDirectory, thread.home);
  const secrets = writable.type === 'roots' && host.platform === 'linux' ? MACHINE_SECRETS : [];
  const shown = [...new Set([cwd, ...roots])];
  return {
    roots,
    rootPlaces,
    reading: {
      unreadable: [...reading, ...secrets, ...(await realPlaces(reading, workspace)).values()],
      shown: [...shown, ...(await realPlaces(shown, workspace)).values()],
    },
  };
}

/** For these paths: what belongs to a repository is protected, too, by whatever way it is reached. */
export async function writableIn(
  { roots, rootPlaces }: PatchScope,
  paths: readonly string[],
  places: FilePlaces,
  workspace: Pick<Workspace, 'stat'>,
): Promise<WritableScope> {
  const targets = paths.flatMap((named) => {
    const place = places.get(named);
    return place === undefined ? [] : [place.name, place.target];
  });
  const protectedPaths = await inBareRepositories(
    [...new Set([...roots, ...rootPlaces.values()])],
    [...new Set([...paths, ...targets])],
    workspace,
  );
  return { roots, protectedNames: PROTECTED_PATTERNS, protectedPaths };
}

/** Without those of which that cannot be said. */
async function realPlaces(
  paths: readonly string[],
  workspace: Pick<Workspace, 'places'>,
): Promise<ReadonlyMap<string, string>> {
  const places = await workspace.places(paths);
  return new Map(
    [...places].flatMap(([named, place]) => (place instanceof WorkspaceError ? [] : [[named, place.target] as const])),
  );
}

/** A root inside another one that is reached by a link there leads wherever a command wants it to. */
function steadyPlaces(places: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const isSteady = ([root, place]: readonly [string, string]) =>
    [...places].every(([outer, outerPlace]) => {
      const way = outer === root ? undefined : pathBelow(outer, root);
      return way === undefined || path.join(outerPlace, way) === place;
    });
  return new Map([...places].filter(isSteady));
}
