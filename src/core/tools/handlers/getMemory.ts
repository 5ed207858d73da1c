import * as z from 'zod';
import type { TurnItemOf } from '../../../protocol/item.ts';
import type { ToolHandler } from '../handler.ts';
import { parseArguments } from '../parseArguments.ts';

/** The memory of a thread as the tool returns it. */
export interface FoundMemory {
  readonly title: string;
  readonly trace: string;
  readonly summary: string;
}

/** Any text may be given as the id. */
export type ReadMemory = (memoryId: string) => Promise<FoundMemory | undefined>;

const argumentsSchema = z.object({ memory_id: z.string() });
type Arguments = z.infer<typeof argumentsSchema>;

/** Returns the memory of an earlier thread (codex-behaviour.md §4.11). */
export const getMemory = (read: ReadMemory): ToolHandler<Arguments, Arguments> => ({
  names: ['get_memory'],
  isMutating: () => false,
  spec: {
    type: 'function',
    name: 'get_memory',
    description:
      'Returns what was written down of an earlier thread: trace_summary, what happened in it, and memory_summary, what is worth knowing of it.',
    strict: false,
    parameters: {
      type: 'object',
      properties: { memory_id: { type: 'string', description: 'The id of the thread.' } },
      required: ['memory_id'],
      additionalProperties: false,
    },
  },
  parse: (payload) => parseArguments(argumentsSchema, payload),
  async prepare(args) {
    return {
      type: 'ready',
      plan: args,
      requirement: {
        type: 'skip',
        bypassSandbox: false,
        reason: { source: 'policy', id: 'harmless', text: 'It only reads what Tiller has written down of a thread.' },
      },
      approvalKeys: [],
    };
  },
  async run({ memory_id: id }, _attempt, context) {
    const item: TurnItemOf<'file_lookup'> = {
      id: context.itemId,
      type: 'file_lookup',
      status: 'completed',
      callId: context.callId,
      action: 'memory',
      path: id,
    };
    const failed = (output: string) => ({
      output,
      success: false,
      item: { ...item, status: 'failed' as const, why: output },
    });
    let memory: FoundMemory | undefined;
    try {
      memory = await read(id);
    } catch {
      return failed(`The memory ${JSON.stringify(id)} cannot be read.`);
    }
    if (memory === undefined) return failed(`There is no memory with the id ${JSON.stringify(id)}.`);
    const found = { memory_id: id, trace_summary: memory.trace, memory_summary: memory.summary };
    return { output: JSON.stringify(found, null, 2), success: true, item: { ...item, path: memory.title || id } };
  },
});
