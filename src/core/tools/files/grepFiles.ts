import * as z from 'zod';
import { assertNever } from '../../util/assertNever.ts';
import type { ToolHandler } from '../handler.ts';
import { fileTool, type Looked } from './fileTool.ts';
import { withinBudget } from './lines.ts';
import { MAX_FILES, MAX_MS, searchFiles } from './searchFiles.ts';
import { lazyObject } from '../../../protocol/lazyObject.ts';

const [DEFAULT_LIMIT, MAX_LIMIT] = [100, 2_000];

const argumentsSchema = lazyObject(() => ({
  pattern: z.string().min(1),
  include: z.string().min(1).optional(),
  path: z.string().min(1).default('.'),
  limit: z
    .number()
    .int()
    .min(1)
    .default(DEFAULT_LIMIT)
    .transform((limit) => Math.min(limit, MAX_LIMIT)),
}));

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
        const place = found.place.target;
        const stat = await context.workspace.stat(place);
        if (stat === undefined) return { type: 'failure', output: `${found.path} does not exist.` };
        const isFolder = stat.type === 'directory';
        const outcome = await searchFiles({ pattern, include, place, isFolder, guard, limit }, context);
        switch (outcome.type) {
          case 'invalid':
            return { type: 'failure', output: `The pattern is not a regular expression: ${outcome.message}.` };
          case 'too_slow':
            return { type: 'failure', output: 'The pattern takes too long. Write a simpler one.' };
          case 'found': {
            const { files, tooLarge, isComplete } = outcome;
            const notes = [...(isComplete ? [] : [INCOMPLETE]), ...leftOut(tooLarge)];
            if (files.length === 0 && isComplete) {
              return { type: 'failure', output: ['No matches found.', ...notes].join('\n') };
            }
            const { text } = withinBudget(files);
            return { type: 'found', output: [text, ...notes].filter(Boolean).join('\n') };
          }
          default:
            return assertNever(outcome);
        }
      },
    },
    offered,
  );

const NAMED_FILES = 10;

/** Returns at most one line about files that were too large. */
function leftOut(tooLarge: readonly string[]): readonly string[] {
  if (tooLarge.length === 0) return [];
  const named = tooLarge.slice(0, NAMED_FILES).join(', ');
  const more = tooLarge.length - NAMED_FILES;
  return [`Too large to be searched: ${named}${more > 0 ? ` and ${more} more` : ''}.`];
}

const INCOMPLETE = `Not everything was searched (${MAX_FILES} files, ${MAX_MS / 1000} seconds): name a folder in path.`;
