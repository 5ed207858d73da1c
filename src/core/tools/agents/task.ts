import * as z from 'zod';
import { withoutMiddle } from '../../util/tokens.ts';
import type { ToolHandler, ToolResult } from '../handler.ts';
import { parseArguments } from '../parseArguments.ts';
import { type AgentItem, agentItem, endedItem, ready, refused } from './agentCall.ts';
import type { AgentRole, Agents, ReportedAgent } from './agents.ts';
import { noCopyNote, withPlace } from './agentStatus.ts';
import { rolesText } from './rolesText.ts';
import { lazyObject } from '../../../protocol/lazyObject.ts';

const argumentsSchema = lazyObject(() => ({
  agent: z.string().min(1),
  prompt: z.string().trim().min(1),
  description: z.string().optional(),
}));
type Arguments = z.infer<typeof argumentsSchema>;

/** Maximum tokens of the last message of an agent that the model gets. */
const MAX_ANSWER = 10_000;

/** Runs a sub-agent to its end and returns its last message only. */
export function task(agents: Agents, roles: readonly AgentRole[]): ToolHandler<Arguments, Arguments> {
  return {
    names: ['task'],
    // Several run beside each other.
    isMutating: () => false,
    spec: {
      type: 'function',
      name: 'task',
      description: `Has an agent do a task in the same workspace and returns its last message. It knows nothing of this thread, and you see nothing of its work: say everything in the prompt, also what to report. Calls in one response run at the same time. Agents:\n${rolesText(roles)}`,
      strict: false,
      parameters: {
        type: 'object',
        properties: {
          agent: { type: 'string', enum: roles.map(({ name }) => name) },
          prompt: { type: 'string' },
          description: { type: 'string', description: 'The task in 3 to 5 words, for the user.' },
        },
        required: ['agent', 'prompt'],
        additionalProperties: false,
      },
    },
    parse: (payload) => parseArguments(argumentsSchema, payload),
    prepare: async (args) => ready(args),
    async run({ agent: role, prompt, description }, _attempt, context) {
      let item: AgentItem = {
        ...agentItem('task', [], context),
        role,
        ...(description === undefined ? {} : { description }),
      };
      const request = { role, input: [{ type: 'text' as const, text: prompt }], description, forksContext: false };
      try {
        const ended = await agents.runTask(request, context, (agent) => {
          item = { ...item, agentId: agent.agentId, agentState: agent.state };
          context.emit({ type: 'item_started', item });
        });
        return ended.type === 'refused' ? refused(ended.message, item) : result(item, ended.agent);
      } catch (error) {
        if (item.agentId !== '') context.emit({ type: 'item_completed', item: { ...item, status: 'aborted' } });
        throw error;
      }
    },
  };
}

function result(item: AgentItem, agent: ReportedAgent): ToolResult {
  const message = agent.lastMessage ?? '';
  switch (agent.state) {
    case 'completed': {
      const answer = message === '' ? 'The agent has ended without a message.' : withoutMiddle(message, MAX_ANSWER);
      return { output: withNotes(answer, agent), success: true, item: endedItem(item, 'completed', agent) };
    }
    case 'errored':
      return failed(item, agent, `The agent has failed: ${message}`);
    case 'interrupted':
      return failed(item, agent, 'The user has stopped this agent. What it was doing may be done in part.');
    case 'pending_init':
    case 'running':
    case 'shutdown':
      return failed(item, agent, 'The agent was closed before it had ended.');
  }
}

function failed(item: AgentItem, agent: ReportedAgent, reason: string): ToolResult {
  return { output: withNotes(reason, agent), success: false, item: endedItem(item, 'failed', agent, reason) };
}

function withNotes(message: string, agent: ReportedAgent): string {
  return [withPlace(message, agent), noCopyNote(agent)].filter((part) => part !== '').join('\n\n');
}
