/** A tool that finds something in files of the workspace: lines, entries of a folder, matches. */
import type * as z from 'zod';
import type { TurnItemOf } from '../../../protocol/item.ts';
import type { FunctionToolSpec } from '../../../protocol/toolSpec.ts';
import type { ToolContext, ToolHandler } from '../handler.ts';
import { parseArguments } from '../parseArguments.ts';
import type { FoundPlace } from './filePaths.ts';
import { failedRead, type GuardedRead, prepareRead, runRead } from './guardedRead.ts';
import type { ReadGuard } from './readGuard.ts';

/** The result at a place: the output for the model. A failure is a sentence, too. */
export type Looked =
  | { readonly type: 'found'; readonly output: string }
  | { readonly type: 'failure'; readonly output: string };

export interface FileToolOptions<Args> {
  readonly spec: FunctionToolSpec;
  readonly schema: z.ZodType<Args>;
  /** The row and the audit log name the tool by its action (`LOOKUP_TOOLS` in protocol/itemTraits.ts): one for each tool. */
  readonly action: TurnItemOf<'file_lookup'>['action'];
  readonly pathOf: (args: Args) => string;
  readonly patternOf?: (args: Args) => string;
  /** @throws WorkspaceError, which becomes a failure with its message. `guard` is for files below the place. */
  readonly look: (args: Args, place: FoundPlace, guard: ReadGuard, context: ToolContext) => Promise<Looked>;
}

type LookPlan<Args> = GuardedRead<Args, TurnItemOf<'file_lookup'>>;

/** A tool that reads files of the workspace through its port: live buffers, every file system that VS Code has. */
export function fileTool<Args>(options: FileToolOptions<Args>, offered: boolean): ToolHandler<Args, LookPlan<Args>> {
  const { spec, schema, action, pathOf, patternOf, look } = options;
  return {
    names: [spec.name],
    spec: offered ? spec : undefined,
    isMutating: () => false,
    parse: (payload) => parseArguments(schema, payload),
    prepare(args, context) {
      const itemOf = (path: string): TurnItemOf<'file_lookup'> => ({
        id: context.itemId,
        type: 'file_lookup',
        status: 'in_progress',
        callId: context.callId,
        action,
        path,
        ...(patternOf === undefined ? {} : { pattern: patternOf(args) }),
      });
      return prepareRead(args, pathOf(args), itemOf, context);
    },
    run: (plan, _attempt, context) =>
      runRead(plan, context, async () => {
        const { args, found, guard, item } = plan;
        const looked = await look(args, found, guard, context);
        if (looked.type === 'failure') return failedRead(item, looked.output);
        return { output: looked.output, success: true, item: { ...item, status: 'completed' } };
      }),
  };
}
