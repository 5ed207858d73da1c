/**
 * Recognizes the options among the words of a command. Recognizes too much rather than too little: a false alarm costs
 * a prompt.
 */

/**
 * True when a word is, or might be read as, one of the options. `--output` also matches `--output=x` and its
 * abbreviations, `-o` clusters and attached values (`-uo`, `-ox`); `-exec`, longer and with one dash, matches only
 * itself.
 */
export function mayBeOption(word: string, options: readonly string[]): boolean {
  return options.some((option) => {
    if (option.startsWith('--')) return isLongOption(word, option);
    return option.length === 2 ? isInCluster(word, option.charAt(1)) : word === option;
  });
}

function isLongOption(word: string, option: string): boolean {
  const [name = ''] = word.split('=', 1);
  return name.length > 2 && option.startsWith(name);
}

function isInCluster(word: string, letter: string): boolean {
  return /^-[^-]/.test(word) && word.includes(letter, 1);
}
