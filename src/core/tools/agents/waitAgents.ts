import * as z from 'zod';
import type { ToolHandler } from '../handler.ts';
import { parseArguments } from '../parseArguments.ts';
import { type AgentItem, agentItem, endedItem, ready, succeeded } from './agentCall.ts';
import { namedChanges, statusForModel } from './agentStatus.ts';
import type { Agents } from './agents.ts';
import { lazyObject } from '../../../protocol/lazyObject.ts';

/** Milliseconds. */
const [DEFAULT_MS, MAX_MS] = [30_000, 3_600_000];

const argumentsSchema = lazyObject(() => ({
  ids: z.array(z.string().min(1)).min(1, 'must name at least one agent'),
  timeout_ms: z.number().positive('must be more than 0').default(DEFAULT_MS),
}));
type Arguments = z.infer<typeof argumentsSchema>;
interface Plan {
  readonly args: Arguments;
  readonly item: AgentItem;
}

/** Waits for the end of the first of some sub-agents (codex-behaviour.md §11). */
export const waitAgents = (agents: Agents): ToolHandler<Arguments, Plan> => ({
  names: ['wait'],
  isMutating: () => false,
  spec: {
    type: 'function',
    name: 'wait',
    description:
      'Waits until the first of these agents has ended its work, and returns the status of all that have, with their last messages. Prefer one long wait to many short ones.',
    strict: false,
    parameters: {
      type: 'object',
      properties: {
        ids: { type: 'array', items: { type: 'string' }, description: 'Ids of agents.' },
        timeout_ms: { type: 'number', description: `${DEFAULT_MS} unless given; at most ${MAX_MS}.` },
      },
      required: ['ids'],
      additionalProperties: false,
    },
  },
  parse: (payload) => parseArguments(argumentsSchema, payload),
  async prepare(args, context) {
    const item = agentItem(
      'wait',
      args.ids.flatMap((id) => agents.find(id) ?? []),
      context,
    );
    return { ...ready({ args, item }), item };
  },
  async run({ args, item }, _attempt, context) {
    const found = await agents.wait(args.ids, Math.min(args.timeout_ms, MAX_MS), context.signal);
    const status = Object.fromEntries([...found].map(([id, agent]) => [id, statusForModel(agent)]));
    const changed = [...found].flatMap(([id, agent]) =>
      agent?.changedInCopy === undefined ? [] : [[id, namedChanges(agent.changedInCopy)] as const],
    );
    const first = args.ids.find((id) => found.has(id));
    const agent = first === undefined ? agents.find(item.agentId) : agents.find(first);
    const inCopies = changed.length === 0 ? {} : { changed_in_side_copies: Object.fromEntries(changed) };
    return succeeded({ status, timed_out: found.size === 0, ...inCopies }, endedItem(item, 'completed', agent));
  },
});
