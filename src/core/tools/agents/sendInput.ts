import * as z from 'zod';
import type { ToolHandler } from '../handler.ts';
import { parseArguments } from '../parseArguments.ts';
import { agentItem, endedItem, ready, refused, succeeded } from './agentCall.ts';
import { AGENT_INPUT_PROPERTIES, agentInputShape, readAgentInput } from './agentInput.ts';
import type { Agents } from './agents.ts';
import { lazyObject } from '../../../protocol/lazyObject.ts';

const argumentsSchema = lazyObject(() => ({
  id: z.string().min(1),
  ...agentInputShape,
  interrupt: z.boolean().default(false),
}));
type Arguments = z.infer<typeof argumentsSchema>;

/** Sends a message to a sub-agent (codex-behaviour.md §11). */
export const sendInput = (agents: Agents): ToolHandler<Arguments, Arguments> => ({
  names: ['send_input'],
  isMutating: () => true,
  spec: {
    type: 'function',
    name: 'send_input',
    description:
      'Sends a message to an agent. One that works reads it as soon as it can; one that has finished goes on with it.',
    strict: false,
    parameters: {
      type: 'object',
      properties: {
        id: { type: 'string', description: 'The id of the agent.' },
        ...AGENT_INPUT_PROPERTIES,
        interrupt: { type: 'boolean', description: 'Stops what it does first.' },
      },
      required: ['id'],
      additionalProperties: false,
    },
  },
  parse: (payload) => parseArguments(argumentsSchema, payload),
  prepare: async (args) => ready(args),
  async run(args, _attempt, context) {
    const agent = agents.find(args.id);
    const item = agentItem('message', agent ? [agent] : [], context);
    const read = readAgentInput(args);
    if ('problem' in read) return refused(read.problem, item);
    const sent = agents.send(args.id, read.input, args.interrupt, context);
    if (sent.type === 'refused') return refused(sent.message, item);
    return succeeded(
      { submission_id: sent.submissionId },
      endedItem(item, 'completed', agents.find(args.id), textIn(read)),
    );
  },
});

function textIn({
  input,
}: {
  readonly input: readonly { readonly type: string; readonly text?: string | undefined }[];
}) {
  return input.flatMap(({ text }) => text ?? []).join('\n');
}
