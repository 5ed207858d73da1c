/** Facts about the machine that every sandbox needs, cached, and read again when they have changed. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { HIDDEN_FOLDERS, MACHINE_SECRETS, SHOWN_ALWAYS, SHOWN_WITH_NETWORK } from '../../core/sandbox/bubblewrap.ts';
import { isMissing } from '../../core/util/fileErrors.ts';

/** False on Windows. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

let secrets: { readonly changedAt: string; readonly places: readonly string[] } | undefined;

/** Returns the files and folders of the system with secrets that only root can read; none for another user. */
export function machineSecrets(): readonly string[] {
  if (!isRoot()) return [];
  const changedAt = MACHINE_SECRETS.map((place) => lstatSync(place, { throwIfNoEntry: false })?.ctimeMs).join();
  if (secrets?.changedAt !== changedAt) secrets = { changedAt, places: MACHINE_SECRETS.filter(holdsSecrets) };
  return secrets.places;
}

/** A copy of the password or group file in which every password is locked or empty. */
const NO_PASSWORDS = /^([^:\n]*:[!*x]*:.*\n)*$/;

/** Hiding costs a mount, so a file without secrets is not hidden. The password file itself always has some. */
function holdsSecrets(place: string): boolean {
  try {
    if (lstatSync(place).isDirectory()) return readdirSync(place).length > 0;
    return place === '/etc/shadow' || !NO_PASSWORDS.test(readFileSync(place, 'utf8'));
  } catch (error) {
    return !isMissing(error);
  }
}

let hidden: readonly string[] | undefined;

/** Returns the folders of this machine that every sandbox shows empty. */
export function hiddenFolders(): readonly string[] {
  hidden ??= HIDDEN_FOLDERS.filter((folder) => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory());
  return hidden;
}

/** Returns those folders inside of hidden ones that a sandbox shows. `network`: the command may use it. */
export function shownFolders(network: boolean): readonly string[] {
  const shown = network ? [...SHOWN_ALWAYS, ...SHOWN_WITH_NETWORK] : SHOWN_ALWAYS;
  return shown.filter((folder) => existsSync(folder));
}
