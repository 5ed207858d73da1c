import { type MessageItem, textOf } from '../../protocol/responseItem.ts';

/** The part of an allowing rule that the model needs to know. */
export interface AllowedPrefix {
  /** Each element is one word, or the alternatives allowed in that place. */
  readonly pattern: readonly (string | readonly string[])[];
  readonly outside: boolean;
}

const OPENING = '<allowed_commands>';
/** The model finds out about further rules by running the commands. */
const MAX_SHOWN = 50;

/** A developer message with the commands that run without approval; sent once, and again when it has changed. */
export function allowedPrefixesMessage(prefixes: readonly AllowedPrefix[]): MessageItem {
  const lines = [...new Set(prefixes.map(lineOf))].slice(0, MAX_SHOWN);
  const body =
    lines.length === 0
      ? ['No rule of the user allows commands any more.']
      : ['Rules of the user allow commands that start with these words, without asking:', ...lines];
  const text = [OPENING, ...body, '</allowed_commands>'].join('\n');
  return { type: 'message', role: 'developer', content: [{ type: 'input_text', text }] };
}

/** True for a message that this file has made, also in the history of an earlier process. */
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
