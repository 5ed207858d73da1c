import * as z from 'zod';
import { CELLS_NOTE } from '../../patch/notebookFault.ts';
import { WorkspaceError } from '../../ports.ts';
import type { ToolHandler } from '../handler.ts';
import { fileTool, type Looked } from './fileTool.ts';
import { indentationBlock } from './indentationBlock.ts';
import { cutBytes, withinBudget } from './lines.ts';
import { lazyObject } from '../../../protocol/lazyObject.ts';
import type { FunctionToolSpec } from '../../../protocol/toolSpec.ts';

/** Maximum bytes of one line (codex-behaviour.md §4.3). */
const MAX_LINE_BYTES = 500;

const count = z.number().int().min(1);
const argumentsSchema = lazyObject(() => ({
  file_path: z.string().min(1),
  offset: count.default(1),
  limit: count.default(2_000),
  mode: z.enum(['slice', 'indentation']).default('slice'),
  indentation: z
    .object({
      anchor_line: count.optional(),
      max_levels: z.number().int().min(0).default(0),
      include_siblings: z.boolean().default(false),
      include_header: z.boolean().default(true),
      max_lines: count.optional(),
    })
    .optional(),
}));

type Arguments = z.infer<typeof argumentsSchema>;

const SPEC: FunctionToolSpec = {
  type: 'function',
  name: 'read_file',
  description: 'Reads a text file, as it is in the editor. Returns lines as "L<number>: <text>".',
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      file_path: { type: 'string', description: 'Absolute, or relative to an open folder.' },
      offset: { type: 'number', description: 'The first line, from 1; default 1.' },
      limit: { type: 'number', description: 'How many lines; default 2000.' },
      mode: {
        type: 'string',
        enum: ['slice', 'indentation'],
        description: 'indentation: the block around a line; default slice.',
      },
      indentation: {
        type: 'object',
        properties: {
          anchor_line: { type: 'number', description: 'Default: offset.' },
          max_levels: { type: 'number', description: 'How many blocks outwards; 0, the default: all.' },
          include_siblings: { type: 'boolean' },
          include_header: { type: 'boolean' },
          max_lines: { type: 'number' },
        },
        additionalProperties: false,
      },
    },
    required: ['file_path'],
    additionalProperties: false,
  },
};

/** Returns lines of a text file, with the unsaved edits of the user (codex-behaviour.md §4.3). */
export const readFile = (offered: boolean): ToolHandler =>
  fileTool(
    {
      spec: SPEC,
      schema: argumentsSchema,
      action: 'read',
      pathOf: ({ file_path: file }) => file,
      async look(args, { path, place }, _guard, { workspace, signal }): Promise<Looked> {
        const file = (await workspace.readPlaces(new Map([[path, place]]), signal)).get(path);
        if (file === undefined || file instanceof WorkspaceError) {
          return { type: 'failure', output: file?.message ?? `${path} cannot be read.` };
        }
        const lines = file.text.split('\n').map((line) => line.replace(/\r$/, ''));
        if (lines.at(-1) === '') lines.pop();
        const first = firstLineOf(args);
        if (first > Math.max(1, lines.length)) {
          return {
            type: 'failure',
            output: `Line ${first} is beyond the end of the file, which has ${lines.length} lines.`,
          };
        }
        const text = lines.length === 0 ? 'The file is empty.' : numberedLines(lines, args);
        return { type: 'found', output: file.isCells ? `${text}\n${CELLS_NOTE}` : text };
      },
    },
    offered,
  );

/** The line at which the model wants to read, from 1. */
function firstLineOf({ mode, indentation, offset }: Arguments): number {
  return mode === 'indentation' ? (indentation?.anchor_line ?? offset) : offset;
}

/** Returns the wanted lines with their numbers, as many as fit into one output, and a note when a slice has more. */
function numberedLines(lines: readonly string[], args: Arguments): string {
  const { offset, limit, mode, indentation } = args;
  const [start, end] =
    mode === 'slice'
      ? [offset - 1, Math.min(lines.length, offset - 1 + limit)]
      : indentationBlock(lines, firstLineOf(args) - 1, {
          maxLevels: indentation?.max_levels ?? 0,
          includeSiblings: indentation?.include_siblings ?? false,
          includeHeader: indentation?.include_header ?? true,
          maxLines: Math.min(limit, indentation?.max_lines ?? limit),
        });
  const shown = lines
    .slice(start, end)
    .map((line, index) => `L${start + index + 1}: ${cutBytes(line, MAX_LINE_BYTES)}`);
  const { text, count: kept } = withinBudget(shown);
  const last = start + kept;
  const hasMore = mode === 'slice' && last < lines.length;
  return hasMore ? `${text}\nThe file has ${lines.length} lines; the next one is ${last + 1}.` : text;
}
