import type { ToolCall, ToolHandler, ToolOutput } from '../tools/handler.ts';
import { withHookVerdict } from '../tools/hookVerdict.ts';
import type { OrchestratorDeps } from '../tools/orchestrator.ts';
import { withNote } from './hookOutcomes.ts';
import type { TurnHooks } from './turnHooks.ts';
import type { TurnSkills } from './turnSkills.ts';

type Registry = OrchestratorDeps['registry'];

/** A call with the changes of its hooks, and its tool with the limits that hooks and skills set. */
export interface ReadyCall {
  readonly call: ToolCall;
  readonly registry: Registry;
  /** Runs the PostToolUse hooks if the call has run. Returns the output that the model gets. */
  finish(answer: ToolOutput): Promise<ToolOutput>;
}

export interface GuardedCall {
  /** True when hooks or skills decide about the call before it is prepared. */
  readonly isGuarded: boolean;
  /** Runs these hooks, once. Rejects only with the signal's reason. */
  ready(): Promise<ReadyCall>;
}

/** The hooks and skills that apply to a call that is about to run; `undefined` if there are none. */
export function guardedCall(
  call: ToolCall,
  registry: Registry,
  {
    hooks,
    skills,
  }: {
    readonly hooks: Pick<TurnHooks, 'before' | 'hasAfter' | 'after'>;
    readonly skills: Pick<TurnSkills, 'limiting' | 'verdict'>;
  },
): GuardedCall | undefined {
  const handler = registry.handler(call.name);
  if (handler === undefined) return undefined;
  const { names } = handler;
  const guard = hooks.before(call, names);
  const isLimited = skills.limiting.length > 0;
  if (guard === undefined && !isLimited && !hooks.hasAfter(call, names)) return undefined;
  let made: Promise<ReadyCall> | undefined;
  const make = async (): Promise<ReadyCall> => {
    const hooked = (await guard?.()) ?? { call, verdict: { type: 'none' } as const, notes: [] };
    let hasRun = false;
    const asked = withHookVerdict(handler, skills.verdict(hooked.call, names));
    const tool = reportingRun(withHookVerdict(asked, hooked.verdict), () => (hasRun = true));
    return {
      call: hooked.call,
      registry: { handler: () => tool, offeredNames: registry.offeredNames },
      async finish(answer) {
        const noted = hooked.notes.reduce(withNote, answer);
        return hasRun ? hooks.after(hooked.call, names, noted) : noted;
      },
    };
  };
  return { isGuarded: guard !== undefined || isLimited, ready: () => (made ??= make()) };
}

/** Calls `hasRun` after a run that was not turned back for another approval (`changedSince`). */
function reportingRun(handler: ToolHandler, hasRun: () => void): ToolHandler {
  return {
    ...handler,
    async run(plan, attempt, context) {
      const result = await handler.run(plan, attempt, context);
      if (result.changedSince !== true) hasRun();
      return result;
    },
  };
}
