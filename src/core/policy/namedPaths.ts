import type { Argv } from './parseScript.ts';
import { plainCommands, takeApart } from './commandTree.ts';
import type { Platform } from './knownSafe.ts';

/** Words that a command may have; a longer one names no file. */
const [MAX_WORDS, MAX_WORD] = [1_000, 4_096];

/**
 * The words of a command and of all that it runs that may be paths, as written: `.env` in `cat .env`, in
 * `node --env-file=.env`, in `curl -d @.env` and in `sh -c "cat < '.env'"`. A guess: it contains words that are no paths,
 * and a program may compute a path.
 */
export function wordsIn(argv: Argv, platform: Platform): readonly string[] {
  const parsed = plainCommands(takeApart(argv, { platform })).flat();
  const pieces = [...argv, ...parsed].flatMap((word) => word.split(/[\s'"`;|&<>(){}=,@:]+/));
  const words = [...new Set([...parsed, ...pieces])].filter((word) => word !== '' && word.length <= MAX_WORD);
  return words.slice(0, MAX_WORDS);
}
