/**
 * What a command that was let through by its name may find: the program of that name that a person installed, and not one
 * that the workspace put on the PATH; and of the environment only names that are known to make no program do more.
 */
import path from 'node:path';
import { GIT_HARDENING_ENVIRONMENT } from './gitHardening.ts';
import type { Platform } from './knownSafe.ts';

const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * Who and where the user is, and how text looks. Everything else stays out, also what the settings keep or set: programs
 * that read become others by `GIT_EXTERNAL_DIFF`, `GIT_CONFIG_*`, `GIT_TRACE`, `RIPGREP_CONFIG_PATH`, `LD_PRELOAD`, `BASH_ENV`,
 * `CDPATH`, `ZDOTDIR`, `GCONV_PATH` and more than a list of forbidden names could hold.
 */
const HARMLESS: ReadonlySet<string> = new Set(
  (
    'HOME LOGNAME USER USERNAME SHELL TMPDIR TEMP TMP TZ XDG_CONFIG_HOME ' +
    'TERM COLORTERM NO_COLOR COLUMNS LINES LS_COLORS LANG LANGUAGE LOCALE_ARCHIVE PAGER GIT_PAGER GH_PAGER TILLER ' +
    // What no program of Windows starts without.
    'SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA ' +
    'PROGRAMFILES PROGRAMFILES(X86) COMMONPROGRAMFILES OS NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE'
  ).split(' '),
);
const LOCALE = /^LC_[A-Z]+$/;

/** `folders`: where somebody else than the person may have written. */
export function harmlessEnvironment(
  environment: Readonly<Record<string, string>>,
  folders: readonly string[],
  platform: Platform,
): Record<string, string> {
  const isHarmless = (name: string) => HARMLESS.has(name) || LOCALE.test(name) || name === 'PATH';
  const isKept = (name: string) => isHarmless(platform === 'win32' ? name.toUpperCase() : name);
  const plain = Object.fromEntries(Object.entries(environment).filter(([name]) => isKept(name)));
  const hardened = { ...plain, ...GIT_HARDENING_ENVIRONMENT };
  // On Windows nothing is let through by its name (knownSafe.ts).
  return platform === 'win32' ? hardened : { ...hardened, PATH: pathOutside(environment['PATH'] ?? '', folders) };
}

function pathOutside(value: string, folders: readonly string[]): string {
  const kept = value
    .split(':')
    .filter((entry) => path.posix.isAbsolute(entry) && !folders.some((one) => isIn(entry, one)));
  return kept.length > 0 ? kept.join(':') : SYSTEM_PATH;
}

function isIn(entry: string, folder: string): boolean {
  const relative = path.posix.relative(folder, entry);
  return relative !== '..' && !relative.startsWith('../');
}
