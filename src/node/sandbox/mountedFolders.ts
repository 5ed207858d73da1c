/** The mount points of all running sandboxes, of any process (proc(5), mountinfo). */
import { readdirSync, readlinkSync } from 'node:fs';
import { readProcFile } from '../host/procFiles.ts';

/** Mount points of all mount namespaces, by the path that the processes in them see. */
export function mountedFolders(): ReadonlySet<string> {
  const namespaces = new Set<string>();
  const folders = new Set<string>();
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const namespace = namespaceOf(pid);
    if (namespace !== undefined && namespaces.has(namespace)) continue;
    const mounts = readProcFile(`/proc/${pid}/mountinfo`);
    if (mounts === undefined) continue;
    if (namespace !== undefined) namespaces.add(namespace);
    for (const line of mounts.split('\n')) {
      const place = line.split(' ')[4];
      if (place !== undefined) folders.add(unescaped(place));
    }
  }
  return folders;
}

/** `undefined` where the operating system denies access. */
function namespaceOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return undefined;
  }
}

/** Undoes the octal escapes of space, tab, newline and backslash; all other characters are bytes. */
function unescaped(place: string): string {
  const bytes = place.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
