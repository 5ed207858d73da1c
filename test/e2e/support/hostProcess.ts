import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Workbench } from '../../../scripts/vscode/page.mjs';

/** The extension host of this window. Undefined while there is none. The host of a window that has gone may still run. */
export async function hostProcess({ server }: Workbench): Promise<number | undefined> {
  return (await hostProcesses(server)).at(-1);
}

/**
 * Resolves when VS Code has started another extension host after this one was killed. It does so by itself, and asks from the
 * third time within five minutes on.
 */
export async function hostRestarted(vscode: Workbench, killed: number): Promise<void> {
  const button = vscode.page.getByRole('button', { name: 'Restart Remote Extension Host' });
  let pid: number | undefined;
  do {
    if (await button.first().isVisible()) await button.first().click();
    await sleep(50);
    pid = await hostProcess(vscode);
  } while (pid === undefined || pid === killed);
}

/** The extension hosts of a server, found by the TILLER_HOME that it has given them; the one that was started last is last. */
export async function hostProcesses(server: { readonly folder: string }): Promise<readonly number[]> {
  const home = `HOME=${server.folder}/home\0`;
  const found: { readonly pid: number; readonly startedAt: number }[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (!(await read(pid, 'cmdline')).includes('--type=extensionHost')) continue;
    if (!(await read(pid, 'environ')).includes(home)) continue;
    const afterName = (await read(pid, 'stat')).split(') ').at(-1)?.split(' ') ?? [];
    found.push({ pid: Number(pid), startedAt: Number(afterName[19]) });
  }
  return found.toSorted((left, right) => left.startedAt - right.startedAt).map(({ pid }) => pid);
}

/** Empty for an ended process. */
function read(pid: string, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '');
}
