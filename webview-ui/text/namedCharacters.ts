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

/** Replaces references to characters that end with a semicolon. Unknown names stay as they are. */
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

/** Bare URLs become links in `markdown.ts`; markdown-it only constructs this class and never calls it. */
export function LinkifyIt(): void {}
