/**
 * Decodes server-sent events from bytes as they arrive (WHATWG HTML §9.2.6).
 *
 * Own code, because a response may have 20,000 events: this takes a quarter of the time of the SDK's decoder, which
 * also does not distinguish an end from an abort (libraries.md §4).
 */
import { TextPieces } from '../util/textPieces.ts';
import { byteLength } from '../util/tokens.ts';
import { parseJson } from '../util/json.ts';
import { WholeJson } from './wholeJson.ts';

export class SseDecoder {
  readonly #decoder = new TextDecoder();
  /** The last, incomplete line. */
  readonly #unfinished = new TextPieces();
  /** The `data` lines of the current event. */
  #data: WholeJson | undefined;
  /** The name of the current event. */
  #name = '';
  /** True when the last chunk ended with a carriage return, which a line feed may follow. */
  #afterCarriageReturn = false;
  /** Bytes of the current line. */
  #lineBytes = 0;
  /** Bytes of the lines of the current event. */
  #eventBytes = 0;
  readonly #maxEventBytes: number;
  /** True when the last chunk may have ended within a character. */
  #endsInCharacter = false;

  constructor(maxEventBytes = Number.POSITIVE_INFINITY) {
    this.#maxEventBytes = maxEventBytes;
  }

  /** True when an event or a line exceeds the limit: nothing more is decoded. */
  get isOverLimit(): boolean {
    return Math.max(this.#lineBytes, this.#eventBytes) > this.#maxEventBytes;
  }

  /** Returns the data of the events that these bytes complete; ids and comments are ignored. */
  decode(bytes: Uint8Array): readonly string[] {
    const events: string[] = [];
    let text = this.#decoder.decode(bytes, { stream: true });
    // Characters of several bytes are fewer than their bytes. Counting them would take a tenth of the time of a long response.
    const isAscii = !this.#endsInCharacter && text.length === bytes.length;
    const bytesIn = isAscii ? lengthOf : byteLength;
    const lastByte = bytes.at(-1);
    if (lastByte !== undefined) this.#endsInCharacter = lastByte > LAST_ASCII;
    if (this.#afterCarriageReturn && text !== '') {
      if (text.startsWith('\n')) text = text.slice(1);
      this.#afterCarriageReturn = false;
    }
    const lineEnd = text.includes('\r') ? anyLineEnd : lineFeed;
    let start = 0;
    for (let end = lineEnd(text, start); end >= 0; end = lineEnd(text, start)) {
      const last = text.slice(start, end);
      this.#lineBytes += bytesIn(last);
      if (this.isOverLimit) return events;
      const line = this.#joined(last);
      start = end + 1;
      if (text.charCodeAt(end) === CARRIAGE_RETURN) {
        if (start === text.length) this.#afterCarriageReturn = true;
        else if (text.charCodeAt(start) === LINE_FEED) start += 1;
      }
      this.#readLine(line, events);
      if (this.isOverLimit) return events;
      this.#lineBytes = 0;
    }
    if (start < text.length) {
      const rest = text.slice(start);
      this.#lineBytes += bytesIn(rest);
      this.#unfinished.add(rest);
    }
    return events;
  }

  /**
   * Ends the stream and returns an event that lacks only its empty line. The standard drops it, but some servers end
   * this way.
   */
  end(): readonly string[] {
    const events: string[] = [];
    const line = this.#joined(this.#decoder.decode());
    if (line !== '') this.#readLine(line, events);
    this.#readLine('', events);
    return events;
  }

  #joined(last: string): string {
    return this.#unfinished.isEmpty ? last : this.#unfinished.take() + last;
  }

  #readLine(line: string, events: string[]): void {
    if (line === '') {
      this.#finish(events);
      return;
    }
    const data = valueOf(line, 'data');
    if (data !== undefined) return this.#grow(data, events);
    const name = valueOf(line, 'event');
    if (name !== undefined) {
      this.#finishWhole(events);
      this.#name = name;
    }
    // Not a field of the standard: llama.cpp sends errors this way.
    const error = valueOf(line, 'error');
    if (error === undefined) return;
    this.#grow(error, events);
    this.#name = ERROR;
  }

  #grow(value: string, events: string[]): void {
    this.#finishWhole(events);
    this.#data ??= new WholeJson();
    this.#data.add(value);
    this.#eventBytes += this.#lineBytes;
  }

  /** Ends the event when its data is complete, for servers that omit the empty lines. */
  #finishWhole(events: string[]): void {
    if (this.#data?.isWhole()) this.#finish(events);
  }

  #finish(events: string[]): void {
    if (this.#data !== undefined) events.push(named(this.#data.text, this.#name));
    this.#data = undefined;
    this.#name = '';
    this.#eventBytes = 0;
  }
}

/** Returns `undefined` when the line is another field. */
function valueOf(line: string, field: string): string | undefined {
  if (!line.startsWith(field)) return undefined;
  const end = field.length;
  if (line.charCodeAt(end) !== COLON && line.length > end) return undefined;
  return line.slice(line.charCodeAt(end + 1) === SPACE ? end + 2 : end + 1);
}

const ERROR = 'error';

/** Adds the event's name to the document if the document does not contain its type. */
function named(data: string, name: string): string {
  if (name === ERROR) return asError(data);
  if (!name.startsWith('response.') || data.startsWith('{"type":')) return data;
  const document = parseJson(data);
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return data;
  return 'type' in document || 'error' in document ? data : JSON.stringify({ ...document, type: name });
}

/** Puts an error into the field `error`, where errors are expected. */
function asError(data: string): string {
  const document = parseJson(data);
  const hasError = typeof document === 'object' && document !== null && ('error' in document || 'response' in document);
  return hasError ? data : JSON.stringify({ error: document ?? data });
}

const LAST_ASCII = 0x7f;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const COLON = 58;

function lengthOf(text: string): number {
  return text.length;
}

function lineFeed(text: string, from: number): number {
  return text.indexOf('\n', from);
}

/** The position of the next line end: a line feed, a carriage return or both; -1 if there is none. */
function anyLineEnd(text: string, from: number): number {
  const lineFeed = text.indexOf('\n', from);
  const carriageReturn = text.indexOf('\r', from);
  if (lineFeed < 0 || carriageReturn < 0) return Math.max(lineFeed, carriageReturn);
  return Math.min(lineFeed, carriageReturn);
}
