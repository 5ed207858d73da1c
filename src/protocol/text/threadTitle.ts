/** Maximum number of characters of a title. */
const MAX_TITLE = 60;
/** Maximum characters of a message from which a title is made. */
const MAX_TEXT = 20_000;

/** A message that does not describe a task. */
const GREETING =
  /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you|test|testing|ping|ok|okay)(?: there| tiller| again)?[\s!.?,]*$/i;
/** An apostrophe may be “’”. */
const OPENING =
  /^(?:(?:hi|hello|hey)(?: there| tiller)?[,!.]\s+|please,?\s+|(?:can|could|would|will) you (?:please )?(?=\w)|i(?:'|\u2019)d like you to |i would like you to |i want you to |i need you to |your task is to |let(?:'|\u2019)s )/i;

/**
 * Makes a title from the user's own words: the first sentence with content, without greetings, polite openings and
 * Markdown. Returns `null` if there is none; then the next message may give the title.
 */
export function titleFrom(text: string): string | null {
  const lines = withoutBlocks(text.slice(0, MAX_TEXT)).split('\n').map(plainWords);
  const line = lines.find((candidate) => /[\p{L}\p{N}]/u.test(candidate) && !GREETING.test(candidate));
  if (line === undefined) return null;
  return shortened(firstSentence(withoutOpening(line)));
}

/**
 * Returns the first line of a message that only greets: the title until a message with content comes. Returns `null` if
 * the message has no words.
 */
export function greetingFrom(text: string): string | null {
  const line = text
    .slice(0, MAX_TEXT)
    .split('\n')
    .map(plainWords)
    .find((candidate) => candidate !== '');
  return line === undefined ? null : shortened(line);
}

/** Returns the text without code between fences, unless there is only code. */
function withoutBlocks(text: string): string {
  const outside = text.replace(/^ {0,3}(```|~~~)[^\n]*\n[\s\S]*?(?:^ {0,3}\1[^\n]*$|$(?![\s\S]))/gm, '');
  return outside.trim() === '' ? text.replace(/^ {0,3}(?:```|~~~)[^\n]*$/gm, '') : outside;
}

/** Returns one line without the marks of Markdown, and with the last part of each mention. */
function plainWords(line: string): string {
  return line
    .replace(/^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+|\d+[.)]\s+)+/, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\bhttps?:\/\/(?:www\.)?([^\s/]+)\S*/g, '$1')
    .replace(/(^|\s)@(?:[^\s/]+\/)*([^\s/]+)\/?/g, '$1$2')
    .replace(/[*_]{2}([^*_]+)[*_]{2}/g, '$1')
    .replace(/`+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function withoutOpening(line: string): string {
  let rest = line;
  while (OPENING.test(rest)) rest = rest.replace(OPENING, '');
  if (rest === line || rest === '') return line;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** Cuts at the end of the first sentence that has at least two words; a question keeps its mark. */
function firstSentence(line: string): string {
  // The escapes stand for “。”, “！”, “？” and “…”.
  const end = /^\S+\s.*?[.!?\u3002\uff01\uff1f](?=\s+\S)/u.exec(line)?.[0] ?? line;
  return end.replace(/[\s.:;,!\u2026]+$/u, '') || end;
}

function shortened(title: string): string {
  if (title.length <= MAX_TITLE) return title;
  const cut = title.slice(0, MAX_TITLE - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > MAX_TITLE / 2 ? cut.slice(0, space) : cut).replace(/[\s.:;,]+$/, '')}…`;
}
