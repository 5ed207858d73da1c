// A thread with sub-agents under any sequence of calls of its model, messages, interrupts, compactions, rollbacks and reloads.
import { expect, it } from 'vitest';
import { isFinal } from '../../src/core/tools/agents/agentStatus.ts';
import type { Op } from '../../src/protocol/op.ts';
import { calls, fails, type ModelRequest, says, type Step, usage, waits } from '../support/modelServer.ts';
import { type Random, randomOf } from '../support/random.ts';
import { rounds } from '../support/rounds.ts';
import { type Scenario, type ScenarioOptions, startScenario } from '../support/startScenario.ts';

const ROUNDS = rounds(2, 100);
const MOVES = 14;
const WAIT_MS = 10_000;

/** A wait for agents that do not end takes no time. */
const impatient: ScenarioOptions['deps'] = ({ clock }) => ({
  clock: { ...clock, after: (ms, callback) => clock.after(ms === WAIT_MS ? 50 : ms, callback) },
});

function stepOfRoot(random: Random, agentIds: readonly string[]): Step {
  const id = agentIds.length === 0 ? 'none' : random.pick(agentIds);
  return random.pick([
    says('Well.'),
    calls('update_plan', { plan: [] }),
    calls('spawn_agent', { message: 'Look.', fork_context: random.once(3) }),
    calls('spawn_agent', { message: 'Look again.' }),
    calls('task', { agent: 'explorer', prompt: 'Look around.' }),
    calls('wait', { ids: [id], timeout_ms: WAIT_MS }),
    calls('send_input', { id, message: 'And more.', interrupt: random.once(2) }),
    calls('close_agent', { id }),
    calls('resume_agent', { id }),
    waits(5),
  ]);
}

function stepOfAgent(random: Random): Step {
  const steps = [says('Found.'), says('Found.'), calls('update_plan', { plan: [] }), waits(10), waits(30)];
  return random.once(6) ? fails(400, { message: 'no' }) : random.pick(steps);
}

function answer(request: ModelRequest, random: Random, agentIds: readonly string[]): readonly Step[] {
  if (request.text.includes('<summary_request>')) {
    return random.once(5) ? [fails(400, { message: 'no' })] : [waits(10), says('A summary.')];
  }
  const isRoot = request.toolNames.includes('spawn_agent');
  const step = () => (isRoot ? stepOfRoot(random, agentIds) : stepOfAgent(random));
  const steps = Array.from({ length: 1 + random.below(3) }, step);
  return random.once(6) ? [...steps, usage({ input: 5000, total: 5100 })] : steps;
}

function opFor({ turns }: Scenario['state'], random: Random): Op {
  const input = [{ type: 'text' as const, text: 'Go on.' }];
  const messages = turns.flatMap(({ items }) => items.find(({ type }) => type === 'user_message')?.id ?? []);
  const toItemId = messages.length === 0 ? 'none' : random.pick(messages);
  return random.pick<Op>([
    { type: 'user_turn', input },
    { type: 'steer', input },
    { type: 'steer', input },
    { type: 'interrupt' },
    { type: 'compact' },
    { type: 'retry' },
    { type: 'rollback', toItemId, files: false, conversation: true },
  ]);
}

/** The same thread after a reload of its window. */
async function reloaded(chat: Scenario): Promise<Scenario> {
  const { service, session, thread } = chat;
  await service.live.close(session.threadId, 'suspend');
  const resumed = await service.resume({ id: session.threadId }, ...thread);
  if (resumed.type !== 'resumed') throw new Error(JSON.stringify(resumed));
  return chat.with(resumed.session);
}

it(
  'every request is accepted, and threads and agents come to rest, in any story of a thread with agents',
  async () => {
    const random = randomOf('agent stories');
    for (let round = 0; round < ROUNDS; round++) {
      const story: string[] = [];
      let isOver = false;
      let chat = await startScenario({
        agents: { tools: 'all' },
        policy: 'never',
        sandbox: 'danger-full-access',
        compactionTokens: 4000,
        deps: impatient,
        model: (request) => {
          const agentIds = chat.state.agents.map(({ agentId }) => agentId);
          return isOver ? [says('The end.')] : answer(request, random, agentIds);
        },
      });
      const { service, server, session } = chat;
      const { live } = service;
      const begun = chat.next('turn_started');
      chat.submit({ type: 'user_turn', input: [{ type: 'text', text: 'Begin.' }] });
      await begun;
      for (let move = 0; move < MOVES; move++) {
        if (random.once(7)) {
          story.push('reload');
          chat = await reloaded(chat);
        } else {
          const state = random.once(2) ? chat.state : random.pick(live.states);
          const op = opFor(state, random);
          story.push(`${state.threadId === session.threadId ? 'root' : 'agent'}: ${op.type}`);
          live.submit(state.threadId, op);
        }
        await new Promise((resolve) => setTimeout(resolve, random.below(60)));
      }
      isOver = true;
      await live.idle(session.threadId);

      const items = live.states.flatMap(({ turns }) => turns.flatMap((turn) => turn.items));
      const left = {
        agents: chat.state.agents.filter((agent) => !isFinal(agent) && agent.state !== 'pending_init'),
        items: items.filter(({ status }) => status === 'in_progress'),
        breaches: server.breaches,
      };
      expect({ story, left }).toEqual({ story, left: { agents: [], items: [], breaches: [] } });
      await live.closeAll('end');
      await server.close();
    }
  },
  60_000 + ROUNDS * 4000,
);
