/** The user's messages in all threads, for the composer's history: `history.jsonl` (codex-behaviour.md §10). */
import * as z from 'zod';
import type { Clock, Log, Storage } from '../ports.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

const PATH = 'history.jsonl';
/**
 * The share of the maximum size that is kept when the file grows too large, so that not every message rewrites the
 * file.
 */
const KEPT = 0.8;

const lineSchema = lazyObject(() => ({
  session_id: z.string(),
  /** Seconds since the epoch. */
  ts: z.number(),
  text: z.string(),
}));

export interface MessageHistorySettings {
  readonly persistence: 'save-all' | 'none';
  readonly maxBytes: number;
}

/** Shared by all windows; each message is added atomically. */
export class MessageHistory {
  readonly #ports: { readonly storage: Storage; readonly clock: Clock; readonly log: Log };
  readonly #settings: () => MessageHistorySettings;

  constructor(
    ports: { readonly storage: Storage; readonly clock: Clock; readonly log: Log },
    settings: () => MessageHistorySettings,
  ) {
    this.#ports = ports;
    this.#settings = settings;
  }

  /** Never rejects: a failure to save the history must not stop the message. */
  async add(threadId: string, text: string): Promise<void> {
    const { persistence, maxBytes } = this.#settings();
    if (persistence === 'none' || text.trim() === '') return;
    const ts = Math.floor(this.#ports.clock.now().getTime() / 1000);
    const line = `${JSON.stringify({ session_id: threadId, ts, text })}\n`;
    try {
      await this.#ports.storage.updateText(PATH, (before = '') => trimmed(endingLine(before) + line, maxBytes));
    } catch (error) {
      this.#ports.log.warn('A message was not kept for the composer', error);
    }
  }

  /**
   * Returns the newest texts first, each once, up to a total of `maxLength` characters. Returns none while the history
   * is off.
   */
  async recent(limit: number, maxLength = Number.POSITIVE_INFINITY): Promise<readonly string[]> {
    if (this.#settings().persistence === 'none') return [];
    const texts = new Set<string>();
    let length = 0;
    const lines = ((await this.#ports.storage.readText(PATH)) ?? '').split('\n');
    for (const line of lines.toReversed()) {
      if (texts.size === limit) break;
      const text = textIn(line);
      if (text === undefined || texts.has(text) || length + text.length > maxLength) continue;
      length += text.length;
      texts.add(text);
    }
    return [...texts];
  }
}

function textIn(line: string): string | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(line)).data?.text;
  } catch {
    return undefined;
  }
}

/** Ends a line that a crash has cut off, so that the next one is not damaged. */
function endingLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** Drops the oldest lines if the text is too long. The newest line stays, whatever its length. */
function trimmed(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const lines = text.split('\n').slice(0, -1);
  let bytes = 0;
  let start = lines.length;
  while (start > 0) {
    bytes += Buffer.byteLength(lines[start - 1] ?? '') + 1;
    if (bytes > maxBytes * KEPT && start < lines.length) break;
    start--;
  }
  return `${lines.slice(start).join('\n')}\n`;
}
