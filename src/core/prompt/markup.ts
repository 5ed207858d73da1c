/** Escapes names from outside (folders, roots) in a text with tags, so that no name can add a line or a tag. */
const LINE_BREAKS_AND_CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

/** Makes a text safe as the content or an attribute of a tag, in one line. */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(LINE_BREAKS_AND_CONTROLS, (character) => `&#${character.codePointAt(0)};`);
}

/** Reverses `escapeMarkup`. */
export function unescapeMarkup(text: string): string {
  return text
    .replaceAll(/&#(\d{1,7});/g, (reference, code: string) =>
      Number(code) <= 0x10ffff ? String.fromCodePoint(Number(code)) : reference,
    )
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
