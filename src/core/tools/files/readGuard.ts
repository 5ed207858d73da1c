/**
 * What tools may read that run in Tiller's own process: the same files are withheld from them as from commands in the
 * sandbox (setting `sandbox.unreadable`), and in addition what its globs name.
 */
import { matchingPattern } from '../../policy/readPatterns.ts';
import { unreadableIn } from '../../policy/unreadableSource.ts';
import { WorkspaceError } from '../../ports.ts';
import { MACHINE_SECRETS } from '../../sandbox/bubblewrap.ts';
import { unreadablePaths } from '../../sandbox/confinement.ts';
import type { ToolContext } from '../handler.ts';

/** Returns why one of the names of a file may not be read, as a clause; `undefined` for a readable file. */
export type ReadGuard = (names: readonly string[]) => string | undefined;

export async function readGuard({
  settings,
  thread,
  host,
  workspace,
}: Pick<ToolContext, 'settings' | 'thread' | 'host' | 'workspace'>): Promise<ReadGuard> {
  const listed = unreadablePaths(thread.unreadable, host.homeDirectory, thread.home);
  const places = [...(await workspace.places([...listed, settings.cwd])).values()];
  const real = places.flatMap((place) => (place instanceof WorkspaceError ? [] : [place.target]));
  const secrets = host.platform === 'linux' ? MACHINE_SECRETS : [];
  const cwdPlace = places.at(-1);
  const shown = [settings.cwd, ...(cwdPlace instanceof WorkspaceError || !cwdPlace ? [] : [cwdPlace.target])];
  const unreadable = [...listed, ...secrets, ...real.filter((place) => !shown.includes(place))];
  const isUnreadable = unreadableIn({ unreadable, shown }, host.platform);
  const patternFor = matchingPattern(thread.unreadable, host.platform);
  return (names) => {
    for (const name of names) {
      const pattern = patternFor(name);
      if (pattern !== undefined) return `${name} may not be read (sandbox.unreadable: ${pattern})`;
      if (isUnreadable(name)) return `${name} may not be read (sandbox.unreadable)`;
    }
    return undefined;
  };
}
