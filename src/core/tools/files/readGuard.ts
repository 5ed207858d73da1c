/**
 * Guards reads in Tiller's own process, by tools and for attachments: the same files are withheld there as from
 * commands in the sandbox (`sandbox.unreadable`, with Tiller's own globs).
 */
import { matchingPattern } from '../../policy/readPatterns.ts';
import { unreadableIn } from '../../policy/unreadableSource.ts';
import {
  type FilePlace,
  type Host,
  type WantedName,
  type WantedNames,
  type Workspace,
  WorkspaceError,
} from '../../ports.ts';
import { MACHINE_SECRETS } from '../../sandbox/bubblewrap.ts';
import { unreadablePaths } from '../../sandbox/confinement.ts';
import { skillFolder, temporaryFolder } from '../../sandbox/temporary.ts';

/** Returns why one of the names of a file may not be read, as a clause; `undefined` for a readable file. */
export type NameGuard = (names: readonly string[]) => string | undefined;

export type ReadGuard = NameGuard & {
  /** Equal for two guards with the same answers. */
  readonly key: string;
};

export interface ReadLimits {
  /** The working directory: readable although a folder around it may be unreadable. */
  readonly cwd: string;
  /** Further folders of which the same holds. */
  readonly readable?: readonly string[];
  /** The setting `sandbox.unreadable`. */
  readonly unreadable: readonly string[];
  /** TILLER_HOME, which is not readable. */
  readonly home: string;
}

export interface ReadDeps {
  readonly host: Pick<Host, 'platform' | 'homeDirectory'>;
  readonly workspace: Pick<Workspace, 'places'>;
}

/** Returns the guard of all reads with these limits. */
export async function readGuard(limits: ReadLimits, { host, workspace }: ReadDeps): Promise<ReadGuard> {
  const listed = unreadablePaths(limits.unreadable, host.homeDirectory, limits.home);
  const readable = [limits.cwd, ...(limits.readable ?? [])];
  const places = await workspace.places([...listed, ...readable]);
  const targetsOf = (paths: readonly string[]) =>
    paths.flatMap((path) => {
      const place = places.get(path);
      return place === undefined || place instanceof WorkspaceError ? [] : [place.target];
    });
  const secrets = host.platform === 'linux' ? MACHINE_SECRETS : [];
  const shown = [...readable, ...targetsOf(readable)];
  const unreadable = [...listed, ...secrets, ...targetsOf(listed).filter((place) => !shown.includes(place))];
  const isUnreadable = unreadableIn({ unreadable, shown }, host.platform);
  const patternFor = matchingPattern(limits.unreadable, host.platform);
  const guard = (names: readonly string[]) => {
    for (const name of names) {
      const pattern = patternFor(name);
      if (pattern !== undefined || isUnreadable(name)) return mayNotBeRead(name, pattern);
    }
    return undefined;
  };
  return Object.assign(guard, { key: JSON.stringify([limits.unreadable, unreadable, shown]) });
}

/** The reason as a clause. `pattern`: the glob that names the file; `undefined` where a path of the setting does. */
export function mayNotBeRead(name: string, pattern: string | undefined): string {
  return `${name} may not be read (sandbox.unreadable${pattern === undefined ? '' : `: ${pattern}`})`;
}

/**
 * Returns, of these files (resolved places), those that may not be read because of another name (a hard link, or their name
 * until a command moved them), each with the reason as a clause. `guard`: of these limits.
 */
export async function linkedSecrets(
  files: readonly string[],
  guard: ReadGuard,
  { unreadable, home }: Pick<ReadLimits, 'unreadable' | 'home'>,
  { host, workspace }: { readonly host: ReadDeps['host']; readonly workspace: Pick<Workspace, 'findLinks'> },
): Promise<ReadonlyMap<string, string>> {
  const hidden: WantedNames = { key: guard.key, has: (name) => guard([name]) !== undefined };
  const listed = unreadablePaths(unreadable, host.homeDirectory, home);
  const found = (await workspace.findLinks?.(files, hidden, listed)) ?? new Map<string, WantedName>();
  return new Map(
    [...found].map(([file, { type, name }]) => {
      const relation = type === 'link' ? 'is a hard link to it' : 'is this file, moved by a command';
      return [file, `${guard([name]) ?? name}, and ${file} ${relation}`];
    }),
  );
}

type RefusalDeps = Parameters<typeof readLimitsOf>[0] & Parameters<typeof linkedSecrets>[3];

/**
 * Returns those of these files that may not be read by any of their names, each with the reason as a clause that begins with
 * a path. A link to an unreadable file is unreadable; a path that cannot be resolved counts by its own name.
 */
export async function refusalsAmong(
  places: ReadonlyMap<string, FilePlace | WorkspaceError>,
  guard: ReadGuard,
  deps: RefusalDeps,
): Promise<ReadonlyMap<string, string>> {
  const refusals = new Map<string, string>();
  const targets = new Map<string, string>();
  for (const [file, place] of places) {
    const found = place instanceof WorkspaceError ? undefined : place;
    const byName = guard(found === undefined ? [file] : [file, found.name, found.target]);
    if (byName !== undefined) refusals.set(file, byName);
    else if (found !== undefined) targets.set(file, found.target);
  }
  const linked = await linkedSecrets([...targets.values()], guard, readLimitsOf(deps), deps);
  for (const [file, target] of targets) {
    const reason = linked.get(target);
    if (reason !== undefined) refusals.set(file, reason);
  }
  return refusals;
}

/** The reason for one file; `undefined` for a readable one and for one that does not exist. */
export async function whyUnreadable(
  path: string,
  place: FilePlace,
  guard: ReadGuard,
  deps: RefusalDeps,
): Promise<string | undefined> {
  return (await refusalsAmong(new Map([[path, place]]), guard, deps)).get(path);
}

/** Resolves to those of these files that may not be read, as `refusalsAmong` does for their places. */
export type ReadRefusals = (files: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** Implements `ReadRefusals` under these limits. */
export async function refusalsOf(
  files: readonly string[],
  deps: RefusalDeps & ReadDeps,
): Promise<ReadonlyMap<string, string>> {
  const guard = await readGuard(readLimitsOf(deps), deps);
  return refusalsAmong(await deps.workspace.places(files), guard, deps);
}

/** Likewise for one file: the reason, or `undefined`. */
export async function refusalOf(file: string, deps: RefusalDeps & ReadDeps): Promise<string | undefined> {
  return (await refusalsOf([file], deps)).get(file);
}

/** True for paths that a glob of the setting, or one of Tiller's own, names. */
export function secretNames(unreadable: readonly string[], platform: Host['platform']): (path: string) => boolean {
  const patternFor = matchingPattern(unreadable, platform);
  return (path) => patternFor(path) !== undefined;
}

/** The limits of a thread, as its tools know them. */
export function readLimitsOf({
  settings,
  thread,
}: {
  readonly settings: { readonly cwd: string };
  readonly thread: { readonly id: string; readonly unreadable: readonly string[]; readonly home: string };
}): ReadLimits {
  const { unreadable, home } = thread;
  return { cwd: settings.cwd, readable: [temporaryFolder(thread), skillFolder(home)], unreadable, home };
}
