import { readdir, readFile } from 'node:fs/promises';
import type { Workbench } from '../../../scripts/vscode/page.mjs';

/** The extension host of this window, by the home that its server has given it. */
export async function hostProcess({ server }: Workbench): Promise<number | undefined> {
  const home = `HOME=${server.folder}/home\0`;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (!(await read(pid, 'cmdline')).includes('--type=extensionHost')) continue;
    if ((await read(pid, 'environ')).includes(home)) return Number(pid);
  }
  return undefined;
}

/** Empty of a process that is gone. */
function read(pid: string, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '');
}
