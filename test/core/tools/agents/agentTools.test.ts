import { expect, it } from 'vitest';
import type { Agents } from '../../../../src/core/tools/agents/agents.ts';
import { agentTools } from '../../../../src/core/tools/agents/agentTools.ts';
import { familyOf } from '../../../../src/core/model/families.ts';

const agents = { roles: () => [] } as unknown as Agents;
const tools = (offered: 'none' | 'task' | 'all', mayStart = true) =>
  agentTools(agents, offered, mayStart).tools(familyOf('gpt-5'));

it('calls that start, tell or close an agent run alone; tasks and waits run beside others', () => {
  const alone = tools('all').filter((tool) => tool.isMutating({}, {}));
  expect(alone.map(({ names: [name] }) => name)).toEqual(['spawn_agent', 'send_input', 'resume_agent', 'close_agent']);
});

it('of calls for agents none is offered, the one, or all; none to an agent that may not start others', () => {
  const offered = (...args: Parameters<typeof tools>) =>
    tools(...args).flatMap(({ spec }) => (spec?.type === 'function' ? [spec.name] : []));
  expect(offered('none')).toEqual([]);
  expect(offered('task')).toEqual(['task']);
  expect(offered('all')).toEqual(['task', 'spawn_agent', 'send_input', 'wait', 'resume_agent', 'close_agent']);
  expect(offered('all', false)).toEqual([]);
});
