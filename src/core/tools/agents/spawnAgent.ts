import * as z from 'zod';
import { reasoningEffortSchema } from '../../../protocol/op.ts';
import type { ToolHandler } from '../handler.ts';
import { parseArguments } from '../parseArguments.ts';
import { agentItem, endedItem, ready, refused, succeeded } from './agentCall.ts';
import { noCopyNote } from './agentStatus.ts';
import { AGENT_INPUT_PROPERTIES, agentInputShape, readAgentInput } from './agentInput.ts';
import type { AgentRole, Agents } from './agents.ts';
import { rolesText } from './rolesText.ts';
import { lazyObject } from '../../../protocol/lazyObject.ts';

const argumentsSchema = lazyObject(() => ({
  ...agentInputShape,
  agent_type: z.string().optional(),
  fork_context: z.boolean().default(false),
  model: z.string().min(1).optional(),
  reasoning_effort: reasoningEffortSchema.optional(),
}));
type Arguments = z.infer<typeof argumentsSchema>;

/** The name for no role; agent files cannot use it. */
export const DEFAULT_ROLE = 'default';

/** Starts a sub-agent that works beside its parent (codex-behaviour.md §11). */
export function spawnAgent(agents: Agents, roles: readonly AgentRole[]): ToolHandler<Arguments, Arguments> {
  return {
    names: ['spawn_agent'],
    isMutating: () => true,
    spec: {
      type: 'function',
      name: 'spawn_agent',
      description: `Starts an agent that works on a task of its own beside you, in the same workspace, and returns its id at once. It knows nothing of this thread unless you fork the context. Give it a clear task that does not depend on what you do yourself.\nTypes: ${DEFAULT_ROLE}, an agent like you. ${rolesText(roles)}`,
      strict: false,
      parameters: {
        type: 'object',
        properties: {
          ...AGENT_INPUT_PROPERTIES,
          agent_type: { type: 'string', enum: [DEFAULT_ROLE, ...roles.map(({ name }) => name)] },
          fork_context: { type: 'boolean', description: 'It begins with a copy of this thread.' },
          model: { type: 'string', description: 'Another model than yours.' },
          reasoning_effort: { type: 'string' },
        },
        additionalProperties: false,
      },
    },
    parse: (payload) => parseArguments(argumentsSchema, payload),
    prepare: async (args) => ready(args),
    async run(args, _attempt, context) {
      const item = { ...agentItem('spawn', [], context), role: args.agent_type ?? DEFAULT_ROLE };
      const read = readAgentInput(args);
      if ('problem' in read) return refused(read.problem, item);
      const spawned = await agents.spawn(
        {
          role: args.agent_type === DEFAULT_ROLE ? undefined : args.agent_type,
          input: read.input,
          forksContext: args.fork_context,
          model: args.model,
          effort: args.reasoning_effort,
        },
        context,
      );
      if (spawned.type === 'refused') return refused(spawned.message, item);
      const { agent } = spawned;
      const started = { ...item, ...(agent.description === undefined ? {} : { description: agent.description }) };
      const note = noCopyNote(agent);
      const output = { agent_id: agent.agentId, ...(note === '' ? {} : { note }) };
      return succeeded(output, endedItem(started, 'completed', agent));
    },
  };
}
