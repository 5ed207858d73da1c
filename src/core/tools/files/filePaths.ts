import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FilePlace, WorkspaceError } from '../../ports.ts';
import { pathBelow } from '../../util/pathBelow.ts';
import type { ToolContext } from '../handler.ts';
import { seenByCommands } from '../temporaryPaths.ts';

export interface FoundPlace {
  /** Absolute, as the model means it. */
  readonly path: string;
  readonly place: FilePlace;
}

/**
 * Finds the file or folder that a model names: an absolute path, one relative to the working directory or to an open
 * folder (with or without the folder's name), or a URI. A path under /tmp is the place that commands find there.
 */
export async function findPlace(
  written: string,
  context: ToolContext,
): Promise<FoundPlace | { readonly problem: string }> {
  const candidates = candidatesOf(written, context);
  if ('problem' in candidates) return candidates;
  if (candidates.paths.some((candidate) => candidate.includes('\0')))
    return { problem: 'The path contains a NUL character.' };
  const seen = await Promise.all(candidates.paths.map((candidate) => seenByCommands(candidate, context)));
  const [first = context.settings.cwd] = seen;
  let chosen = first;
  for (const candidate of seen) {
    const found = await context.workspace.stat(candidate).catch(() => undefined);
    if (found === undefined) continue;
    chosen = candidate;
    break;
  }
  const place = (await context.workspace.places([chosen])).get(chosen);
  if (place === undefined || place instanceof WorkspaceError) {
    return { problem: place?.message ?? `${chosen} cannot be resolved.` };
  }
  return { path: chosen, place };
}

function candidatesOf(
  written: string,
  { settings, workspace, host }: ToolContext,
): { readonly paths: readonly string[] } | { readonly problem: string } {
  if (/^file:/i.test(written)) {
    try {
      return { paths: [fileURLToPath(written)] };
    } catch {
      return { problem: `${written} is not a URI of a file on this machine.` };
    }
  }
  if (/^https?:\/\//i.test(written)) return { problem: `${written} is an address of the web, not a file.` };
  if (written.startsWith('~/')) return { paths: [path.join(host.homeDirectory, written.slice(2))] };
  if (path.isAbsolute(written)) return { paths: [written] };
  const [folder = '', ...rest] = written.split(/[\\/]/);
  const named = workspace.roots.filter((root) => path.basename(root) === folder);
  return {
    paths: [
      path.resolve(settings.cwd, written),
      ...workspace.roots.map((root) => path.resolve(root, written)),
      ...named.map((root) => path.join(root, ...rest)),
    ],
  };
}

/** Relative to the working directory where it lies below it. */
export function shownPath(place: string, cwd: string): string {
  const below = pathBelow(cwd, place);
  return below === undefined ? place : below === '' ? '.' : below;
}
