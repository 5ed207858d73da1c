/**
 * Every text a person reads goes through here, with its English original as the key (design decision 17).
 * The host sends the translations with the snapshot; what is missing stays English.
 */
import type { ComponentChild } from 'preact';

let translations: Readonly<Record<string, string>> = {};

export function setTexts(texts: Readonly<Record<string, string>>): void {
  translations = texts;
}

/** `{0}`, `{1}` … stand for the arguments. */
export function t(message: string, ...args: readonly (string | number)[]): string {
  return (translations[message] ?? message).replace(/\{(\d)\}/g, (hole, index: string) =>
    String(args[Number(index)] ?? hole),
  );
}

/** The same where an argument is an element: the parts, in the order the translation wants them. */
export function say(message: string, ...args: readonly ComponentChild[]): ComponentChild[] {
  return (translations[message] ?? message)
    .split(/(\{\d\})/)
    .filter((part) => part !== '')
    .map((part) => (/^\{\d\}$/.test(part) ? args[Number(part[1])] : part));
}

/** One or many. Both forms are whole texts, because languages differ in more than an `s`. */
export function plural(count: number, one: string, many: string, ...more: readonly (string | number)[]): string {
  return t(count === 1 ? one : many, count, ...more);
}
