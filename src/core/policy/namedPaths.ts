import type { Argv } from './parseScript.ts';
import { plainCommands, takeApart } from './commandTree.ts';
import type { Platform } from './knownSafe.ts';

/** Words that a command may have; a longer one names no file. */
const [MAX_WORDS, MAX_WORD] = [1_000, 4_096];
/** Maximum words from the braces of one word. */
const MAX_SPELLED = 64;

/**
 * The words of a command and of all that it runs that may be paths, as written: `.env` in `cat .env`, in
 * `node --env-file=.env`, in `curl -d @.env`, in `curl -T.env`, in `cat .{env,npmrc}` and in `sh -c "cat < '.env'"`. A
 * guess: it contains words that are no paths, and a program may compute a path.
 */
export function wordsIn(argv: Argv, platform: Platform): readonly string[] {
  const parsed = plainCommands(takeApart(argv, { platform })).flat();
  const pieces = [...argv, ...parsed].flatMap((word) => word.split(/[\s'"`;|&<>(){}=,@:]+/));
  const spelled = parsed.filter((word) => word.length <= MAX_WORD).flatMap(withBracesExpanded);
  const written = [...parsed, ...spelled, ...pieces];
  const words = [...new Set([...written, ...written.flatMap(attachedValue)])];
  return words.filter((word) => word !== '' && word.length <= MAX_WORD).slice(0, MAX_WORDS);
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
