import { readdir, readFile } from 'node:fs/promises';
import type { Workbench } from '../../../scripts/vscode/page.mjs';

/** The extension host of this window. Undefined while there is none. */
export async function hostProcess({ server }: Workbench): Promise<number | undefined> {
  return (await hostProcesses(server))[0];
}

/** The extension hosts of a server, found by the TILLER_HOME that it has given them. */
export async function hostProcesses(server: { readonly folder: string }): Promise<readonly number[]> {
  const home = `HOME=${server.folder}/home\0`;
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (!(await read(pid, 'cmdline')).includes('--type=extensionHost')) continue;
    if ((await read(pid, 'environ')).includes(home)) found.push(Number(pid));
  }
  return found;
}

/** Empty for an ended process. */
function read(pid: string, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '');
}
