/** Files of the user and of a workspace in which other products keep their hooks. */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { HookFile } from '../../core/hooks/hookFiles.ts';
import type { HookPlace } from '../../core/hooks/definition.ts';
import type { Host } from '../../core/ports.ts';
import { describeFileError, isMissing } from '../../core/util/fileErrors.ts';
import { productFolder } from '../../core/util/productFolder.ts';

/** In bytes: a longer file is a problem. */
const MAX_BYTES = 1024 * 1024;
const GITHUB_HOOKS = path.join('.github', 'hooks');
const COPILOT_HOOKS = path.join('.copilot', 'hooks');
/** Maximum files of such a folder that are read. */
const MAX_FILES = 50;

export interface FoundHookFiles {
  readonly files: readonly HookFile[];
  /** One sentence for each file, or folder, whose hooks are not known. */
  readonly problems: readonly string[];
}

type Found<Value> = Value | { readonly problem: string } | undefined;

/** Reads the files that are there. `roots`: the folders of a trusted workspace. */
export async function readHookFiles(
  roots: readonly string[],
  host: Pick<Host, 'homeDirectory' | 'environment'>,
): Promise<FoundHookFiles> {
  const inRoots = await Promise.all(roots.filter((root) => root !== host.homeDirectory).map(placesIn));
  const ofCopilot = await placesInFolder(path.join(host.homeDirectory, COPILOT_HOOKS), 'user');
  const places: readonly HookPlace[] = [
    { origin: 'user', source: path.join(productFolder('claude', host), 'settings.json'), style: 'claude' },
    { origin: 'user', source: path.join(productFolder('codex', host), 'hooks.json'), style: 'codex' },
    ...ofCopilot.places,
    ...inRoots.flatMap((found) => found.places),
  ];
  const found = await Promise.all(places.map(async (place) => ({ place, read: await textOf(place.source) })));
  const files = found.flatMap(({ place, read }) => (typeof read === 'string' ? [{ ...place, text: read }] : []));
  const unread = found.flatMap(({ read }) => (typeof read === 'object' ? [read.problem] : []));
  return { files, problems: [...[ofCopilot, ...inRoots].flatMap((found) => found.problems), ...unread] };
}

interface Places {
  readonly places: readonly HookPlace[];
  readonly problems: readonly string[];
}

async function placesIn(root: string): Promise<Places> {
  const of = (style: HookPlace['style'], ...words: readonly string[]): HookPlace => ({
    origin: 'workspace',
    source: path.join(root, ...words),
    style,
  });
  const { places, problems } = await placesInFolder(path.join(root, GITHUB_HOOKS), 'workspace');
  const ofOthers = [
    of('claude', '.claude', 'settings.json'),
    of('claude', '.claude', 'settings.local.json'),
    of('codex', '.codex', 'hooks.json'),
  ];
  return { places: [...ofOthers, ...places], problems };
}

/** A folder of files for VS Code and Copilot. */
async function placesInFolder(folder: string, origin: HookPlace['origin']): Promise<Places> {
  const names = await namesOf(folder);
  const all = Array.isArray(names) ? names.filter((name) => name.endsWith('.json')).toSorted() : [];
  const left = all.length - MAX_FILES;
  return {
    places: all.slice(0, MAX_FILES).map((name) => ({ origin, source: path.join(folder, name), style: 'github' })),
    problems: [
      ...(names !== undefined && 'problem' in names ? [names.problem] : []),
      ...(left > 0 ? [`${folder}: only its first ${MAX_FILES} files by name are read, and ${left} are left out.`] : []),
    ],
  };
}

function namesOf(folder: string): Promise<Found<string[]>> {
  return readdir(folder).catch((error: unknown) => problemOf(folder, error));
}

async function textOf(file: string): Promise<Found<string>> {
  try {
    const found = await stat(file);
    // A pipe might never end.
    if (!found.isFile()) return undefined;
    if (found.size > MAX_BYTES) return { problem: `${file}: it is longer than 1 MiB, and its hooks are left out.` };
    return await readFile(file, 'utf8');
  } catch (error) {
    return problemOf(file, error);
  }
}

/** `undefined` where there is none. */
function problemOf(place: string, error: unknown): { readonly problem: string } | undefined {
  return isMissing(error) ? undefined : { problem: describeFileError(error, place) };
}
