/**
 * Devices that every sandbox shares with the machine (bwrap(1), `--dev`). A mount cannot be read-only and still let a
 * device be opened, so a command of root, who owns them, may change their permissions for the whole machine. They are
 * checked when it has ended.
 */
import { chmodSync, chownSync, lstatSync } from 'node:fs';
import type { SandboxFinding } from '../../core/ports.ts';
import { isRoot } from './machine.ts';

const SHARED_DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`);

interface Rights {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

let known: ReadonlyMap<string, Rights> | undefined;

/** Records them before the first sandbox of this process: later another sandbox could have changed them. */
export function rememberDevices(): void {
  known ??= new Map(isRoot() ? SHARED_DEVICES.flatMap(rightsOf) : []);
}

/** Gives devices that are shared by all programs their rights back, and reports each that a command has changed. */
export function restoreDevices(): SandboxFinding[] {
  return [...(known ?? [])].flatMap(([device, rights]) => {
    const [now] = rightsOf(device);
    if (now === undefined || isSame(now[1], rights)) return [];
    chownSync(device, rights.uid, rights.gid);
    chmodSync(device, rights.mode);
    const message = `While the command ran the rights of ${device}, which all programs of this machine share, were changed: they are as before again.`;
    return [{ kind: 'left_behind', path: device, message }];
  });
}

function rightsOf(device: string): [string, Rights][] {
  const stat = lstatSync(device, { throwIfNoEntry: false });
  return stat?.isCharacterDevice() === true
    ? [[device, { mode: stat.mode & 0o7777, uid: stat.uid, gid: stat.gid }]]
    : [];
}

function isSame(one: Rights, other: Rights): boolean {
  return one.mode === other.mode && one.uid === other.uid && one.gid === other.gid;
}
