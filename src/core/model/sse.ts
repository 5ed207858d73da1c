/**
 * Server-sent events, decoded from the bytes as they come (WHATWG HTML §9.2.6).
 *
 * Our own, because a response may have 20,000 events: this costs a quarter of the SDK's decoder, which also loses the
 * difference between an end and an abort (libraries.md §4).
 */
import { TextPieces } from '../util/textPieces.ts';
import { byteLength } from '../util/tokens.ts';
import { parseJson } from '../util/json.ts';
import { WholeJson } from './wholeJson.ts';

export class SseDecoder {
  readonly #decoder = new TextDecoder();
  /** The end of what came that is not yet a whole line. */
  readonly #unfinished = new TextPieces();
  /** `data` lines of the event that is being read. */
  #data: WholeJson | undefined;
  /** What that event is called. */
  #name = '';
  /** The last chunk ended with a carriage return, whose line feed may be the next character. */
  #afterCarriageReturn = false;
  /** Bytes of the line that is being read. */
  #lineBytes = 0;
  /** Bytes of the lines of the event that is being read. */
  #eventBytes = 0;
  readonly #maxEventBytes: number;

  constructor(maxEventBytes = Number.POSITIVE_INFINITY) {
    this.#maxEventBytes = maxEventBytes;
  }

  /** An event or a line is larger than it may be: nothing more is decoded. */
  get isOverLimit(): boolean {
    return Math.max(this.#lineBytes, this.#eventBytes) > this.#maxEventBytes;
  }

  /** The data of every event that these bytes complete; ids and comments are of no use here. */
  decode(bytes: Uint8Array): readonly string[] {
    const events: string[] = [];
    let text = this.#decoder.decode(bytes, { stream: true });
    if (this.#afterCarriageReturn && text !== '') {
      if (text.startsWith('\n')) text = text.slice(1);
      this.#afterCarriageReturn = false;
    }
    const lineEnd = text.includes('\r') ? anyLineEnd : lineFeed;
    let start = 0;
    for (let end = lineEnd(text, start); end >= 0; end = lineEnd(text, start)) {
      const last = text.slice(start, end);
      this.#lineBytes += byteLength(last);
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
      this.#lineBytes += byteLength(rest);
      this.#unfinished.add(rest);
    }
    return events;
  }

  /** An event that lacks only its empty line. The standard drops it; servers that end like that mean it. */
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
    // A field that the standard does not know: the errors of llama.cpp.
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

  /** A server that leaves out the empty lines: what is whole was an event. */
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

/** `undefined` when the line is another field. */
function valueOf(line: string, field: string): string | undefined {
  if (!line.startsWith(field)) return undefined;
  const end = field.length;
  if (line.charCodeAt(end) !== COLON && line.length > end) return undefined;
  return line.slice(line.charCodeAt(end + 1) === SPACE ? end + 2 : end + 1);
}

const ERROR = 'error';

/** The same as a document that says itself what only the name of its event has said. */
function named(data: string, name: string): string {
  if (name === ERROR) return asError(data);
  if (!name.startsWith('response.') || data.startsWith('{"type":')) return data;
  const said = parseJson(data);
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return data;
  return 'type' in said || 'error' in said ? data : JSON.stringify({ ...said, type: name });
}

/** The same as a document in which the error stands where errors stand. */
function asError(data: string): string {
  const said = parseJson(data);
  const saysSo = typeof said === 'object' && said !== null && ('error' in said || 'response' in said);
  return saysSo ? data : JSON.stringify({ error: said ?? data });
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const COLON = 58;

function lineFeed(text: string, from: number): number {
  return text.indexOf('\n', from);
}

/** Where the next line ends, by a line feed, a carriage return or both; -1 when it does not end here. */
function anyLineEnd(text: string, from: number): number {
  const lineFeed = text.indexOf('\n', from);
  const carriageReturn = text.indexOf('\r', from);
  if (lineFeed < 0 || carriageReturn < 0) return Math.max(lineFeed, carriageReturn);
  return Math.min(lineFeed, carriageReturn);
}
