import path from 'node:path';
import * as z from 'zod';
import type { DirectoryEntry } from '../../ports.ts';
import type { ToolContext, ToolHandler } from '../handler.ts';
import { fileTool, type Looked } from './fileTool.ts';
import { isNeverEntered } from '../../util/ignoreRules.ts';
import { cutBytes, withinBudget } from './lines.ts';
import { lazyObject } from '../../../protocol/lazyObject.ts';

/** Maximum bytes of one name (codex-behaviour.md §4.4). */
const MAX_NAME_BYTES = 500;
/** Maximum entries that are visited; more are not listed, and the output mentions it. */
const MAX_ENTRIES = 10_000;

const count = z.number().int().min(1);
const argumentsSchema = lazyObject(() => ({
  dir_path: z.string().min(1),
  offset: count.default(1),
  limit: count.default(25),
  depth: count.default(2),
}));

const SUFFIX: Readonly<Record<DirectoryEntry['type'], string>> = {
  file: '',
  directory: '/',
  symbolic_link: '@',
  other: '?',
};

/** Lists a folder and those below it; follows no links (codex-behaviour.md §4.4). */
export const listDir = (offered: boolean): ToolHandler =>
  fileTool(
    {
      spec: {
        type: 'function',
        name: 'list_dir',
        description: 'Lists a folder: / marks folders, @ links, ? others. Folders of git and packages are not opened.',
        strict: false,
        parameters: {
          type: 'object',
          properties: {
            dir_path: { type: 'string', description: 'Absolute, or relative to an open folder.' },
            offset: { type: 'number', description: 'The first entry, from 1; default 1.' },
            limit: { type: 'number', description: 'How many entries; default 25.' },
            depth: { type: 'number', description: 'How many levels; default 2.' },
          },
          required: ['dir_path'],
          additionalProperties: false,
        },
      },
      schema: argumentsSchema,
      action: 'list',
      pathOf: ({ dir_path: folder }) => folder,
      async look({ offset, limit, depth }, { path: folder, place }, guard, context): Promise<Looked> {
        const found = await context.workspace.stat(place.target);
        if (found !== undefined && found.type !== 'directory') {
          return { type: 'failure', output: `${folder} is a file, not a directory.` };
        }
        const lines: string[] = [];
        const isHidden = (at: string) => guard([at]) !== undefined;
        const isWhole = await collect(place.target, 1, { depth, lines, isHidden, context });
        if (offset > Math.max(1, lines.length)) {
          const why = isWhole
            ? `there are ${lines.length} entries.`
            : `only the first ${lines.length} entries are looked at; name a folder below.`;
          return { type: 'failure', output: `Entry ${offset} is beyond the end: ${why}` };
        }
        const wanted = lines.slice(offset - 1, offset - 1 + limit);
        const { text, count: kept } = withinBudget([`Absolute path: ${folder}`, ...wanted]);
        const isCut = offset - 1 + wanted.length < lines.length || kept <= wanted.length;
        if (isCut) return { type: 'found', output: `${text}\nMore than ${kept - 1} entries found` };
        const more = `\nMore than ${lines.length} entries found; no more are looked at: name a folder below.`;
        return { type: 'found', output: isWhole ? text : `${text}${more}` };
      },
    },
    offered,
  );

interface Listing {
  readonly depth: number;
  readonly lines: string[];
  readonly isHidden: (at: string) => boolean;
  readonly context: Pick<ToolContext, 'workspace' | 'signal'>;
}

/** Returns false where there are more entries than the maximum. */
async function collect(folder: string, level: number, listing: Listing): Promise<boolean> {
  const { depth, lines, isHidden, context } = listing;
  context.signal.throwIfAborted();
  for (const { name, type } of await context.workspace.list(folder)) {
    if (lines.length >= MAX_ENTRIES) return false;
    const at = path.join(folder, name);
    lines.push(`${'  '.repeat(level - 1)}${cutBytes(name, MAX_NAME_BYTES)}${SUFFIX[type]}`);
    const isOpened = type === 'directory' && level < depth && !isNeverEntered(name) && !isHidden(at);
    if (!isOpened) continue;
    const isWhole = await collect(at, level + 1, listing).catch(() => {
      // A folder that cannot be read is listed by its name.
      context.signal.throwIfAborted();
      return true;
    });
    if (!isWhole) return false;
  }
  return true;
}
