/** Finds dangerous leftovers of a sandboxed command, quarantines or repairs what it can and reports the rest. */
import { existsSync, lstatSync, readlinkSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { SandboxFinding } from '../../core/ports.ts';
import { EXPLORER_MARK, isProtectedEntry, PROTECTED_ENDING } from '../../core/sandbox/writableRoots.ts';
import { visibleName } from '../../protocol/text/escapeInvisible.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import { restoreDevices } from './devices.ts';
import { namesIn } from './disk.ts';
import { identityOf, isAbsent, type InspectedTree } from './inspectTree.ts';
import type { Quarantine } from './quarantine.ts';
import { repositoryWarning } from './repositories.ts';
import type { SecretLinks } from './secretLinks.ts';
import type { TreeScan } from './treeScan.ts';

export function runPostRunChecks(
  before: InspectedTree,
  {
    scan,
    links,
    quarantine,
    isMountPoint,
  }: {
    readonly scan: TreeScan;
    readonly links: SecretLinks;
    readonly quarantine: Quarantine;
    readonly isMountPoint: (path: string) => boolean;
  },
): SandboxFinding[] {
  // Another process may have made a mount point while the command ran.
  const created = before.absentNames.filter((name) => !isAbsent(name, isMountPoint));
  return [
    ...restoreDevices(),
    ...[...created, ...newWorkspaceFiles(before)].map((name) => quarantineFile(name, quarantine)),
    ...[...before.links].flatMap(([link, target]) => restoreLink(link, target, quarantine)),
    ...[...before.identities].flatMap(reportReplaced),
    ...changeableRepositories(before, scan).flatMap((repository) => warningOf(repository, before)),
    ...reportMovedSecrets(before, scan, links),
  ].map((finding) => ({ ...finding, message: visibleName(finding.message) }));
}

/**
 * Finds workspace files at the top of a writable root, where editors search for them. Their names are not known
 * beforehand.
 */
function newWorkspaceFiles({ roots, identities, links }: InspectedTree): string[] {
  return roots
    .flatMap((root) => namesIn(root).map((name) => path.join(root, name)))
    .filter((name) => name.endsWith(PROTECTED_ENDING) && !identities.has(name) && !links.has(name));
}

function quarantineFile(name: string, quarantine: Quarantine): SandboxFinding {
  const harm =
    path.basename(name) === EXPLORER_MARK ? 'hides folders in the Explorer' : 'can make editors and agents run code';
  const what = `The command made ${name}, which ${harm}`;
  try {
    const quarantineId = quarantine.take(name);
    const message = `${what}: Tiller moved it out of the workspace.`;
    return { kind: 'quarantined', path: name, quarantineId, message };
  } catch (error) {
    const why = messageOf(error);
    return { kind: 'left_behind', path: name, message: `${what}, and it could not be moved away: ${why}` };
  }
}

/** A link in a writable folder can be replaced, so it is checked when the command has ended. */
function restoreLink(link: string, target: string, quarantine: Quarantine): SandboxFinding[] {
  const stat = lstatSync(link, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink() && readlinkSync(link) === target) return [];
  // Without its folder the link misleads no program.
  if (stat === undefined && !existsSync(path.dirname(link))) return [];
  const what = `The command replaced the link ${link}, which can make editors and agents run code`;
  try {
    const quarantineId = stat === undefined ? undefined : quarantine.take(link);
    symlinkSync(target, link);
    const message = `${what}: the link leads to ${target} again.`;
    return quarantineId === undefined
      ? [{ kind: 'left_behind', path: link, message }]
      : [{ kind: 'quarantined', path: link, quarantineId, message }];
  } catch (error) {
    const why = messageOf(error);
    return [{ kind: 'left_behind', path: link, message: `${what}, and it could not be mended: ${why}` }];
  }
}

/** New repositories, and bare ones that existed before. */
function changeableRepositories(before: InspectedTree, scan: TreeScan): string[] {
  const trees = before.roots.map((root) => scan.scan(root, before.roots));
  const found = trees.flatMap(({ protectedPaths, links }) =>
    [...protectedPaths, ...links].filter((place) => path.basename(place) === '.git'),
  );
  const isNew = (place: string) => before.identities.get(place) !== identityOf(place) && !before.links.has(place);
  return [...found.filter(isNew), ...trees.flatMap(({ bareRepositories }) => bareRepositories)];
}

/** Only reports a replaced file: the user may have put something else there while the command ran. */
function reportReplaced([name, identity]: readonly [string, string]): SandboxFinding[] {
  const now = identityOf(name);
  const isProtected = isProtectedEntry(path.basename(name), path.basename(path.dirname(name)));
  if (path.basename(name) === '.git' || !isProtected || now === identity || now === 'absent') return [];
  const message = `While the command ran ${name}, which can make editors and agents run code, was replaced. Look at it before you open that folder.`;
  return [{ kind: 'left_behind', path: name, message }];
}

function warningOf(repository: string, { bareWarnings }: InspectedTree): SandboxFinding[] {
  const message = repositoryWarning(repository);
  if (message === undefined || message === bareWarnings.get(repository)) return [];
  return [{ kind: 'git_metadata', path: repository, message }];
}

/**
 * A file with secrets cannot be moved, but a folder around it can: to `node_modules`, or below the last level that is
 * scanned. There the next scan would not find it.
 */
function reportMovedSecrets({ secrets, roots }: InspectedTree, scan: TreeScan, links: SecretLinks): SandboxFinding[] {
  const gone = [...secrets].filter(([file, identity]) => identityOf(file) !== identity);
  if (gone.length === 0) return [];
  const found = new Set(roots.flatMap((root) => scan.recent(root, roots).secrets).map(identityOf));
  const lost = gone.filter(([, identity]) => !found.has(identity));
  const moved = links.follow(new Map(lost.map(([file, identity]) => [identity, file])), roots);
  return moved.map(({ path: place }) => {
    const message = `The command moved a file with secrets to ${place}. Tiller keeps it closed there until it ends; then the name does not protect it.`;
    return { kind: 'left_behind', path: place, message };
  });
}
