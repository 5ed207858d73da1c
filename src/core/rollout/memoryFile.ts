/** The file of a thread memory: Markdown that the user can read and edit, with a head like that of a note. */
import { createHash } from 'node:crypto';
import { withoutMiddle } from '../util/tokens.ts';

/** The memory of a thread for later threads. */
export interface ThreadMemory {
  readonly threadId: string;
  readonly title: string;
  /** The working directory of the thread. */
  readonly folder: string;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** A summary of the events: messages of the user, changed files, commands. */
  readonly trace: string;
  /** The summary of the last compaction, and the last answer. */
  readonly summary: string;
}

/** In tokens. The head has a few hundred bytes, so a file has at most 17 KiB unless the user writes more. */
const MAX_TRACE = 1_000;
const MAX_SUMMARY = 3_000;

const SUMMARY = '## Summary';
const TRACE = '## Trace';

/** Texts that are too long lose their middle. */
export function formatMemory(memory: ThreadMemory): string {
  const head = [
    `title: ${JSON.stringify(memory.title)}`,
    `folder: ${JSON.stringify(memory.folder)}`,
    `updated: ${memory.updatedAt}`,
  ];
  const trace = withoutMiddle(memory.trace, MAX_TRACE);
  const summary = withoutMiddle(memory.summary, MAX_SUMMARY);
  // The summary is the end: it may have headings of its own.
  const body = `---\n\n${TRACE}\n\n${trace}\n\n${SUMMARY}\n\n${summary}\n`;
  const text = ['---', ...head, body].join('\n');
  return ['---', ...head, `written: ${hashOf(text)}`, body].join('\n');
}

/** Parses a memory, also one that the user has edited. `undefined` for an empty file. */
export function parseMemory(threadId: string, text: string): ThreadMemory | undefined {
  if (text.trim() === '') return undefined;
  const [whole, head = ''] = HEAD.exec(text) ?? [''];
  const body = text.slice(whole.length).trim();
  const at = `\n${body}`.indexOf(`\n${SUMMARY}\n`);
  const trace = at < 0 ? '' : body.slice(0, at).replace(TRACE, '');
  const summary = at < 0 ? body : body.slice(at + SUMMARY.length);
  return {
    threadId,
    title: fieldIn(head, 'title'),
    folder: fieldIn(head, 'folder'),
    updatedAt: fieldIn(head, 'updated'),
    trace: withoutMiddle(trace.trim(), MAX_TRACE),
    summary: withoutMiddle(summary.trim(), MAX_SUMMARY),
  };
}

/** Returns true if the user has edited the text, which is then never overwritten. */
export function isEditedMemory(text: string): boolean {
  const [line, hash] = /^written: (.*)\n/m.exec(text) ?? [];
  return line === undefined || hashOf(text.replace(line, '')) !== hash;
}

const HEAD = /^---\r?\n(.*?)\r?\n---\r?\n/s;

function fieldIn(head: string, name: string): string {
  const value = new RegExp(`^${name}: *(.*?)\\r?$`, 'm').exec(head)?.[1] ?? '';
  try {
    return value.startsWith('"') ? String(JSON.parse(value)) : value;
  } catch {
    return value;
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
