/** Lists processes with their parents. */
import { readdirSync } from 'node:fs';
import { listProcessesWithPs } from '../host/ownPrograms.ts';
import { isLiving, processFields, readProcFile } from '../host/procFiles.ts';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** `undefined` where the system does not report it. */
  readonly session: number | undefined;
  /** As the system writes it: `R`, `S`, `T` …, with further letters from `ps`. */
  readonly state: string;
}

/** All processes except zombies. */
export function listProcesses(platform: NodeJS.Platform): readonly ProcessRow[] {
  return platform === 'linux' ? fromProc() : fromPs();
}

/**
 * Returns true if a process was started with this `NAME=value` in its environment; false where the environment cannot
 * be read.
 */
export function startedWith(pid: number, variable: string): boolean {
  const environment = readProcFile(`/proc/${pid}/environ`);
  return environment !== undefined && environment.split('\0').includes(variable);
}

function fromProc(): ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const fields = processFields(name);
    if (fields === undefined || !isLiving(fields)) continue;
    const [state = '', parent, group, session] = fields;
    rows.push({ pid: Number(name), parent: Number(parent), group: Number(group), session: Number(session), state });
  }
  return rows;
}

function fromPs(): ProcessRow[] {
  return listProcessesWithPs()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([pid, , , state]) => pid !== undefined && pid !== '' && !state?.startsWith('Z'))
    .map(([pid, parent, group, state = '']) => ({
      state,
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: undefined,
    }));
}
