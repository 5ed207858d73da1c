/**
 * Devices that every box shares with the machine (bwrap(1), `--dev`). Nobody can put them behind a mount that is read-only
 * and can still be opened, so a command of root, who owns them, may change their rights for all of the machine. They are
 * looked after when it has ended.
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

/** As they are before the first box of this process: later ones could be looked at while another has changed them. */
export function rememberDevices(): void {
  known ??= new Map(isRoot() ? SHARED_DEVICES.flatMap(rightsOf) : []);
}

export function mendDevices(): SandboxFinding[] {
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
