/** Facts about the machine that every box needs, looked up once. */
import { existsSync, lstatSync } from 'node:fs';
import {
  HIDDEN_FOLDERS,
  KERNEL_FILES,
  MACHINE_SECRETS,
  SHOWN_ALWAYS,
  SHOWN_WITH_NETWORK,
} from '../../core/sandbox/bubblewrap.ts';

let kernel: readonly string[] | undefined;

/** Each costs a mount, so only root, to whom they belong, has them all guarded. */
export function kernelFiles(): readonly string[] {
  const guarded = process.getuid?.() === 0 ? KERNEL_FILES : KERNEL_FILES.slice(0, 1);
  kernel ??= guarded.filter((file) => existsSync(file));
  return kernel;
}

let secrets: readonly string[] | undefined;

export function machineSecrets(): readonly string[] {
  secrets ??= process.getuid?.() === 0 ? MACHINE_SECRETS.filter((file) => existsSync(file)) : [];
  return secrets;
}

let hidden: readonly string[] | undefined;

export function hiddenFolders(): readonly string[] {
  hidden ??= HIDDEN_FOLDERS.filter((folder) => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory());
  return hidden;
}

export function shownFolders(network: boolean): readonly string[] {
  const shown = network ? [...SHOWN_ALWAYS, ...SHOWN_WITH_NETWORK] : SHOWN_ALWAYS;
  return shown.filter((folder) => existsSync(folder));
}
