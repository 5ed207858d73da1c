import * as z from 'zod';
import type { PlanStep } from '../../../protocol/item.ts';
import { planStepSchema } from '../../../protocol/item.ts';
import { refusedInPlanMode } from '../../policy/planMode.ts';
import type { ToolHandler } from '../handler.ts';
import { parseArguments } from '../parseArguments.ts';
import { lazyObject } from '../../../protocol/lazyObject.ts';

const argumentsSchema = lazyObject(() => ({ explanation: z.string().optional(), plan: z.array(planStepSchema) }));
type Arguments = z.infer<typeof argumentsSchema>;

/** Shows the user the steps of the work and their progress. Changes nothing (codex-behaviour.md §4.6). */
export const updatePlan: ToolHandler<Arguments, { explanation: string | undefined; steps: readonly PlanStep[] }> = {
  names: ['update_plan'],
  isMutating: () => false,
  spec: {
    type: 'function',
    name: 'update_plan',
    description:
      'Shows the user your plan and its progress. Send the whole plan each time, with at most one step in progress.',
    strict: false,
    parameters: {
      type: 'object',
      properties: {
        explanation: { type: 'string', description: 'Why the plan changed, if it did.' },
        plan: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              step: { type: 'string' },
              status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
            },
            required: ['step', 'status'],
            additionalProperties: false,
          },
        },
      },
      required: ['plan'],
      additionalProperties: false,
    },
  },
  parse: (payload) => parseArguments(argumentsSchema, payload),
  async prepare(args, { settings }) {
    return {
      type: 'ready',
      plan: { explanation: args.explanation, steps: args.plan },
      // It would be a second plan beside the one that the user reads, edits and starts.
      requirement: settings.planMode
        ? refusedInPlanMode('update_plan shows the progress of work, and does not run')
        : {
            type: 'skip',
            bypassSandbox: false,
            reason: { source: 'policy', id: 'harmless', text: 'It only shows a plan.' },
          },
      approvalKeys: [],
    };
  },
  async run({ explanation, steps }, _attempt, context) {
    context.emit({ type: 'plan_updated', ...(explanation === undefined ? {} : { explanation }), steps: [...steps] });
    return {
      output: 'Plan updated',
      success: true,
      item: {
        id: context.itemId,
        type: 'plan',
        status: 'completed',
        ...(explanation === undefined ? {} : { explanation }),
        steps: [...steps],
      },
    };
  },
};
