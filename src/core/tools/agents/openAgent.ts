import * as z from 'zod';
import type { ToolContext, ToolHandler, ToolResult } from '../handler.ts';
import { parseArguments } from '../parseArguments.ts';
import { type AgentItem, agentItem, endedItem, ready, refused, succeeded } from './agentCall.ts';
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

/** A tool that takes the id of an agent and does one thing with it. */
function toolById(
  name: string,
  description: string,
  run: (id: string, context: ToolContext) => Promise<ToolResult>,
): ToolHandler<Arguments, Arguments> {
  return {
    names: [name],
    isMutating: () => true,
    spec: { type: 'function', name, description, strict: false, parameters: PARAMETERS },
    parse: (payload) => parseArguments(argumentsSchema, payload),
    prepare: async (args) => ready(args),
    run: ({ id }, _attempt, context) => run(id, context),
  };
}

/** The item of a call about the agent with this id, which may not exist. */
function itemFor(action: 'resume' | 'close', id: string, agents: Agents, context: ToolContext): AgentItem {
  const known = agents.find(id);
  return agentItem(action, known ? [known] : [], context);
}

/** Opens a closed sub-agent again (codex-behaviour.md §11). */
export const resumeAgent = (agents: Agents): ToolHandler<Arguments, Arguments> =>
  toolById(
    'resume_agent',
    'Opens an agent again that was closed, so that it can be sent messages.',
    async (id, context) => {
      const item = itemFor('resume', id, agents, context);
      const resumed = await agents.resume(id, context);
      if (resumed.type === 'refused') return refused(resumed.message, item);
      return succeeded({ status: statusForModel(resumed.agent) }, endedItem(item, 'completed', resumed.agent));
    },
  );

/** Ends a sub-agent (codex-behaviour.md §11). */
export const closeAgent = (agents: Agents): ToolHandler<Arguments, Arguments> =>
  toolById(
    'close_agent',
    'Ends an agent that is no longer needed, and returns what its status was. Open agents count against the limit.',
    async (id, context) => {
      const item = itemFor('close', id, agents, context);
      const closed = await agents.close(id);
      if (closed.type === 'refused') return refused(closed.message, item);
      return succeeded({ status: statusForModel(closed.before) }, endedItem(item, 'completed', agents.find(id)));
    },
  );
