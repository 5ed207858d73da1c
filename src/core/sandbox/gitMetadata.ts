/**
 * Finds entries that run programs as soon as git reads a repository's own files (git-config(1), githooks(5)). Reads the
 * files itself, because calling git would run those programs.
 */
import { entriesOf } from './gitConfiguration.ts';

/** `section.name` or `section.*.name`, in lower case, as git compares them. */
const RUNS_PROGRAMS: readonly RegExp[] = [
  /^core\.(fsmonitor|hookspath|sshcommand|pager|editor|askpass|gitproxy|alternaterefscommand)$/,
  /^sequence\.editor$/,
  /^(pager|alias)\./,
  /^diff\.external$/,
  /^diff\..*\.(command|textconv)$/,
  /^filter\..*\.(clean|smudge|process)$/,
  /^merge\..*\.driver$/,
  /^(difftool|mergetool|browser|man|guitool)\..*\.(cmd|path)$/,
  /^interactive\.difffilter$/,
  /^credential\.(.*\.)?helper$/,
  /^gpg\.(.*\.)?(program|defaultkeycommand)$/,
  /^(include|includeif\..*)\.path$/,
  /^remote\..*\.(uploadpack|receivepack|vcs)$/,
  /^uploadpack\.packobjectshook$/,
  /^protocol\..*allow$/,
  /^submodule\..*\.update$/,
  /^trailer\..*\.(command|cmd)$/,
  /^init\.templatedir$/,
  /^tar\..*\.command$/,
  /^hook\..*\.command$/,
  /^imap\.tunnel$/,
  /^sendemail\.(.*\.)?(sendmailcmd|smtpserver|tocmd|cccmd|headercmd)$/,
];

/** Values with which these keys start no program. */
const HARMLESS: Readonly<Record<string, RegExp>> = {
  'core.fsmonitor': /^(false|no|off|0|)$/i,
  'core.pager': /^(cat|less)?$/,
};

/** Keys of a git configuration that name a program, in order, without duplicates. */
export function programKeys(configuration: string): string[] {
  const found = entriesOf(configuration)
    .filter(({ key, value }) => RUNS_PROGRAMS.some((pattern) => pattern.test(key)) && !isHarmless(key, value))
    .map(({ key }) => key);
  return [...new Set(found)];
}

/** All keys of a git configuration, in lower case. */
export function configurationKeys(configuration: string): string[] {
  return entriesOf(configuration).map(({ key }) => key);
}

/** The names in a hooks folder that git would run. */
export function liveHooks(names: readonly string[]): string[] {
  return names.filter((name) => !name.endsWith('.sample') && !name.startsWith('.') && !/^readme/i.test(name));
}

/** Returns one sentence for the user and the model; `undefined` when no program would run. */
export function gitWarning(
  repository: string,
  found: { readonly keys: readonly string[]; readonly hooks: readonly string[] },
): string | undefined {
  const parts = [
    ...(found.keys.length > 0 ? [`its configuration sets ${list(found.keys)}`] : []),
    ...(found.hooks.length > 0 ? [`it has the hooks ${list(found.hooks)}`] : []),
  ];
  if (parts.length === 0) return undefined;
  return `The command made the git repository ${repository}, and ${parts.join(' and ')}: git, and any editor that runs it there, would start programs on this machine outside the sandbox. Check it before you run git there.`;
}

function list(words: readonly string[]): string {
  const shown = words.slice(0, 5).join(', ');
  return words.length > 5 ? `${shown} and ${words.length - 5} more` : shown;
}

function isHarmless(key: string, value: string): boolean {
  return HARMLESS[key]?.test(value) ?? false;
}
