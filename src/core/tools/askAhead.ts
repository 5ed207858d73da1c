import type { CallPlace } from '../util/callOrder.ts';
import type { Preparation, ToolContext } from './handler.ts';
import type { OrchestratorDeps, PreparedCall } from './orchestrator.ts';
import { type AskedAhead, type Question, questionOf } from './permission.ts';

/**
 * Requests approval for a call before its turn to run. Calls that must run one after the other can still be asked about
 * together, so the user sees all requests of one response at once (codex-behaviour.md §6.4). `ahead` is its preparation
 * now; absent for a call whose approval must not be requested yet. It is prepared again when its turn comes, unless
 * nothing can have changed, and requested again if the request differs then. Leaves `place` when it has made its
 * request, or makes none. Returns `undefined` without a request; never rejects.
 */
export async function askAhead(
  ahead: Promise<PreparedCall> | undefined,
  deps: OrchestratorDeps,
  context: ToolContext,
  place: CallPlace,
): Promise<AskedAhead | undefined> {
  try {
    return await ask((await ahead)?.prepared, deps, context, place);
  } finally {
    place.leave();
  }
}

async function ask(
  prepared: Preparation<unknown> | undefined,
  deps: OrchestratorDeps,
  context: ToolContext,
  { reached }: CallPlace,
): Promise<AskedAhead | undefined> {
  if (prepared?.type !== 'ready' || prepared.requirement.type !== 'needs_approval') return undefined;
  const { card, item, requirement } = prepared;
  if (!card || card.kind === 'patch') return undefined;
  // An interrupt ends the calls before this one, too.
  await reached;
  if (context.signal.aborted) return undefined;
  if (item) context.emit({ type: 'item_started', item });
  const question = questionOf(prepared, requirement, context.callId);
  return { item, ...askedWith(deps, question, context.signal) };
}

function askedWith(deps: OrchestratorDeps, question: Question, signal: AbortSignal): Omit<AskedAhead, 'item'> {
  const withdrawal = new AbortController();
  const answer = deps.approver.ask(question, AbortSignal.any([signal, withdrawal.signal]));
  // `abort` stops the turn at once, without waiting for the calls before this one.
  answer.then(
    ({ decision }) => decision === 'abort' && deps.interrupt(),
    () => {},
  );
  const withdraw = () => withdrawal.abort(new Error('The approval request was withdrawn.'));
  return {
    answerTo(other) {
      if (JSON.stringify(other) === JSON.stringify(question)) return answer;
      withdraw();
      return undefined;
    },
    withdraw,
  };
}
