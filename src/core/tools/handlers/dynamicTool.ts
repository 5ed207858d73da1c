import type { TurnItemOf } from '../../../protocol/item.ts';
import type { DynamicToolSpec } from '../../../protocol/op.ts';
import type { OutputPart } from '../../../protocol/responseItem.ts';
import { refusedInPlanMode } from '../../policy/planMode.ts';
import { deadline } from '../../util/abort.ts';
import type { DynamicCalls, DynamicToolResponse } from '../dynamicCalls.ts';
import { type ForeignArguments, foreignTool, type ForeignPlan, startedItem } from '../foreignTool.ts';
import type { ToolContext, ToolHandler } from '../handler.ts';
import { cutTexts, safeContent } from '../toolContent.ts';
import { MAX_OUTPUT_TOKENS } from './commandAnswer.ts';

/**
 * A tool that the client runs ("dynamic tool" of Codex). It is the client's own program, so the client is not asked for
 * approval; the tool counts as mutating and therefore runs alone.
 */
export function dynamicTool(tool: DynamicToolSpec, calls: DynamicCalls): ToolHandler<ForeignArguments, ForeignPlan> {
  return {
    ...foreignTool(tool),
    async prepare(args, context) {
      const item = startedItem(context, tool.name, args);
      return {
        type: 'ready',
        plan: { args, item },
        item,
        requirement: context.settings.planMode
          ? refusedInPlanMode('Tools of the client do not run')
          : {
              type: 'skip',
              bypassSandbox: false,
              reason: { source: 'policy', id: 'client-tool', text: 'The client runs this tool itself.' },
            },
        approvalKeys: [],
      };
    },
    async run({ args, item }, _attempt, context) {
      const call = { callId: context.callId, turnId: context.turnId, tool: tool.name, arguments: args };
      const { success, contentItems: given } = await answerOf(call, tool, calls, context);
      const contentItems = cutTexts(safeContent(given), MAX_OUTPUT_TOKENS);
      return {
        output: contentItems.map(outputPart),
        success,
        item: { ...item, status: success ? 'completed' : 'failed', contentItems, success },
      };
    },
  };
}

/** Rejects only with the reason of the turn's signal. */
async function answerOf(
  call: Parameters<DynamicCalls['request']>[0],
  { name, timeoutMs }: DynamicToolSpec,
  calls: DynamicCalls,
  { clock, emit, signal }: ToolContext,
): Promise<DynamicToolResponse> {
  if (timeoutMs === undefined) return calls.request(call, emit, signal);
  const late = new Error(`${name} failed: the client did not answer within ${timeoutMs / 1000} s.`);
  const limit = deadline(clock, timeoutMs, late, signal);
  try {
    return await calls.request(call, emit, limit.signal);
  } catch {
    signal.throwIfAborted();
    return { contentItems: [{ type: 'input_text', text: late.message }], success: false };
  } finally {
    limit.end();
  }
}

function outputPart(content: TurnItemOf<'dynamic_tool_call'>['contentItems'][number]): OutputPart {
  return content.type === 'input_text'
    ? { type: 'input_text', text: content.text }
    : { type: 'input_image', image_url: content.imageUrl };
}
