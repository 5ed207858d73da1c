/** All output of the command line: control characters are escaped on a terminal; a file gets the bytes as they are. */
import { jsonLine } from '../core/util/jsonPieces.ts';
import { terminalJson, terminalText, visibleText } from '../protocol/text/escapeInvisible.ts';

type Out = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;

/** Prints a text of a model, a program or a server as a result. */
export function printText(stream: Out, text: string): void {
  stream.write(stream.isTTY ? terminalText(text) : text);
}

/** Writes a value as JSON without a line end, in pieces, so that a large one is never one string. */
export function printJson(stream: Out, value: unknown): void {
  for (const piece of jsonPiecesFor(stream, value)) stream.write(piece);
}

function* jsonPiecesFor(stream: Out, value: unknown): Generator<string, void, undefined> {
  const line = jsonLine(value);
  for (const piece of typeof line === 'string' ? [line] : line) yield stream.isTTY ? terminalJson(piece) : piece;
}

/** Prints a sentence for the user. It is always escaped, because sentences quote servers, programs and file names. */
export function printSentence(stream: Out, sentence: string): void {
  stream.write(`${visibleText(sentence)}\n`);
}

/** Maximum number of characters of one write to the stream. */
const WRITE_SIZE = 65_536;

/**
 * Writes lines of JSON as fast as the reader takes them. Lines of one turn of the event loop become one write. Values
 * in the queue are converted to text only when they are written, so that a slow reader costs no memory for text.
 */
export class JsonLines {
  readonly #stream: NodeJS.WriteStream;
  readonly #waiting: Iterator<string>[] = [];
  /** The text that is not written yet. */
  #text = '';
  #soon: NodeJS.Immediate | undefined;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  write(value: unknown): void {
    this.#waiting.push(jsonPiecesFor(this.#stream, value));
    if (this.#waiting.length === 1) this.#pump();
  }

  /** Writes the lines that are only held back until the end of this turn of the event loop. */
  flush(): void {
    clearImmediate(this.#soon);
    this.#soon = undefined;
    const text = this.#text;
    this.#text = '';
    if (text !== '') this.#stream.write(text);
  }

  /** Resolves when the reader has read enough to keep up again; `undefined` if it keeps up now. */
  caughtUp(): Promise<void> | undefined {
    if (this.#waiting.length === 0 && !this.#mustWait()) return undefined;
    return this.#readerMoves().then(() => this.caughtUp());
  }

  #pump(): void {
    for (let pieces = this.#waiting[0]; pieces !== undefined; pieces = this.#waiting[0]) {
      if (this.#text.length >= WRITE_SIZE) this.flush();
      if (this.#mustWait()) {
        void this.#readerMoves().then(() => this.#pump());
        return;
      }
      const { value } = pieces.next();
      if (value === undefined) this.#waiting.shift();
      else this.#text += value;
    }
    this.#soon ??= setImmediate(() => this.flush());
  }

  #mustWait(): boolean {
    return this.#stream.writableNeedDrain && !this.#stream.destroyed;
  }

  /** Resolves when the stream can take more text, or is closed. */
  #readerMoves(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        for (const event of ['drain', 'close']) this.#stream.off(event, done);
        resolve();
      };
      for (const event of ['drain', 'close']) this.#stream.on(event, done);
    });
  }
}
