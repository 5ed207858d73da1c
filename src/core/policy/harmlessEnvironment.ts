/**
 * The environment of a command that was allowed because of its name. The program must be the one that the user
 * installed, not one that the workspace put on the PATH, and only variables remain that are known not to make a program
 * do more.
 */
import path from 'node:path';
import { GIT_HARDENING_ENVIRONMENT } from './gitHardening.ts';
import type { Platform } from './knownSafe.ts';

const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * The user, the locale and the format of text. All other variables are dropped, even those that the settings keep or
 * set: programs that read do more under `GIT_EXTERNAL_DIFF`, `GIT_CONFIG_*`, `GIT_TRACE`, `RIPGREP_CONFIG_PATH`,
 * `LD_PRELOAD`, `BASH_ENV`, `CDPATH`, `ZDOTDIR`, `GCONV_PATH` and more than a list of forbidden names could contain.
 */
const HARMLESS: ReadonlySet<string> = new Set(
  (
    'HOME LOGNAME USER USERNAME SHELL TMPDIR TEMP TMP TZ XDG_CONFIG_HOME ' +
    'TERM COLORTERM NO_COLOR COLUMNS LINES LS_COLORS LANG LANGUAGE LOCALE_ARCHIVE PAGER GIT_PAGER GH_PAGER TILLER ' +
    // No program of Windows starts without these.
    'SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA ' +
    'PROGRAMFILES PROGRAMFILES(X86) COMMONPROGRAMFILES OS NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE'
  ).split(' '),
);
const LOCALE = /^LC_[A-Z]+$/;

/** `folders`: folders in which others than the user may have written. */
export function harmlessEnvironment(
  environment: Readonly<Record<string, string>>,
  folders: readonly string[],
  platform: Platform,
): Record<string, string> {
  const isHarmless = (name: string) => HARMLESS.has(name) || LOCALE.test(name) || name === 'PATH';
  const isKept = (name: string) => isHarmless(platform === 'win32' ? name.toUpperCase() : name);
  const plain = Object.fromEntries(Object.entries(environment).filter(([name]) => isKept(name)));
  const hardened = { ...plain, ...GIT_HARDENING_ENVIRONMENT };
  // On Windows no command is allowed because of its name (knownSafe.ts).
  return platform === 'win32' ? hardened : { ...hardened, PATH: pathOutside(environment['PATH'] ?? '', folders) };
}

function pathOutside(value: string, folders: readonly string[]): string {
  const places = folders.map(normalized);
  const isOutside = (place: string) =>
    !places.some((folder) => place === folder || place.startsWith(folder === '/' ? folder : `${folder}/`));
  const kept = value.split(':').filter((entry) => path.posix.isAbsolute(entry) && isOutside(normalized(entry)));
  return kept.length > 0 ? kept.join(':') : SYSTEM_PATH;
}

function normalized(place: string): string {
  return path.posix.resolve(place);
}
