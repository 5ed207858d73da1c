import type { Mention, UserInput } from '../../src/protocol/item.ts';

export function text(said: string): UserInput {
  return { type: 'text', text: said };
}

/** Returns a mention of a file by its path relative to the working directory. */
export function file(name: string, more: Partial<Mention> = {}): Mention {
  return { type: 'mention', kind: 'file', name, path: name, ...more };
}
