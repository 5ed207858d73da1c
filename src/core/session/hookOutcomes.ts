/** Interprets the outcomes of hooks: their effect on a call, the context for the model, and their rows in the transcript. */
import type { TurnSettings } from '../../protocol/event.ts';
import type { HookEffect, HookEvent } from '../../protocol/hooks.ts';
import type { TurnItemOf } from '../../protocol/item.ts';
import type { DecisionReason } from '../../protocol/policy.ts';
import { commandOf, type Hook } from '../hooks/definition.ts';
import type { ToolFace } from '../hooks/toolFace.ts';
import { canBlock, type HookOutcome } from '../hooks/readOutcome.ts';
import { hookContext } from '../prompt/notices.ts';
import type { ToolOutput } from '../tools/handler.ts';
import type { HookVerdict } from '../tools/hookVerdict.ts';

/** In characters: the maximum length of one hook's text for the model. */
const MAX_FOR_MODEL = 10_000;
/** In characters: the maximum length of a text in a row. */
const MAX_SHOWN = 2_000;

/** One execution of a hook. */
export interface HookStart {
  readonly hook: Hook;
  readonly input: Readonly<Record<string, unknown>>;
  /** The tool call as hooks see it; set for tool events. */
  readonly face?: ToolFace;
}

export type FinishedHook = HookStart & { readonly outcome: HookOutcome };

/** The decision reason of a hook that decides about a call. */
export function reasonOf(hook: Hook, text: string): DecisionReason {
  return { source: 'hook', id: commandOf(hook), text };
}

/** The strictest verdict; of equally strict ones the first. */
export function verdictIn(finished: readonly FinishedHook[]): HookVerdict {
  for (const { hook, outcome } of finished) {
    const denial = outcome.block ?? outcome.stop;
    if (denial !== undefined) {
      return { type: 'deny', reason: reasonOf(hook, `A hook of the user denied it: ${forModel(denial)}`) };
    }
  }
  for (const { hook, outcome } of finished) {
    if (outcome.ask !== undefined) {
      return { type: 'ask', reason: reasonOf(hook, `A hook asks you: ${forModel(outcome.ask)}`) };
    }
  }
  return { type: 'none' };
}

/** The combined context of all hooks for the model. */
export function contextIn(event: HookEvent, finished: readonly FinishedHook[]): string | undefined {
  const texts = finished.flatMap(({ outcome }) => outcome.context ?? []);
  return texts.length === 0 ? undefined : hookContext(event, texts.map(forModel));
}

/** Cuts a text to the model's budget. */
export function forModel(text: string): string {
  return text.length <= MAX_FOR_MODEL ? text : `${text.slice(0, MAX_FOR_MODEL)}… (cut)`;
}

/** The output with a note behind it. */
export function withNote(answer: ToolOutput, note: string): ToolOutput {
  const { output } = answer;
  return {
    ...answer,
    output: typeof output === 'string' ? `${output}\n\n${note}` : [...output, { type: 'input_text', text: note }],
  };
}

/** A failed hook blocks if the user has set it so, and where something can be blocked. */
export function withFailure(outcome: HookOutcome, { onFailure }: Hook, event: HookEvent): HookOutcome {
  const { failure } = outcome;
  if (failure === undefined || onFailure !== 'block' || !canBlock(event)) return outcome;
  return { failure, block: `The hook failed, and its "onFailure" is "block". ${failure}` };
}

/** The fields of a hook row that show its outcome. */
export function shownOf(outcome: HookOutcome): Pick<TurnItemOf<'hook_run'>, 'status' | 'effect' | 'text'> {
  const { failure, stop, block, ask, updatedInput, context, message } = outcome;
  const effect: HookEffect =
    failure !== undefined
      ? 'failed'
      : stop !== undefined
        ? 'stopped'
        : block !== undefined
          ? 'blocked'
          : ask !== undefined
            ? 'asked'
            : updatedInput !== undefined
              ? 'changed'
              : context !== undefined
                ? 'context'
                : message === undefined
                  ? 'none'
                  : 'message';
  const input = updatedInput === undefined ? [] : [JSON.stringify(updatedInput)];
  const texts = [
    failure ?? [],
    stop ?? [],
    failure === undefined ? (block ?? []) : [],
    ask ?? [],
    message ?? [],
  ].flat();
  const text = [...texts, ...input, context ?? []].flat().join('\n').slice(0, MAX_SHOWN);
  const status =
    effect === 'failed' ? 'failed' : effect === 'stopped' || effect === 'blocked' ? 'declined' : 'completed';
  return { status, effect, ...(text === '' ? {} : { text }) };
}

/** The approval policy in the words of Claude Code. */
export function permissionMode({ approvalPolicy, sandboxPolicy, planMode }: TurnSettings): string {
  if (planMode === true) return 'plan';
  if (approvalPolicy !== 'never') return 'default';
  return sandboxPolicy.type === 'danger-full-access' ? 'bypassPermissions' : 'dontAsk';
}
