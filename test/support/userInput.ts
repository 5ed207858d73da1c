import type { Mention, UserInput } from '../../src/protocol/item.ts';

export function text(said: string): UserInput {
  return { type: 'text', text: said };
}

/** A mention of a file by its path from the working directory. */
export function file(name: string, more: Partial<Mention> = {}): Mention {
  return { type: 'mention', kind: 'file', name, path: name, ...more };
}
