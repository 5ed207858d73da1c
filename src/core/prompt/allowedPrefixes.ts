import { type MessageItem, textOf } from '../../protocol/responseItem.ts';

/** A rule that allows, as far as the model needs to know it. */
export interface AllowedPrefix {
  /** Each element one word, or the words allowed in that place. */
  readonly pattern: readonly (string | readonly string[])[];
  readonly outside: boolean;
}

const OPENING = '<allowed_commands>';
/** The rest may still be used: it is found out by asking. */
const MAX_SHOWN = 50;

/** Which commands run without a question, as a developer message; said once, and again when it has changed. */
export function allowedPrefixesMessage(prefixes: readonly AllowedPrefix[]): MessageItem {
  const lines = [...new Set(prefixes.map(lineOf))].slice(0, MAX_SHOWN);
  const said =
    lines.length === 0
      ? ['No rule of the user allows commands any more.']
      : ['Rules of the user allow commands that start with these words, without asking:', ...lines];
  const text = [OPENING, ...said, '</allowed_commands>'].join('\n');
  return { type: 'message', role: 'developer', content: [{ type: 'input_text', text }] };
}

export function isAllowedPrefixesMessage(message: MessageItem): boolean {
  return message.role === 'developer' && textOf(message.content).startsWith(OPENING);
}

function lineOf({ pattern, outside }: AllowedPrefix): string {
  const words = pattern.map((word) => (typeof word === 'string' ? shown(word) : `(${word.map(shown).join('|')})`));
  return `- ${words.join(' ')}${outside ? ' (outside the sandbox)' : ''}`;
}

function shown(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}
