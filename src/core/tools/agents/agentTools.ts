import type { ToolHandler } from '../handler.ts';
import type { ToolProvider } from '../toolProvider.ts';
import type { AgentRole, Agents } from './agents.ts';
import { closeAgent, resumeAgent } from './openAgent.ts';
import { sendInput } from './sendInput.ts';
import { spawnAgent } from './spawnAgent.ts';
import { task } from './task.ts';
import { waitAgents } from './waitAgents.ts';

/** Which tools for sub-agents are offered: none, `task` alone, or also the five calls. */
export type OfferedAgentTools = 'none' | 'task' | 'all';

/** `mayStart`: false for a sub-agent that may not start others. Its calls are refused. */
export function agentTools(agents: Agents, offered: OfferedAgentTools, mayStart: boolean): ToolProvider {
  let made: { readonly roles: readonly AgentRole[]; readonly tools: readonly ToolHandler[] } | undefined;
  const make = (roles: readonly AgentRole[]): readonly ToolHandler[] => {
    if (offered === 'none') return [];
    const five = [
      spawnAgent(agents, roles),
      sendInput(agents),
      waitAgents(agents),
      resumeAgent(agents),
      closeAgent(agents),
    ];
    const tools = [task(agents, roles), ...(offered === 'all' ? five : [])] as readonly ToolHandler[];
    return mayStart ? tools : tools.map(refusing);
  };
  return {
    id: 'agents',
    needsTrust: true,
    ready: async () => {
      if (offered !== 'none' && mayStart) await agents.refresh();
      return undefined;
    },
    tools() {
      const roles = agents.roles();
      if (made?.roles !== roles) made = { roles, tools: make(roles) };
      return made.tools;
    },
  };
}

const TOO_DEEP = 'An agent of this depth cannot have agents of its own. Do the task yourself.';

function refusing(tool: ToolHandler): ToolHandler {
  return { ...tool, spec: undefined, prepare: async () => ({ type: 'failure', output: TOO_DEEP }) };
}
