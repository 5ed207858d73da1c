/**
 * Identifies the repository of a folder from its `.git`, without running git: a thread whose folder has moved is found
 * by its repository (design decision 13).
 */
import path from 'node:path';
import type { Workspace } from '../ports.ts';
import { gitFoldersOf } from '../util/gitRoot.ts';

export interface GitFacts {
  readonly branch?: string;
  /** `host/path`: the same for every protocol, without user names and passwords. */
  readonly remote?: string;
}

/** Returns `undefined` where there is no repository. Never rejects. */
export async function readGitFacts(workspace: Workspace, folder: string): Promise<GitFacts | undefined> {
  const read = (file: string) =>
    workspace.read(file).then(
      ({ text }) => text,
      () => undefined,
    );
  const git = await gitFoldersOf(folder, workspace);
  if (git === undefined) return undefined;
  const head = /^ref: refs\/heads\/(.+)$/m.exec((await read(path.join(git.own, 'HEAD'))) ?? '')?.[1]?.trim();
  const remote = remoteIn((await read(path.join(git.common, 'config'))) ?? '');
  return { ...(head ? { branch: head } : {}), ...(remote ? { remote } : {}) };
}

/** The address of `origin`, or of the first remote. */
export function remoteIn(config: string): string | undefined {
  let remote: string | undefined;
  const urls = new Map<string, string>();
  for (const line of config.split('\n')) {
    const section = /^\s*\[\s*([^\]]*)\]/.exec(line)?.[1];
    if (section !== undefined) remote = /^remote\s+"(.*)"\s*$/.exec(section)?.[1];
    const url = /^\s*url\s*=\s*(.*?)\s*$/.exec(line)?.[1];
    if (remote !== undefined && url && !urls.has(remote)) urls.set(remote, url.replaceAll(/^"|"$/g, ''));
  }
  const url = urls.get('origin') ?? [...urls.values()][0];
  return url === undefined ? undefined : normalized(url);
}

/** `https://me:key@Host/a/b.git`, `git@host:a/b` and `ssh://git@host:22/a/b/` are all `host/a/b`. */
function normalized(url: string): string {
  const [, host, place] =
    /^[a-z+]+:\/\/(?:[^/@]*@)?([^/:]*)(?::\d+)?\/(.*)$/i.exec(url) ??
    /^(?:[^/@]*@)?([^/:]+):(?!\/\/)(.*)$/.exec(url) ??
    [];
  const named = place === undefined ? url : `${host?.toLowerCase()}/${place.replace(/^\/+/, '')}`;
  return named.replace(/\/+$/, '').replace(/\.git$/, '');
}
