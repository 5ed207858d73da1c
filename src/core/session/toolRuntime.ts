import type { TurnItem } from '../../protocol/item.ts';
import { callIdOf, type ToolCallItem, type ToolCallOutputItem } from '../../protocol/responseItem.ts';
import { outputFor } from '../history/normalize.ts';
import type { Clock } from '../ports.ts';
import type { Preparation, ToolCall, ToolContext, ToolOutput } from '../tools/handler.ts';
import { askAhead } from '../tools/askAhead.ts';
import {
  type CallStart,
  type OrchestratorDeps,
  prepareCall,
  type PreparedCall,
  runToolCall,
} from '../tools/orchestrator.ts';
import { buildToolCall } from '../tools/router.ts';
import { CallOrder } from '../util/callOrder.ts';
import type { SecretRedactor } from '../util/secretRedactor.ts';
import { mapTexts } from '../util/mapTexts.ts';
import { ParallelGate } from '../util/parallelGate.ts';
import { type GuardedCall, guardedCall } from './hookedCalls.ts';
import type { LoopGuard } from './loopGuard.ts';
import type { TurnHooks } from './turnHooks.ts';
import type { TurnSkills } from './turnSkills.ts';
import { messageOf } from '../util/fileErrors.ts';

export interface ToolRuntimeDeps extends OrchestratorDeps {
  readonly clock: Clock;
  readonly loopGuard: LoopGuard;
  readonly hooks: Pick<TurnHooks, 'before' | 'hasAfter' | 'after'>;
  readonly skills: Pick<TurnSkills, 'limiting' | 'verdict'>;
  /** Redacted in the outputs for the model. */
  readonly keys: SecretRedactor;
  contextFor(callId: string, itemId: string): ToolContext;
}

/**
 * Maximum calls that run at the same time: enough to hide their waiting, few enough for the machine when a response has
 * thousands of calls.
 */
const MAX_TOGETHER = 16;

/**
 * Runs the calls of one response. Each starts as soon as it is complete: calls that change nothing run beside each
 * other, the others alone. Outputs come in call order (codex-behaviour.md §3.2). Approvals of later calls are
 * requested before the first one is answered (§6.4).
 */
export class ToolRuntime {
  readonly #deps: ToolRuntimeDeps;
  readonly #gate = new ParallelGate(MAX_TOGETHER);
  readonly #order = new CallOrder();
  readonly #running: Promise<() => ToolCallOutputItem>[] = [];
  #unsettled = 0;

  constructor(deps: ToolRuntimeDeps) {
    this.#deps = deps;
  }

  get started(): number {
    return this.#running.length;
  }

  /** Settles when the calls so far are shown; `undefined` where there is none. */
  get shown(): Promise<unknown> | undefined {
    return this.started === 0 ? undefined : this.#order.reached;
  }

  /** `shown` is the item that already previews this call. */
  start(item: ToolCallItem, itemId: string, shown: TurnItem | undefined): void {
    const call = buildToolCall(item);
    const context = this.#deps.contextFor(callIdOf(item) ?? '', itemId);
    const place = this.#order.next();
    // The approval of a call that may have to wait for others is requested while it waits. Never of a patch, which is
    // planned against files that earlier calls may change.
    const mayWait = this.#unsettled > 0;
    const isPatch = this.#deps.registry.handler(call.name)?.preview !== undefined;
    const guarded = guardedCall(call, this.#deps.registry, this.#deps);
    // The request of a guarded call is only known when its hooks have run, just before the call itself.
    const mayAsk = mayWait && guarded?.isGuarded !== true;
    const ahead = mayAsk && !isPatch ? prepareCall(call, this.#deps, context) : undefined;
    const asked = mayAsk ? askAhead(ahead, this.#deps, context, place) : undefined;
    this.#unsettled++;
    let prepared: Preparation<unknown> | undefined;
    const mayShare = async (isAsAtArrival: boolean) => {
      const early = await ((isAsAtArrival ? ahead : undefined) ?? this.#prepared(call, guarded, context));
      prepared = early.prepared;
      return !early.isMutating;
    };
    const running = this.#gate.run(mayShare, async (hasWaited) =>
      this.#run(call, guarded, item, context, { place, shown, asked: await asked, ...(hasWaited ? {} : { prepared }) }),
    );
    this.#running.push(running.finally(() => this.#unsettled--));
  }

  /** Yields every output in call order, each as soon as it and those before it are complete. Never throws. */
  async *outputs(): AsyncIterable<ToolCallOutputItem> {
    const { keys } = this.#deps;
    for (const running of this.#running) {
      const finish = await running;
      yield mapTexts(finish(), (text) => keys.hide(text)) as ToolCallOutputItem;
    }
  }

  async #prepared(call: ToolCall, guarded: GuardedCall | undefined, context: ToolContext): Promise<PreparedCall> {
    if (guarded === undefined) return prepareCall(call, this.#deps, context);
    // A turn that is stopped while hooks run ends when the call is to run.
    const ready = await guarded.ready().catch(() => undefined);
    return ready === undefined ? { isMutating: true } : prepareCall(ready.call, ready, context);
  }

  /** Resolves to a function that makes the output; it is called in call order, because it compares a call with those before. */
  async #run(
    asked: ToolCall,
    guarded: GuardedCall | undefined,
    item: ToolCallItem,
    context: ToolContext,
    start: CallStart,
  ): Promise<() => ToolCallOutputItem> {
    const startedAt = this.#deps.clock.monotonic();
    // A call whose hooks were stopped is run with a signal that has aborted, which ends its item.
    const ready = guarded && (await guarded.ready().catch(() => undefined));
    const { call, registry } = ready ?? { call: asked, registry: this.#deps.registry };
    try {
      const answered = await runToolCall(call, { ...this.#deps, registry }, context, start);
      const answer = ready === undefined ? answered : await ready.finish(answered);
      return () => outputFor(item, this.#guarded(call, answer, context));
    } catch (error) {
      if (!context.signal.aborted) {
        return () => outputFor(item, `${call.name} failed: ${messageOf(error)}`);
      }
      const seconds = Math.max(0.1, (this.#deps.clock.monotonic() - startedAt) / 1000);
      return () => outputFor(item, `aborted by user after ${seconds.toFixed(1)} s`);
    }
  }

  #guarded(call: ToolCall, answer: ToolOutput, context: ToolContext): ToolOutput['output'] {
    const note = this.#deps.loopGuard.note(call, answer);
    if (note === undefined) return answer.output;
    if (note.isFirst) {
      context.emit({
        type: 'warning',
        message: `The model made the same call three times with the same result: ${call.name}.`,
      });
    }
    return typeof answer.output === 'string'
      ? `${answer.output}\n\n${note.forModel}`
      : [...answer.output, { type: 'input_text', text: note.forModel }];
  }
}
