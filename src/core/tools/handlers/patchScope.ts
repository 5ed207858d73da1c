/** The scope of a patch: the resolved places that it writes, and those that it may not read. */
import path from 'node:path';
import { placesIn, type WritableScope } from '../../policy/pathScope.ts';
import { matchingPattern } from '../../policy/readPatterns.ts';
import type { ReadScope } from '../../policy/unreadableSource.ts';
import { type FilePlaces, type Workspace, WorkspaceError } from '../../ports.ts';
import { MACHINE_SECRETS } from '../../sandbox/bubblewrap.ts';
import { unreadablePaths } from '../../sandbox/confinement.ts';
import { PROTECTED_PATTERNS, writableRoots } from '../../sandbox/writableRoots.ts';
import { pathBelow } from '../../util/pathBelow.ts';
import { inBareRepositories } from '../bareRepositories.ts';
import type { ToolContext } from '../handler.ts';
import { temporaryIn } from '../temporaryPaths.ts';

export interface PatchScope {
  readonly roots: readonly string[];
  /** The resolved places of the roots, without those that a command can redirect. */
  readonly rootPlaces: ReadonlyMap<string, string>;
  readonly reading: ReadScope;
  /** The glob that makes a file unreadable, which the user may allow for one patch. */
  readonly globFor: (path: string) => string | undefined;
}

/**
 * Returns the scope of a patch: it may write the same paths as sandboxed commands, and may not read those that they may
 * not read.
 */
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
    globFor: matchingPattern(thread.unreadable, host.platform),
  };
}

/**
 * The writable scope for these paths. Paths in a bare repository are protected too, by whatever path they are reached, and
 * files of which another name (a hard link) is.
 */
export async function writableIn(
  { roots, rootPlaces }: PatchScope,
  paths: readonly string[],
  places: FilePlaces,
  { workspace, host }: Pick<ToolContext, 'workspace' | 'host'>,
): Promise<WritableScope> {
  const targets = paths.flatMap((named) => {
    const place = places.get(named);
    return place === undefined ? [] : [place.name, place.target];
  });
  const all = [...new Set([...roots, ...rootPlaces.values()])];
  const bare = await inBareRepositories(all, [...new Set([...paths, ...targets])], workspace);
  const named = { roots: all, protectedNames: PROTECTED_PATTERNS };
  const placeIn = placesIn(named, host.platform);
  const isProtected = { key: JSON.stringify(named), has: (name: string) => placeIn(name) === 'protected' };
  const linked = (await workspace.findLinks?.([...new Set(targets)], isProtected, all)) ?? new Map<string, unknown>();
  return { roots, protectedNames: PROTECTED_PATTERNS, protectedPaths: [...bare, ...linked.keys()] };
}

/** Resolves paths, without those that cannot be resolved. */
async function realPlaces(
  paths: readonly string[],
  workspace: Pick<Workspace, 'places'>,
): Promise<ReadonlyMap<string, string>> {
  const places = await workspace.places(paths);
  return new Map(
    [...places].flatMap(([named, place]) => (place instanceof WorkspaceError ? [] : [[named, place.target] as const])),
  );
}

/** Drops roots that lie inside another one and are reached by a link there: a command can redirect them. */
function steadyPlaces(places: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const isSteady = ([root, place]: readonly [string, string]) =>
    [...places].every(([outer, outerPlace]) => {
      const way = outer === root ? undefined : pathBelow(outer, root);
      return way === undefined || path.join(outerPlace, way) === place;
    });
  return new Map([...places].filter(isSteady));
}
