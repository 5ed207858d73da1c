/**
 * Translates a regular expression of JavaScript for ripgrep, which takes letters and digits of all scripts for `\\w` and
 * `\\d` and gives some characters in brackets a meaning. What cannot be translated is left as it is: ripgrep refuses it, or
 * finds files that do not match when they are read.
 */
export function ripgrepPattern(pattern: string): string {
  let translated = '';
  let isInClass = false;
  for (const [token] of pattern.matchAll(/\\[\s\S]|[\s\S]/g)) {
    if (isInClass) translated += IN_CLASS[token] ?? token;
    else translated += OUTSIDE[token] ?? token;
    if (!isInClass && token === '[') isInClass = true;
    else if (isInClass && token === ']') isInClass = false;
  }
  return translated;
}

const OUTSIDE: Readonly<Record<string, string>> = {
  '\\b': '(?-u:\\b)',
  '\\B': '(?-u:\\B)',
  '\\w': '[0-9A-Za-z_]',
  '\\W': '[^0-9A-Za-z_]',
  '\\d': '[0-9]',
  '\\D': '[^0-9]',
  '\\/': '/',
};

const IN_CLASS: Readonly<Record<string, string>> = {
  '\\w': '0-9A-Za-z_',
  '\\d': '0-9',
  '\\b': '\\x08',
  '\\/': '/',
  '[': '\\[',
  '&': '\\&',
  '~': '\\~',
};
