/** Files of the user and of a workspace in which other products keep their hooks. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { HookFile } from '../../core/hooks/hookFiles.ts';
import type { HookPlace } from '../../core/hooks/definition.ts';
import type { Host } from '../../core/ports.ts';
import { productFolder } from '../../core/util/productFolder.ts';

/** In bytes: a longer file is left out. */
const MAX_BYTES = 1024 * 1024;
const GITHUB_HOOKS = path.join('.github', 'hooks');
/** Of `.github/hooks`. */
const MAX_FILES = 50;

/** Reads the files that are there; one that cannot be read is left out. `roots`: the folders of a trusted workspace. */
export async function readHookFiles(
  roots: readonly string[],
  host: Pick<Host, 'homeDirectory' | 'environment'>,
): Promise<readonly HookFile[]> {
  const places: readonly HookPlace[] = [
    { origin: 'user', source: path.join(productFolder('claude', host), 'settings.json'), style: 'claude' },
    { origin: 'user', source: path.join(productFolder('codex', host), 'hooks.json'), style: 'codex' },
    ...(await Promise.all(roots.filter((root) => root !== host.homeDirectory).map(placesIn))).flat(),
  ];
  const files = await Promise.all(places.map(async (place) => ({ ...place, text: await textOf(place.source) })));
  return files.flatMap(({ text, ...place }) => (text === undefined ? [] : [{ ...place, text }]));
}

async function placesIn(root: string): Promise<readonly HookPlace[]> {
  const folder = path.join(root, GITHUB_HOOKS);
  const names = await readdir(folder).catch(() => []);
  const github = names
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .slice(0, MAX_FILES);
  const of = (style: HookPlace['style'], ...words: readonly string[]): HookPlace => ({
    origin: 'workspace',
    source: path.join(root, ...words),
    style,
  });
  return [
    of('claude', '.claude', 'settings.json'),
    of('claude', '.claude', 'settings.local.json'),
    of('codex', '.codex', 'hooks.json'),
    ...github.map((name) => of('claude', GITHUB_HOOKS, name)),
  ];
}

async function textOf(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text !== undefined && text.length <= MAX_BYTES ? text : undefined;
}
