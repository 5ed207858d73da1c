/**
 * Translates every text of the user interface, with its English original as the key (docs/design.md decision 17). The
 * host sends the translations with the snapshot; texts without one stay English.
 */
import type { ComponentChild } from 'preact';

let translations: Readonly<Record<string, string>> = {};

/** Call before the first text is drawn. `texts`: translations by their English text. */
export function setTexts(texts: Readonly<Record<string, string>>): void {
  translations = texts;
}

/** Translates a text. The arguments replace `{0}`, `{1}` and so on. */
export function t(message: string, ...args: readonly (string | number)[]): string {
  return (translations[message] ?? message).replace(/\{(\d)\}/g, (hole, index: string) =>
    String(args[Number(index)] ?? hole),
  );
}

/** Translates a text whose arguments are elements. Returns the parts in the order of the translation. */
export function say(message: string, ...args: readonly ComponentChild[]): ComponentChild[] {
  return (translations[message] ?? message)
    .split(/(\{\d\})/)
    .filter((part) => part !== '')
    .map((part) => (/^\{\d\}$/.test(part) ? args[Number(part[1])] : part));
}

/**
 * Translates a text in the singular or plural form; `{0}` is the count. Both forms are complete texts, because
 * languages differ in more than an `s`.
 */
export function plural(count: number, one: string, many: string, ...more: readonly (string | number)[]): string {
  return t(count === 1 ? one : many, count, ...more);
}
