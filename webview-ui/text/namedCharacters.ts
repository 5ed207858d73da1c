import { ownValue } from '../../src/protocol/ownValue.ts';

/**
 * Replaces the packages `entities` and `linkify-it` in the bundle (scripts/buildWebview.mjs): common character
 * references, without the 2,231 of HTML, which cost 23 kB. An unknown name stays as written.
 */
const CHARACTERS: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  times: '×',
  deg: '°',
  plusmn: '±',
  larr: '←',
  rarr: '→',
  uarr: '↑',
  darr: '↓',
  harr: '↔',
  le: '≤',
  ge: '≥',
  ne: '≠',
  euro: '€',
  sect: '§',
  check: '✓',
};

/** Replaces character references that end with a semicolon. Unknown names stay as written. */
export function decodeHTMLStrict(text: string): string {
  return text.replace(
    /&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name = '') => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      if (Number.isNaN(code)) return ownValue(CHARACTERS, name) ?? whole;
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}

/** Stands in for the class that markdown-it constructs and never calls: `markdown.ts` turns bare URLs into links. */
export function LinkifyIt(): void {}
