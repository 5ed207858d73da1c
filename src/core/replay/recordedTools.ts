/**
 * Tools of a replay: offered unchanged, approved as recorded, and answered with the recorded output. Nothing of the
 * tool itself runs: no process is started, no file is read or written.
 */
import type { ApprovalRequest } from '../../protocol/event.ts';
import { textOf } from '../../protocol/responseItem.ts';
import type { ApprovalCard, Preparation, ToolContext, ToolHandler, ToolResult } from '../tools/handler.ts';
import { onAbort } from '../util/abort.ts';
import { isStopped, type RecordedApproval, type RecordedCall } from './recording.ts';

export interface RecordedCalls {
  /** `undefined` for a call that the rollout does not have in this process. */
  call(callId: string): RecordedCall | undefined;
  /** Called for an action that the rollout does not contain. */
  problem(message: string): void;
  /** Called when the call would run and the recorded turn was stopped at this point. */
  stopsHere(): void;
}

interface Plan {
  readonly call: RecordedCall;
  /** The approval for this attempt. */
  readonly index: number;
}

const ASKED_OUTSIDE = /\nIt was not run again outside the sandbox: .*$/s;

/** Returns the tool with the same interface for the model, without its effects. */
export function recordedTool(tool: ToolHandler, recorded: RecordedCalls): ToolHandler {
  /** Attempts of each call: a patch is prepared again when its files have changed. */
  const tries = new Map<string, number>();
  return {
    names: tool.names,
    spec: tool.spec,
    ...(tool.payloads === undefined ? {} : { payloads: tool.payloads }),
    isMutating: () => false,
    parse: (payload) => {
      const parsed = tool.parse(payload);
      // The note about ignored arguments is part of the recorded output.
      return parsed.type === 'parsed' ? { type: 'parsed', args: parsed.args } : parsed;
    },
    prepare: async (_args, context): Promise<Preparation<Plan>> => {
      const call = recorded.call(context.callId);
      if (call === undefined) {
        recorded.problem(`The call ${context.callId} of ${tool.names[0]} is not in the rollout.`);
        return { type: 'failure', output: 'This call was not recorded.' };
      }
      return prepared({ call, index: tries.get(context.callId) ?? 0 }, context);
    },
    run: async (plan, _attempt, context) => {
      const { call, index } = plan as Plan;
      tries.set(context.callId, index + 1);
      return ran(call, index, recorded, context);
    },
  };
}

function prepared(plan: Plan, { itemId, callId }: ToolContext): Preparation<Plan> {
  const { approvals } = plan.call;
  const asked = approvals[plan.index];
  const outside = approvals.find(isOutside);
  const item = {
    id: itemId,
    type: 'dynamic_tool_call' as const,
    status: 'in_progress' as const,
    callId,
    tool: 'recorded',
    arguments: {},
    contentItems: [],
    success: null,
  };
  return {
    type: 'ready',
    plan,
    item,
    approvalKeys: keysOf(asked),
    requirement:
      asked === undefined || isOutside(asked) || isAnsweredUnasked(asked)
        ? {
            type: 'skip',
            bypassSandbox: false,
            reason: { source: 'policy', id: 'recorded', text: 'It is answered from the rollout.' },
          }
        : {
            type: 'needs_approval',
            reason: asked.request.reason,
            parts: asked.request.parts ?? [],
            proposedRule: asked.request.proposedRule,
          },
    ...(asked === undefined ? {} : { card: cardOf(asked.request), binding: asked.request.approvalId }),
    ...(outside === undefined
      ? {}
      : {
          outside: async () => ({
            plan: { ...plan, index: approvals.indexOf(outside) + 1 },
            item: { ...item, id: `${itemId}_outside` },
            card: cardOf(outside.request),
            approvalKeys: keysOf(outside),
            binding: outside.request.approvalId,
          }),
        }),
  };
}

/** Rules and a reviewing model do not answer in a replay. */
function isAnsweredUnasked({ resolved }: RecordedApproval): boolean {
  return resolved?.by === 'rule' || resolved?.by === 'reviewer';
}

/** The approval request to run a command again outside the sandbox that blocked it. */
function isOutside({ request }: RecordedApproval): boolean {
  return request.reason.source === 'sandbox' && request.reason.id === 'denied';
}

function keysOf(asked: RecordedApproval | undefined): readonly string[] {
  return asked?.resolved?.keys ?? [];
}

function cardOf({
  approvalId: _approvalId,
  itemId: _itemId,
  callId: _callId,
  reason: _reason,
  choices: _choices,
  alsoItems: _alsoItems,
  elsewhere: _elsewhere,
  ...card
}: ApprovalRequest): ApprovalCard {
  return card;
}

async function ran(
  { approvals, output }: RecordedCall,
  index: number,
  recorded: RecordedCalls,
  context: ToolContext,
): Promise<ToolResult> {
  if (output === undefined || isStopped(output)) {
    recorded.stopsHere();
    await new Promise<void>((resolve) => onAbort(context.signal, resolve));
    context.signal.throwIfAborted();
  }
  const next = approvals[index + 1] ?? (index === 0 ? approvals.find(isOutside) : undefined);
  const whole = output ?? '';
  if (next !== undefined && !isOutside(next)) return { output: '', success: false, changedSince: true };
  const blocked =
    next === undefined ? undefined : next.request.reason.text.replace(/^The sandbox seems to have blocked it: /, '');
  const denied = typeof whole === 'string' ? whole.replace(ASKED_OUTSIDE, '') : whole;
  return { output: withoutNote(next === undefined ? whole : denied), success: true, blocked };
}

/** The loop guard of the session adds it itself, with its current text. */
const NOTE = /(?:\n\n)?Note: this was the same call [^\n]*$/;

function withoutNote(output: ToolResult['output']): ToolResult['output'] {
  if (typeof output === 'string') return output.replace(NOTE, '');
  return output.filter((part) => !NOTE.test(textOf([part])));
}
