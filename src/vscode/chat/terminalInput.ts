/** Converts a text of a model to the input for a terminal. */
import { visibleText } from '../../protocol/text/escapeInvisible.ts';

export interface TerminalInput {
  /** Without empty lines. */
  readonly lines: readonly string[];
  /**
   * A terminal may act on a control character at once, also without a line end (Ctrl+O of readline runs the line), and
   * an invisible one hides the command.
   */
  readonly hasInvisible: boolean;
  /** The lines with these characters escaped, for a question to the user. */
  readonly shown: string;
}

/** A carriage return ends a line, as in a terminal. A tab is kept. */
export function terminalInput(text: string): TerminalInput {
  const lines = text.split(/\r\n|[\r\n]/).filter((line) => line.trim() !== '');
  const written = lines.join('\n');
  const shown = visibleText(written);
  return { lines, hasInvisible: shown !== written, shown };
}
