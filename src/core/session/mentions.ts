/** Reads the mentions of a message through the workspace: live buffers; unreadable files are left out. */
import path from 'node:path';
import type { Mention, UserInput } from '../../protocol/item.ts';
import type { LineRange } from '../../protocol/lineRange.ts';
import { rangeText } from '../../protocol/text/findings.ts';
import { findQuote } from '../../protocol/text/quote.ts';
import { WorkspaceError } from '../ports.ts';
import { cutBytes } from '../tools/files/lines.ts';
import { type ReadGuard, readGuard, readLimitsOf, whyUnreadable } from '../tools/files/readGuard.ts';
import type { ToolContext } from '../tools/handler.ts';
import { onFirstUse } from '../util/onFirstUse.ts';
import { byteLength, estimateTokens } from '../util/tokens.ts';

/**
 * `mention`, `message`: bytes of UTF-8 that one mention, and all of one message together, may carry; 4 bytes are about
 * one token. `file`: bytes of a file that is read for it. `entries`: names of a folder.
 */
export const MENTION_LIMITS = {
  mention: 32 * 1024,
  message: 128 * 1024,
  file: 10 * 1024 * 1024,
  entries: 400,
} as const;

type Deps = Parameters<typeof readLimitsOf>[0] &
  Pick<ToolContext, 'workspace' | 'host' | 'settings' | 'signal' | 'keys'>;

/** The target of a mention. `total`: lines of the whole, if `text` is cut. `lines`: current position of its quote. */
type Found =
  | { readonly type: 'text'; readonly text: string; readonly total?: number; readonly lines?: LineRange }
  | { readonly type: 'refused'; readonly reason: string };

/**
 * Returns the input with the text of each mention that has a kind, cut to its budget, and with `sent`. A mention that
 * has `sent` is left as it is: it comes from a recorded message. Rejects only when `signal` aborts.
 */
export async function resolveMentions(input: readonly UserInput[], deps: Deps): Promise<readonly UserInput[]> {
  const guarding = onFirstUse(() => readGuard(readLimitsOf(deps), deps));
  let left: number = MENTION_LIMITS.message;
  const resolved: UserInput[] = [];
  for (const part of input) {
    if (part.type !== 'mention' || part.kind === undefined || part.sent !== undefined) {
      resolved.push(part);
      continue;
    }
    deps.signal.throwIfAborted();
    const found = await find(part, guarding, deps);
    const safe = found.type === 'text' ? { ...found, text: deps.keys.hide(found.text) } : found;
    const named = found.type === 'text' && found.lines !== undefined ? atLines(part, found.lines) : part;
    const mention = withinBudget(named, safe, Math.min(left, MENTION_LIMITS.mention));
    left -= byteLength(mention.text ?? '');
    resolved.push(mention);
  }
  return resolved;
}

async function find(mention: Mention, guarding: () => Promise<ReadGuard>, deps: Deps): Promise<Found> {
  const { text, path: named } = mention;
  if (named === '') {
    if (text === undefined) return refused('there is nothing to attach');
    // A file from outside of VS Code comes without its path.
    const hidden = mention.kind === 'file' ? (await guarding())([mention.name]) : undefined;
    return hidden === undefined ? { type: 'text', text } : refused(hidden);
  }
  const { workspace, settings } = deps;
  const file = path.resolve(settings.cwd, named);
  try {
    // All of them begin at once: in VS Code each takes about a millisecond.
    const inspecting = text === undefined ? workspace.stat(file) : undefined;
    inspecting?.catch(() => {});
    const [guard, places] = await Promise.all([guarding(), workspace.places([file])]);
    const place = places.get(file);
    if (place === undefined) return refused(`${file} cannot be resolved`);
    if (place instanceof WorkspaceError) return refused(place.message);
    const hidden = await whyUnreadable(file, place, guard, deps);
    if (hidden !== undefined) return refused(hidden);
    if (text !== undefined) return { type: 'text', text };
    const stat = await inspecting;
    if (stat === undefined) return refused(`${file} does not exist`);
    if (stat.type === 'directory') return await listFolder(file, guard, deps);
    if (stat.size > MENTION_LIMITS.file) {
      return refused(`it has ${stat.size} bytes, more than the ${MENTION_LIMITS.file} that are allowed`);
    }
    const read = (await workspace.readPlaces(new Map([[file, place]]), deps.signal)).get(file);
    if (read === undefined || read instanceof WorkspaceError) return refused(read?.message ?? `${file} cannot be read`);
    return linesOf(read.text, mention);
  } catch (error) {
    if (error instanceof WorkspaceError) return refused(error.message);
    throw error;
  }
}

function refused(reason: string): Found {
  return { type: 'refused', reason: reason.replace(/\.$/, '') };
}

function linesOf(text: string, { lines: named, quote }: Mention): Found {
  const moved = named && quote ? findQuote(text, quote, named) : undefined;
  const wanted = moved ?? named;
  const lines = splitLines(text);
  if (wanted === undefined) return { type: 'text', text: lines.join('\n') };
  if (wanted.first > lines.length) return refused(`it has ${lines.length} lines, and line ${wanted.first} is wanted`);
  return {
    type: 'text',
    text: lines.slice(wanted.first - 1, wanted.last).join('\n'),
    ...(moved === undefined ? {} : { lines: moved }),
  };
}

/** The mention at these lines, which its name may have at its end. */
function atLines(mention: Mention, lines: LineRange): Mention {
  const before = mention.lines === undefined ? '' : `:${rangeText(mention.lines)}`;
  const isNamed = before !== '' && mention.name.endsWith(before);
  const name = isNamed ? `${mention.name.slice(0, -before.length)}:${rangeText(lines)}` : mention.name;
  return { ...mention, name, lines };
}

/** Returns the lines without their ends, and without the empty line behind the last one. */
function splitLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The names in a folder, `/` behind those of folders. */
async function listFolder(folder: string, guard: ReadGuard, { workspace }: Deps): Promise<Found> {
  const entries = await workspace.list(folder);
  const shown = entries.filter(({ name }) => guard([path.join(folder, name)]) === undefined);
  const names = shown.map(({ name, type }) => (type === 'directory' ? `${name}/` : name));
  return { type: 'text', text: names.slice(0, MENTION_LIMITS.entries).join('\n'), total: names.length };
}

/** Whole lines from the first, as many as fit in `budget` bytes; a part of the first one when it alone is too long. */
export function withinBudget(mention: Mention, found: Found, budget: number): Mention {
  const { text: _text, ...named } = mention;
  if (found.type === 'refused') return { ...named, sent: found };
  if (budget === 0) {
    const reason = `the other mentions of this message fill its ${MENTION_LIMITS.message / 1024} KiB`;
    return { ...named, sent: { type: 'refused', reason } };
  }
  const lines = found.text === '' ? [] : found.text.split('\n');
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    bytes += byteLength(line) + 1;
    if (bytes - 1 > budget) break;
    count++;
  }
  const isCutInLine = count === 0 && lines.length > 0;
  const text = isCutInLine ? cutBytes(lines[0] ?? '', budget) : lines.slice(0, count).join('\n');
  const kept = isCutInLine ? 1 : count;
  const total = Math.max(found.total ?? lines.length, lines.length);
  const isCut = kept < total || isCutInLine;
  return {
    ...named,
    text,
    sent: { type: 'text', lines: kept, ...(isCut ? { of: total } : {}), tokens: estimateTokens(text) },
  };
}
