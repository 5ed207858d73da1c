import * as z from 'zod';
import type { ToolHandler } from '../handler.ts';
import { parseArguments } from '../parseArguments.ts';
import { agentItem, endedItem, ready, refused, succeeded } from './agentCall.ts';
import { statusForModel } from './agentStatus.ts';
import type { Agents } from './agents.ts';

const argumentsSchema = z.object({ id: z.string().min(1) });
type Arguments = z.infer<typeof argumentsSchema>;

const PARAMETERS = {
  type: 'object',
  properties: { id: { type: 'string', description: 'The id of the agent.' } },
  required: ['id'],
  additionalProperties: false,
} as const;

/** Opens a closed sub-agent again (codex-behaviour.md §11). */
export const resumeAgent = (agents: Agents): ToolHandler<Arguments, Arguments> => ({
  names: ['resume_agent'],
  isMutating: () => true,
  spec: {
    type: 'function',
    name: 'resume_agent',
    description: 'Opens an agent again that was closed, so that it can be sent messages.',
    strict: false,
    parameters: PARAMETERS,
  },
  parse: (payload) => parseArguments(argumentsSchema, payload),
  prepare: async (args) => ready(args),
  async run({ id }, _attempt, context) {
    const known = agents.find(id);
    const item = agentItem('resume', known ? [known] : [], context);
    const resumed = await agents.resume(id, context);
    if (resumed.type === 'refused') return refused(resumed.message, item);
    return succeeded({ status: statusForModel(resumed.agent) }, endedItem(item, 'completed', resumed.agent));
  },
});

/** Ends a sub-agent (codex-behaviour.md §11). */
export const closeAgent = (agents: Agents): ToolHandler<Arguments, Arguments> => ({
  names: ['close_agent'],
  isMutating: () => true,
  spec: {
    type: 'function',
    name: 'close_agent',
    description:
      'Ends an agent that is no longer needed, and returns what its status was. Open agents count against the limit.',
    strict: false,
    parameters: PARAMETERS,
  },
  parse: (payload) => parseArguments(argumentsSchema, payload),
  prepare: async (args) => ready(args),
  async run({ id }, _attempt, context) {
    const known = agents.find(id);
    const item = agentItem('close', known ? [known] : [], context);
    const closed = await agents.close(id);
    if (closed.type === 'refused') return refused(closed.message, item);
    return succeeded({ status: statusForModel(closed.before) }, endedItem(item, 'completed', agents.find(id)));
  },
});
