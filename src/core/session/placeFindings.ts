/** Looks up the places of findings: a reviewer may name files and lines that do not exist. */
import path from 'node:path';
import type { Finding } from '../../protocol/codeReview.ts';
import { quoteOf } from '../../protocol/text/quote.ts';
import { WorkspaceError } from '../ports.ts';
import { linkedSecrets, readGuard, readLimitsOf } from '../tools/files/readGuard.ts';
import type { ToolContext } from '../tools/handler.ts';
import { isBelow } from '../util/pathBelow.ts';
import type { RawFinding } from './reviewOutput.ts';

type Deps = Parameters<typeof readLimitsOf>[0] & Pick<ToolContext, 'workspace' | 'host' | 'settings' | 'signal'>;

/**
 * The findings with their places, as far as these exist in a folder of the workspace. Their ids are their numbers from 1.
 * Rejects only with the signal's reason.
 */
export async function placeFindings(found: readonly RawFinding[], deps: Deps): Promise<Finding[]> {
  const { cwd } = deps.settings;
  const fileOf = ({ named }: RawFinding) => (named === undefined ? undefined : path.resolve(cwd, named));
  const texts = await readTexts([...new Set(found.flatMap((finding) => fileOf(finding) ?? []))], deps);
  return found.map((raw, index) => {
    const { named: _named, lines, ...rest } = raw;
    const finding = { ...rest, id: `${index + 1}`, state: 'open' as const };
    const file = fileOf(raw);
    const text = file === undefined ? undefined : texts.get(file);
    if (file === undefined || text === undefined) return finding;
    const shown = isBelow(file, cwd) ? path.relative(cwd, file) : file;
    const quote = lines && quoteOf(text, lines);
    return { ...finding, path: shown, ...(quote === undefined ? {} : { lines, quote }) };
  });
}

/** The texts of those that exist, are in the workspace and may be read. */
async function readTexts(files: readonly string[], deps: Deps): Promise<ReadonlyMap<string, string>> {
  const { workspace, settings, signal } = deps;
  const guard = await readGuard(readLimitsOf(deps), deps);
  const folders = [settings.cwd, ...workspace.roots];
  const places = await workspace.places(files.filter((file) => folders.some((folder) => isBelow(file, folder))));
  const named = [...places].flatMap(([file, place]) =>
    place instanceof WorkspaceError || guard([file, place.name, place.target]) !== undefined
      ? []
      : [[file, place] as const],
  );
  const targets = named.map(([, { target }]) => target);
  const linked = await linkedSecrets(targets, guard, readLimitsOf(deps), deps);
  const readable = named.filter(([, { target }]) => !linked.has(target));
  const read = await workspace.readPlaces(new Map(readable), signal);
  return new Map(
    [...read].flatMap(([file, content]) => (content instanceof WorkspaceError ? [] : [[file, content.text] as const])),
  );
}
