import type { Argv } from './parseScript.ts';
import { plainCommands, takeApart } from './commandTree.ts';
import type { Platform } from './knownSafe.ts';
import { programName } from './programs.ts';

/** Words that a command may have; a longer one names no file. */
const [MAX_WORDS, MAX_WORD] = [1_000, 4_096];
/** Maximum words from the braces of one word. */
const MAX_SPELLED = 64;
/** Maximum folders that relative words are resolved against. */
const MAX_FOLDERS = 8;

export interface NamedPaths {
  /** As written, without variables and `~` replaced. */
  readonly words: readonly string[];
  /** Folders that the command enters, in order: those of `cd`, and of options like `tar -C`. */
  readonly folders: readonly string[];
}

/**
 * The words of a command and of all that it runs that may be paths: `.env` in `cat .env`, in `node --env-file=.env`, in
 * `curl -d @.env`, in `curl -T.env`, in `cat .{env,npmrc}` and in `sh -c "cat < '.env'"`. A guess: it contains words that
 * are no paths, and a program may compute a path.
 */
export function namedPaths(argv: Argv, platform: Platform): NamedPaths {
  const commands = plainCommands(takeApart(argv, { platform }));
  return { words: wordsIn(argv, commands), folders: commands.flatMap(folderEntered).slice(0, MAX_FOLDERS) };
}

function wordsIn(argv: Argv, commands: readonly Argv[]): readonly string[] {
  const parsed = commands.flat();
  const pieces = [...argv, ...parsed].flatMap((word) => word.split(/[\s'"`;|&<>(){}=,@:]+/));
  const spelled = parsed.filter((word) => word.length <= MAX_WORD).flatMap(withBracesExpanded);
  const written = [...parsed, ...spelled, ...pieces];
  const words = [...new Set([...written, ...written.flatMap(attachedValue)])];
  return words.filter((word) => word !== '' && word.length <= MAX_WORD).slice(0, MAX_WORDS);
}

const ENTERING = ['cd', 'chdir', 'pushd', 'set-location', 'push-location', 'sl'];

/** `cd` alone enters the home directory. */
function folderEntered([program = '', ...args]: Argv): readonly string[] {
  if (ENTERING.includes(programName(program).toLowerCase())) return [args.find((arg) => !arg.startsWith('-')) ?? '~'];
  const option = args.findIndex((arg) => arg === '-C' || arg === '--directory');
  return option === -1 ? [] : args.slice(option + 1, option + 2);
}

/** The value in the same word as a short option: `.env` of `-T.env`. */
function attachedValue(word: string): readonly string[] {
  return /^-\w./.test(word) ? [word.slice(2)] : [];
}

/** The words that a shell makes of `{a,b}`, at most 64. Ranges (`{a..c}`) stay as they are. */
function withBracesExpanded(word: string): readonly string[] {
  let words = [word];
  for (let at = 0; at < words.length && words.length <= MAX_SPELLED; ) {
    const [group, choices = ''] = /\{([^{}]*,[^{}]*)\}/.exec(words[at] ?? '') ?? [];
    if (group === undefined) {
      at++;
      continue;
    }
    const spelled = choices.split(',').map((choice) => (words[at] ?? '').replace(group, () => choice));
    words = [...words.slice(0, at), ...spelled, ...words.slice(at + 1)];
  }
  return words.slice(0, MAX_SPELLED);
}
