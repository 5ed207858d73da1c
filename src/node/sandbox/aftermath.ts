/** What a boxed command has left behind that nobody may trip over: found, put right where we can, and told. */
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { BoxFinding } from '../../core/ports.ts';
import { gitWarning, liveHooks, programKeys } from '../../core/sandbox/gitMetadata.ts';
import { gitFoldersBehind, type Look } from './look.ts';
import type { Quarantine } from './quarantine.ts';
import type { TreeScan } from './treeScan.ts';

/** A configuration longer than this is not one. */
const MAX_CONFIGURATION = 1024 * 1024;

export function aftermath(
  before: Look,
  { scan, quarantine }: { readonly scan: TreeScan; readonly quarantine: Quarantine },
): BoxFinding[] {
  return [
    ...before.absentNames.filter(isThere).map((name) => takeAway(name, quarantine)),
    ...[...before.links].flatMap(([link, target]) => mendLink(link, target, quarantine)),
    ...newRepositories(before, scan).flatMap(warnOf),
  ];
}

function takeAway(name: string, quarantine: Quarantine): BoxFinding {
  const what = `The command made ${name}, which decides what editors and agents run`;
  try {
    const quarantineId = quarantine.take(name);
    const message = `${what}: it was moved out of the workspace. The user can have it put back.`;
    return { kind: 'quarantined', path: name, quarantineId, message };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'left_behind', path: name, message: `${what}, and it could not be moved away: ${why}` };
  }
}

/** A link in a folder that can be written can be replaced; so it is looked after when the command has ended. */
function mendLink(link: string, target: string, quarantine: Quarantine): BoxFinding[] {
  const stat = lstatSync(link, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink() && readlinkSync(link) === target) return [];
  // With the folder around it gone there is nothing to mislead anybody.
  if (stat === undefined && !existsSync(path.dirname(link))) return [];
  const what = `The command replaced the link ${link}, which decides what editors and agents run`;
  try {
    const quarantineId = stat === undefined ? undefined : quarantine.take(link);
    symlinkSync(target, link);
    const message = `${what}: the link leads to ${target} again.`;
    return quarantineId === undefined
      ? [{ kind: 'left_behind', path: link, message }]
      : [{ kind: 'quarantined', path: link, quarantineId, message }];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [{ kind: 'left_behind', path: link, message: `${what}, and it could not be mended: ${why}` }];
  }
}

function newRepositories(before: Look, scan: TreeScan): string[] {
  const trees = before.roots.map((root) => scan.scan(root));
  const found = trees.flatMap(({ protectedPaths, links, bareRepositories }) => [
    ...[...protectedPaths, ...links].filter((one) => path.basename(one) === '.git'),
    ...bareRepositories,
  ]);
  return found.filter(
    (one) => !before.repositories.has(one) && !before.heldNames.includes(one) && !before.links.has(one),
  );
}

function warnOf(repository: string): BoxFinding[] {
  const folders = gitFoldersBehind(repository);
  const keys = folders.flatMap((folder) =>
    ['config', 'config.worktree'].flatMap((name) => keysIn(path.join(folder, name))),
  );
  const hooks = folders.flatMap((folder) => liveHooks(namesIn(path.join(folder, 'hooks'))));
  const message = gitWarning(repository, { keys: [...new Set(keys)], hooks: [...new Set(hooks)] });
  return message === undefined ? [] : [{ kind: 'git_metadata', path: repository, message }];
}

function keysIn(file: string): string[] {
  try {
    const stat = lstatSync(file);
    if (!stat.isFile() || stat.size > MAX_CONFIGURATION) return [`something in ${file}`];
    return programKeys(readFileSync(file, 'utf8'));
  } catch {
    return [];
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isThere(name: string): boolean {
  return lstatSync(name, { throwIfNoEntry: false }) !== undefined;
}
