import type { ToolCall, ToolContext } from './handler.ts';
import type { OrchestratorDeps } from './orchestrator.ts';
import { type AskedAhead, type Question, questionOf } from './permission.ts';

/**
 * Calls that may not run side by side can still be asked about together: a person sees all that one response wants, not
 * one piece after the other (codex-behaviour.md §6.4). Only looked at here: the call is prepared again when its turn has
 * come, and what was not asked in these very words is asked again. Never for a patch, which is planned against files that
 * the calls before it may change. `undefined` when there is nothing to ask; never rejects.
 */
export async function askAhead(
  call: ToolCall,
  deps: OrchestratorDeps,
  context: ToolContext,
): Promise<AskedAhead | undefined> {
  const handler = deps.registry.handler(call.name);
  const parsed = handler?.parse(call.payload);
  if (!handler || handler.preview || parsed?.type !== 'parsed') return undefined;
  const prepared = await handler.prepare(parsed.args, context).catch(() => undefined);
  if (prepared?.type !== 'ready' || prepared.requirement.type !== 'needs_approval') return undefined;
  const { card, item, requirement } = prepared;
  if (!card || card.kind === 'patch' || context.signal.aborted) return undefined;
  if (item) context.emit({ type: 'item_started', item });
  const question = questionOf(prepared, requirement, context.callId);
  return { item, ...askedWith(deps, question, context.signal) };
}

function askedWith(deps: OrchestratorDeps, question: Question, signal: AbortSignal): Omit<AskedAhead, 'item'> {
  const withdrawal = new AbortController();
  const answer = deps.approver.ask(question, AbortSignal.any([signal, withdrawal.signal]));
  // Whoever stops the turn does not wait for the calls before this one.
  answer.then(
    ({ decision }) => decision === 'abort' && deps.interrupt(),
    () => {},
  );
  const withdraw = () => withdrawal.abort(new Error('The question was taken back.'));
  return {
    answerTo(other) {
      if (JSON.stringify(other) === JSON.stringify(question)) return answer;
      withdraw();
      return undefined;
    },
    withdraw,
  };
}
