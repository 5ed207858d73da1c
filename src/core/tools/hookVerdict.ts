import type { DecisionReason } from '../../protocol/policy.ts';
import { hookApprovalKey } from '../policy/approvalKeys.ts';
import type { ApprovalRequirement } from '../policy/requirement.ts';
import type { Preparation, ReadyPreparation, Reconsidered, ToolContext, ToolHandler } from './handler.ts';

/**
 * The decision of the PreToolUse hooks of a call. An `allow` of a hook is no verdict: the policy decides as without it
 * (docs/decisions/0040).
 */
export type HookVerdict =
  | { readonly type: 'none' }
  | { readonly type: 'ask'; readonly reason: DecisionReason }
  | { readonly type: 'deny'; readonly reason: DecisionReason };

/** The tool for one call: refuses it, or asks about it where the policy would not. Never allows more than the policy. */
export function withHookVerdict<Args, Plan>(
  handler: ToolHandler<Args, Plan>,
  verdict: HookVerdict,
): ToolHandler<Args, Plan> {
  if (verdict.type === 'none') return handler;
  return {
    ...handler,
    prepare: async (args, context) => decided(await handler.prepare(args, context), handler, verdict, args, context),
  };
}

function decided<Args, Plan>(
  prepared: Preparation<Plan>,
  { names: [name] }: Pick<ToolHandler, 'names'>,
  { type, reason }: Exclude<HookVerdict, { type: 'none' }>,
  args: Args,
  { settings }: ToolContext,
): Preparation<Plan> {
  if (prepared.type === 'failure' || prepared.requirement.type === 'forbidden') return prepared;
  if (type === 'deny' || settings.approvalPolicy === 'never') {
    const { reconsider: _, ...rest } = prepared;
    const text = type === 'deny' ? reason.text : `${reason.text} The approval policy asks for nothing.`;
    return { ...rest, requirement: { type: 'forbidden', reason: { ...reason, text } } };
  }
  const { reconsider, card } = prepared;
  return {
    ...prepared,
    requirement: asked(prepared.requirement, reason),
    card: card ?? { kind: 'tool', command: `${name} ${JSON.stringify(args)}` },
    // An approval of the call itself does not cover the request of a hook.
    approvalKeys: prepared.approvalKeys.map((key) => hookApprovalKey(reason.id, key)),
    ...(reconsider === undefined ? {} : { reconsider: again(reconsider, reason) }),
  };
}

function again(
  reconsider: NonNullable<ReadyPreparation<unknown>['reconsider']>,
  reason: DecisionReason,
): NonNullable<ReadyPreparation<unknown>['reconsider']> {
  return async (review): Promise<Reconsidered> => {
    const decision = await reconsider(review);
    return { ...decision, requirement: asked(decision.requirement, reason) };
  };
}

/** Keeps the reason and the rule of a policy that asks anyway. The answer to a hook is the user's, never a model's. */
function asked(requirement: ApprovalRequirement, reason: DecisionReason): ApprovalRequirement {
  if (requirement.type === 'skip') return { type: 'needs_approval', reason, parts: [] };
  if (requirement.type === 'forbidden') return requirement;
  const { reviewable: _, ...rest } = requirement;
  return rest;
}
