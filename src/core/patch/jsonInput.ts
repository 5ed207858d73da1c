/** Reads the text of `{"input": "…"}` while the JSON is still being received. For previews only. */

export interface JsonInputStream {
  /** Returns the part of the value that this piece completes; empty before and after the value. */
  push(json: string): string;
}

/**
 * In characters: the value must begin within this length. Until it does, pending text is read again with each piece.
 */
const LONGEST_OPENING = 1024;

const OPENING = /^\s*\{\s*"input"\s*:\s*"/;
/** Runs of plain characters, complete escapes, or the closing quote. An incomplete escape does not match. */
const TOKEN = /[^"\\]+|\\u[0-9a-fA-F]{4}|\\[^u]|"/y;

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Arguments of any other shape give no text. */
export function createJsonInputStream(): JsonInputStream {
  let phase: 'opening' | 'value' | 'closed' = 'opening';
  let pending = '';

  function readOpening(): void {
    const opening = OPENING.exec(pending);
    if (opening === null) {
      if (pending.length > LONGEST_OPENING) phase = 'closed';
      return;
    }
    pending = pending.slice(opening[0].length);
    phase = 'value';
  }

  function readValue(): string {
    let text = '';
    let read = 0;
    while (phase === 'value') {
      TOKEN.lastIndex = read;
      const token = TOKEN.exec(pending)?.[0];
      if (token === undefined) break;
      read += token.length;
      if (token === '"') phase = 'closed';
      else text += decode(token);
    }
    pending = pending.slice(read);
    return text;
  }

  return {
    push(json) {
      if (phase === 'closed') return '';
      pending += json;
      if (phase === 'opening') readOpening();
      return phase === 'value' ? readValue() : '';
    },
  };
}

/** Decodes each `\u` escape to one UTF-16 unit: surrogate pairs join in the text they are appended to. */
function decode(token: string): string {
  if (!token.startsWith('\\')) return token;
  const letter = token[1] ?? '';
  return letter === 'u' ? String.fromCharCode(Number.parseInt(token.slice(2), 16)) : (ESCAPED[letter] ?? letter);
}
