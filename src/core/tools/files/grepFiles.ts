import path from 'node:path';
import * as z from 'zod';
import { type FilePlace, type Workspace, WorkspaceError } from '../../ports.ts';
import { globToRegExp } from '../../util/glob.ts';
import { messageOf } from '../../util/fileErrors.ts';
import type { ToolContext, ToolHandler } from '../handler.ts';
import { fileTool, type Looked } from './fileTool.ts';
import { withinBudget } from './lines.ts';
import type { ReadGuard } from './readGuard.ts';
import { walkFiles } from './walkFiles.ts';

const [DEFAULT_LIMIT, MAX_LIMIT] = [100, 2_000];
/** Files that one search reads, and milliseconds that it may take. */
const [MAX_FILES, MAX_MS] = [20_000, 30_000];
/** Files that are read at once. */
const BATCH = 32;

const argumentsSchema = z.object({
  pattern: z.string().min(1),
  include: z.string().min(1).optional(),
  path: z.string().min(1).default('.'),
  limit: z.number().int().min(1).default(DEFAULT_LIMIT),
});

/** Finds files by a regular expression, the newest first (codex-behaviour.md §4.5). */
export const grepFiles = (offered: boolean): ToolHandler =>
  fileTool(
    {
      spec: {
        type: 'function',
        name: 'grep_files',
        description:
          'Returns the paths of files with a line that matches, newest first. Leaves out what .gitignore names.',
        strict: false,
        parameters: {
          type: 'object',
          properties: {
            pattern: { type: 'string', description: 'A regular expression (JavaScript).' },
            include: { type: 'string', description: 'A glob of files, e.g. "*.{ts,tsx}".' },
            path: { type: 'string', description: 'A folder or file; default: the working directory.' },
            limit: { type: 'number', description: 'How many paths; default 100, at most 2000.' },
          },
          required: ['pattern'],
          additionalProperties: false,
        },
      },
      schema: argumentsSchema,
      action: 'search',
      pathOf: ({ path: folder }) => folder,
      patternOf: ({ pattern }) => pattern,
      async look({ pattern, include, limit }, found, guard, context): Promise<Looked> {
        let matches: (text: string) => boolean | 'too_slow';
        try {
          matches = context.regexps.compile(pattern);
        } catch (error) {
          return { type: 'failure', output: `The pattern is not a regular expression: ${messageOf(error)}.` };
        }
        const stat = await context.workspace.stat(found.place.target);
        if (stat === undefined) return { type: 'failure', output: `${found.path} does not exist.` };
        const wanted = include === undefined ? undefined : globToRegExp(include);
        const files =
          stat.type === 'directory' ? filesBelow(found.place.target, wanted, guard, context) : only(found.place.target);
        const { hits, stopped } = await search(files, matches, context);
        if (stopped === 'slow') return { type: 'failure', output: 'The pattern takes too long. Write a simpler one.' };
        if (hits.length === 0 && stopped === undefined) return { type: 'failure', output: 'No matches found.' };
        const newest = await byAge(hits, context.workspace);
        const { text } = withinBudget(newest.slice(0, Math.min(limit, MAX_LIMIT)));
        const note = `Not everything was searched (${MAX_FILES} files, ${MAX_MS / 1000} seconds): name a folder in path.`;
        return { type: 'found', output: [text, ...(stopped === undefined ? [] : [note])].filter(Boolean).join('\n') };
      },
    },
    offered,
  );

async function* only(file: string): AsyncIterable<string> {
  yield file;
}

async function* filesBelow(
  folder: string,
  wanted: RegExp | undefined,
  guard: ReadGuard,
  { workspace, signal }: ToolContext,
): AsyncIterable<string> {
  for await (const way of walkFiles(folder, workspace, signal)) {
    const file = path.join(folder, way);
    if ((wanted === undefined || wanted.test(way)) && guard([file]) === undefined) yield file;
  }
}

interface SearchResult {
  readonly hits: readonly string[];
  /** `limit`: files or time were used up. `slow`: the pattern needs too long for one file. */
  readonly stopped: 'limit' | 'slow' | undefined;
}

async function search(
  files: AsyncIterable<string>,
  matches: (text: string) => boolean | 'too_slow',
  { workspace, signal, clock }: ToolContext,
): Promise<SearchResult> {
  const hits: string[] = [];
  const until = clock.monotonic() + MAX_MS;
  let batch = new Map<string, FilePlace>();
  let seen = 0;
  const readBatch = async (): Promise<boolean> => {
    for (const [file, content] of await workspace.readPlaces(batch, signal)) {
      // Binary and unreadable files have no lines.
      const result = content instanceof WorkspaceError ? false : matches(content.text);
      if (result === 'too_slow') return false;
      if (result) hits.push(file);
    }
    batch = new Map();
    return true;
  };
  for await (const file of files) {
    // The folders of a walked path are no links; the file is opened without following one.
    batch.set(file, { name: file, target: file });
    seen++;
    if (batch.size >= BATCH && !(await readBatch())) return { hits, stopped: 'slow' };
    if (seen >= MAX_FILES || clock.monotonic() > until) {
      return (await readBatch()) ? { hits, stopped: 'limit' } : { hits, stopped: 'slow' };
    }
  }
  return { hits, stopped: (await readBatch()) ? undefined : 'slow' };
}

async function byAge(files: readonly string[], workspace: Pick<Workspace, 'stat'>): Promise<readonly string[]> {
  const aged = await Promise.all(
    files.map(async (file) => ({ file, age: (await workspace.stat(file).catch(() => undefined))?.modifiedAt ?? 0 })),
  );
  return aged.toSorted((one, other) => other.age - one.age || (one.file < other.file ? -1 : 1)).map(({ file }) => file);
}
