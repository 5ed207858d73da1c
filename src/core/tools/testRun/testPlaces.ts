/** The places of failed tests: runners print them relative to a folder of their own. */
import path from 'node:path';
import type { TestFailure } from '../../../protocol/item.ts';
import type { Workspace } from '../../ports.ts';
import { isBelow } from '../../util/pathBelow.ts';
import { shownPath } from '../files/filePaths.ts';
import type { RunnerName } from './testRunners.ts';

export interface TestRun {
  /** Absolute: the folder of the command, and the working directory of the thread. */
  readonly folder: string;
  readonly cwd: string;
  readonly runner: RunnerName;
  /** Without colours. */
  readonly output: string;
}

/**
 * The failures with their places relative to the working directory of the thread, absolute elsewhere. A place where there is no
 * file, or that can be several, is left out. Never rejects.
 */
export async function withPlaces(
  failures: readonly TestFailure[],
  run: TestRun,
  workspace: Pick<Workspace, 'stat' | 'readBytes'>,
): Promise<TestFailure[]> {
  const packages = run.runner === 'go' ? await goPackages(run, workspace) : new Map<string, readonly string[]>();
  return Promise.all(
    failures.map(async (failure) => {
      const { path: printed, line, ...rest } = failure;
      if (printed === undefined) return failure;
      const inPackages = packages.get(rest.name);
      const folders = inPackages ?? (run.runner === 'cargo' ? foldersUp(run) : [run.folder]);
      const places = [...new Set(folders.map((folder) => path.resolve(folder, printed)))];
      const stats = await Promise.all(places.map((place) => workspace.stat(place).catch(() => undefined)));
      const [place, ...others] = places.filter((_, at) => stats[at] !== undefined);
      // Several packages with a test of this name are ambiguous; of several folders the innermost counts.
      if (place === undefined || (inPackages !== undefined && others.length > 0)) return rest;
      return { ...rest, path: shownPath(place, run.cwd), ...(line !== undefined && { line }) };
    }),
  );
}

/** Cargo prints paths relative to the root of its workspace, which lies above the package. */
function foldersUp({ folder, cwd }: TestRun): readonly string[] {
  const folders = [folder];
  for (let at = folder; at !== cwd && isBelow(at, cwd); ) {
    at = path.dirname(at);
    folders.push(at);
  }
  return folders;
}

/**
 * Returns the folders of the packages in which a test has failed, by its name: go test prints only the names of files.
 */
async function goPackages(
  { folder, output }: TestRun,
  workspace: Pick<Workspace, 'readBytes'>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const manifest = await workspace
    .readBytes(path.join(folder, 'go.mod'), { maxBytes: MAX_BYTES })
    .catch(() => undefined);
  const [, module] = /^module\s+"?([^\s"]+)/m.exec(new TextDecoder().decode(manifest)) ?? [];
  const found = new Map<string, string[]>();
  let open: string[] = [];
  for (const line of output.split('\n')) {
    const [, failed] = /^ *--- FAIL: (\S+)/.exec(line) ?? [];
    if (failed !== undefined) open.push(failed);
    const [, name] = /^(?:FAIL|ok {2})\t(\S+)/.exec(line) ?? [];
    if (name === undefined) continue;
    const isOwn = module !== undefined && (name === module || name.startsWith(`${module}/`));
    const place = isOwn ? [path.join(folder, name.slice(module.length))] : [];
    for (const test of open) found.set(test, [...(found.get(test) ?? []), ...place]);
    open = [];
  }
  // Tests of a package whose end was not printed.
  for (const test of open) found.set(test, found.get(test) ?? []);
  return found;
}

/** Maximum bytes of a go.mod that is read. */
const MAX_BYTES = 1024 * 1024;
