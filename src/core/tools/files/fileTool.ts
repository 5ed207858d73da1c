/** What the tools that only read files share: places, what may not be read, the row in the panel. */
import type * as z from 'zod';
import type { TurnItemOf } from '../../../protocol/item.ts';
import type { FunctionToolSpec } from '../../../protocol/toolSpec.ts';
import { WorkspaceError } from '../../ports.ts';
import type { Preparation, ToolContext, ToolHandler, ToolResult } from '../handler.ts';
import { parseArguments } from '../parseArguments.ts';
import { mayReadOnce } from './askToRead.ts';
import { findPlace, type FoundPlace, shownPath } from './filePaths.ts';
import { type ReadGuard, readGuard, readLimitsOf } from './readGuard.ts';

/** What is found at a place: the output for the model. A failure is a sentence, too. */
export type Looked =
  | { readonly type: 'found'; readonly output: string }
  | { readonly type: 'failure'; readonly output: string };

export interface FileToolOptions<Args> {
  readonly spec: FunctionToolSpec;
  readonly schema: z.ZodType<Args>;
  readonly action: TurnItemOf<'file_lookup'>['action'];
  readonly pathOf: (args: Args) => string;
  readonly patternOf?: (args: Args) => string;
  /** @throws WorkspaceError, which becomes a failure with its message. `guard` is for files below the place. */
  readonly look: (args: Args, place: FoundPlace, guard: ReadGuard, context: ToolContext) => Promise<Looked>;
}

interface LookPlan<Args> {
  readonly args: Args;
  readonly found: FoundPlace;
  readonly guard: ReadGuard;
  readonly item: TurnItemOf<'file_lookup'>;
}

/** A tool that reads files of the workspace through its port: live buffers, every file system that VS Code has. */
export function fileTool<Args>(options: FileToolOptions<Args>, offered: boolean): ToolHandler<Args, LookPlan<Args>> {
  const { spec, schema, action, pathOf, patternOf, look } = options;
  return {
    names: [spec.name],
    spec: offered ? spec : undefined,
    isMutating: () => false,
    parse: (payload) => parseArguments(schema, payload),
    async prepare(args, context): Promise<Preparation<LookPlan<Args>>> {
      const found = await findPlace(pathOf(args), context);
      if ('problem' in found) return { type: 'failure', output: found.problem };
      const item: TurnItemOf<'file_lookup'> = {
        id: context.itemId,
        type: 'file_lookup',
        status: 'in_progress',
        callId: context.callId,
        action,
        path: shownPath(found.path, context.settings.cwd),
        ...(patternOf === undefined ? {} : { pattern: patternOf(args) }),
      };
      return {
        type: 'ready',
        plan: { args, found, guard: await readGuard(readLimitsOf(context), context), item },
        item,
        requirement: {
          type: 'skip',
          bypassSandbox: false,
          reason: { source: 'policy', id: 'reads-files', text: 'It only reads files that commands may read, too.' },
        },
        approvalKeys: [],
      };
    },
    async run({ args, found, guard, item }, _attempt, context): Promise<ToolResult> {
      const hidden = guard([found.path, found.place.name, found.place.target]);
      if (hidden !== undefined && !(await mayReadOnce(hidden, context))) {
        return failed(item, `${hidden}. Reading it was not allowed. Go on without it.`, 'declined');
      }
      try {
        const looked = await look(args, found, guard, context);
        if (looked.type === 'failure') return failed(item, looked.output);
        return { output: looked.output, success: true, item: { ...item, status: 'completed' } };
      } catch (error) {
        if (error instanceof WorkspaceError) return failed(item, error.message);
        throw error;
      }
    },
  };
}

function failed(item: TurnItemOf<'file_lookup'>, output: string, status: 'failed' | 'declined' = 'failed'): ToolResult {
  return { output, success: false, item: { ...item, status, why: output } };
}
