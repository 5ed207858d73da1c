/**
 * The common part of a tool of the client and a tool of another extension: Tiller knows only what their owner states.
 */
import * as z from 'zod';
import type { TurnItemOf } from '../../protocol/item.ts';
import { checkArguments } from './checkArguments.ts';
import type { ToolContext, ToolHandler } from './handler.ts';
import { parseArguments } from './parseArguments.ts';
import { sanitizeInputSchema } from './sanitizeSchema.ts';

const anyArguments = z.record(z.string(), z.unknown());
export type ForeignArguments = z.infer<typeof anyArguments>;

export interface ForeignPlan {
  readonly args: ForeignArguments;
  readonly item: TurnItemOf<'dynamic_tool_call'>;
}

/**
 * The specification and the argument parser of the tool. It may have any effect, so it counts as mutating and runs
 * alone.
 */
export function foreignTool({
  name,
  description,
  inputSchema,
}: {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}): Pick<ToolHandler<ForeignArguments, ForeignPlan>, 'names' | 'isMutating' | 'spec' | 'parse'> {
  return {
    names: [name],
    isMutating: () => true,
    spec: { type: 'function', name, description, strict: false, parameters: sanitizeInputSchema(inputSchema) },
    parse(payload) {
      const parsed = parseArguments(anyArguments, payload);
      return parsed.type === 'parsed' ? checkArguments(inputSchema, parsed.args) : parsed;
    },
  };
}

/** The row of a call that begins. `source`: the owner of the tool, if it is not the client. */
export function startedItem(
  { itemId, callId }: Pick<ToolContext, 'itemId' | 'callId'>,
  tool: string,
  args: ForeignArguments,
  source?: string,
): ForeignPlan['item'] {
  return {
    id: itemId,
    type: 'dynamic_tool_call',
    status: 'in_progress',
    callId,
    tool,
    ...(source === undefined ? {} : { source }),
    arguments: args,
    contentItems: [],
    success: null,
  };
}
