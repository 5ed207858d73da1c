/** The settings and history that a sub-agent starts with. */
import type { TurnSettings } from '../../protocol/event.ts';
import { callIdOf, isToolCall, isToolCallOutput, type ResponseItem } from '../../protocol/responseItem.ts';
import type { SessionMeta } from '../rollout/line.ts';
import type { ThreadHost, ThreadSettings } from '../session/sessionOptions.ts';
import type { ToolProvider } from '../tools/toolProvider.ts';
import type { AgentRequest, AgentRole } from '../tools/agents/agents.ts';

type AgentMeta = NonNullable<SessionMeta['agent']>;

/**
 * The settings of a sub-agent: those of its parent, under which `turn` runs now, with the changes of its role and of
 * the request.
 */
export function agentSettings(
  parent: ThreadSettings,
  turn: TurnSettings,
  role: AgentRole | undefined,
  { model, effort }: Pick<AgentRequest, 'model' | 'effort'>,
): ThreadSettings {
  const chosen = model ?? role?.model ?? undefined;
  return {
    ...parent,
    turn: {
      ...turn,
      ...(chosen === undefined ? {} : { model: chosen }),
      ...(effort === undefined ? {} : { effort }),
    },
    prompt: { ...parent.prompt, baseInstructions: role?.instructions ?? parent.prompt.baseInstructions },
  };
}

/** The settings and the restrictions of a root thread that works as this agent, from those of the user. */
export function threadAsAgent(
  thread: ThreadSettings,
  role: AgentRole,
): { readonly settings: ThreadSettings; readonly agent: AgentMeta } {
  return { settings: agentSettings(thread, thread.turn, role, {}), agent: agentMeta(role) };
}

/** The role as the rollout of the sub-agent keeps it; without one the role `default`. */
export function agentMeta(role: AgentRole | undefined): AgentMeta {
  return {
    role: role?.name ?? 'default',
    ...(role?.tools ? { tools: [...role.tools] } : {}),
    ...(role?.without?.length ? { without: [...role.without] } : {}),
    ...(role?.readOnly ? { read_only: true } : {}),
  };
}

/**
 * Returns the settings with the restrictions that a sub-agent was started with: it gets no more when it is opened
 * again.
 */
export function confined(
  thread: ThreadSettings,
  agent: AgentMeta,
  sandboxFor: ThreadHost['sandboxFor'],
): ThreadSettings {
  const { maxRounds } = thread.agents;
  const limits = {
    ...thread.limits,
    maxToolRounds: Math.min(thread.limits.maxToolRounds, maxRounds ?? Number.MAX_SAFE_INTEGER),
  };
  return {
    ...thread,
    limits,
    turn: agent.read_only === true ? readOnly(thread.turn, sandboxFor) : thread.turn,
    tools: {
      ...thread.tools,
      ...(agent.tools && { allowed: agent.tools }),
      ...(agent.without && { denied: agent.without }),
    },
  };
}

/** Makes the sandbox of a turn read-only, except an external one, which cannot be restricted from inside. */
function readOnly(turn: TurnSettings, sandboxFor: ThreadHost['sandboxFor']): TurnSettings {
  const { type } = turn.sandboxPolicy;
  if (type === 'external-sandbox' || type === 'read-only') return turn;
  const sandboxPolicy = { type: 'read-only' as const, networkAccess: false };
  const { box: _box, noSandboxCause: _cause, ...rest } = turn;
  return { ...rest, sandboxPolicy, ...sandboxFor(sandboxPolicy) };
}

/**
 * A sub-agent has the callbacks of its parent, but is not handed over to another process. Its turns take up no change of the
 * tools that it shares with its parent, whose turn may be running.
 */
export function agentHost(parent: ThreadHost): ThreadHost {
  const { allowsTakeOver: _allowsTakeOver, toolProviders, ...host } = parent;
  return { ...host, ...(toolProviders && { toolProviders: toolProviders.map(asTheyAre) }) };
}

function asTheyAre(provider: ToolProvider): ToolProvider {
  return {
    id: provider.id,
    needsTrust: provider.needsTrust,
    tools: (family) => provider.tools(family),
    ready: async (signal, _servers, mayCall) => provider.ready?.(signal, undefined, mayCall),
    instructions: () => provider.instructions?.() ?? [],
    ...(provider.watch && { watch: (listener) => provider.watch?.(listener) ?? { dispose() {} } }),
  };
}

/**
 * The parent's history for a forked sub-agent, without calls that have no output yet, such as the one that starts it, and
 * without reasoning that only leads to them: servers refuse reasoning that nothing follows.
 */
export function forkedHistory(items: readonly ResponseItem[]): readonly ResponseItem[] {
  const answered = new Set(items.flatMap((item) => (isToolCallOutput(item) ? [item.call_id] : [])));
  const forked = items.filter((item) => !isToolCall(item) || answered.has(callIdOf(item) ?? ''));
  if (forked.length === items.length) return forked;
  return forked.slice(0, forked.findLastIndex(({ type }) => type !== 'reasoning') + 1);
}
