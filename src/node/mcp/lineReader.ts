/** Splits a stream of messages into lines of UTF-8. */
export class LineReader {
  readonly #maxBytes: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  /** `maxBytes`: of one line. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that these bytes complete. @throws RangeError when a line is too long */
  read(bytes: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      this.#keep(bytes.subarray(start, end));
      lines.push(this.rest());
      start = end + 1;
    }
    if (start < bytes.length) this.#keep(bytes.subarray(start));
    return lines;
  }

  /** Returns the text behind the last line break. */
  rest(): string {
    const text = Buffer.concat(this.#pieces).toString('utf8');
    this.#pieces = [];
    this.#bytes = 0;
    return text.endsWith('\r') ? text.slice(0, -1) : text;
  }

  #keep(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) throw new RangeError(`a line of more than ${this.#maxBytes} bytes`);
    this.#pieces.push(piece);
  }
}

/** Splits a log into lines of UTF-8; a carriage return ends one, too, and a line that is too long is cut into several. */
export class LogReader {
  readonly #maxLength: number;
  readonly #decoder = new TextDecoder();
  #pending = '';

  /** `maxLength`: of one line, in characters. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** The lines that these bytes complete, without empty ones. */
  read(bytes: Uint8Array): readonly string[] {
    const lines = (this.#pending + this.#decoder.decode(bytes, { stream: true })).split(/[\r\n]+/);
    this.#pending = lines.pop() ?? '';
    while (this.#pending.length >= this.#maxLength) {
      lines.push(this.#pending.slice(0, this.#maxLength));
      this.#pending = this.#pending.slice(this.#maxLength);
    }
    return lines.filter((line) => line.trim() !== '');
  }

  /** Returns the text behind the last line, when the log has ended. */
  rest(): readonly string[] {
    const rest = this.#pending + this.#decoder.decode();
    this.#pending = '';
    return rest.trim() === '' ? [] : [rest];
  }
}
