/** Reads the ignore files of a workspace from disk. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { IGNORE_FILE } from '../../core/util/ignoreRules.ts';

/** The texts of the rules above a folder, outer ones first: of its repository, which may begin further up. */
export function textsAbove(root: string): readonly { readonly folder: string; readonly text: string }[] {
  const repository = repositoryOf(root);
  if (repository === undefined) return [];
  const texts = [{ folder: repository, text: readText(path.join(repository, '.git', 'info', 'exclude')) }];
  let folder = repository;
  for (const name of path.relative(repository, root).split(path.sep)) {
    if (name === '') continue;
    texts.push({ folder, text: readText(path.join(folder, IGNORE_FILE)) });
    folder = path.join(folder, name);
  }
  return texts;
}

function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, '.git'))) return at;
    if (path.dirname(at) === at) return undefined;
  }
}

/** '' where it cannot be read. */
export function readText(place: string): string {
  try {
    return readFileSync(place, 'utf8');
  } catch {
    return '';
  }
}
