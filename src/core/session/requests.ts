/** Shared by the requests of a turn: those of its rounds and those for a summary. */
import type { ModelFault, Prompt } from '../model/client.ts';
import { refusesImage } from '../model/imageRefusal.ts';
import type { RetrySchedule } from '../model/retry.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import { capQuestion, continues, pauseSentence } from './caps.ts';
import { TurnPaused } from './failure.ts';
import type { TurnRun } from './turnRun.ts';

/** The prompt of the next round. Emits warnings about images that cannot be sent. */
export function promptOf(run: TurnRun, registry: ToolRegistry): Prompt {
  const { settings, family, history } = run;
  return {
    model: settings.model,
    instructions: run.instructions,
    input: run.images.sendable(history.items, { model: settings.model, takesImages: family.images }, run.emit),
    tools: registry.specs,
    parallelToolCalls: family.parallelToolCalls,
    effort: settings.effort,
    summary: settings.summary,
    verbosity: run.thread.prompt.verbosity ?? undefined,
    outputSchema: run.outputSchema,
    origin: run.origin,
    cacheKey: run.threadId,
  };
}

/**
 * Call before each request. Asks the user at each cap that is reached, and raises it when the user continues. `action`:
 * the action that resumes the turn. @throws TurnPaused when the user stops, or no user can answer
 */
export async function askAtCap({ caps, inquire, emit, signal }: TurnRun, action?: TurnPaused['action']): Promise<void> {
  while (true) {
    const reached = await caps.reached(signal);
    const problem = caps.takeProblem();
    if (problem !== undefined) emit({ type: 'warning', message: problem });
    if (reached === undefined) return;
    if (!continues(await inquire(capQuestion(reached), signal))) throw new TurnPaused(pauseSentence(reached), action);
    caps.raise(reached);
  }
}

/**
 * If the server has refused the request for one of its images, leaves images out of later requests. Returns true if the
 * request can be sent again: that is another request, and no retry.
 */
export function leavesImageOut(fault: ModelFault, { family, history, images, emit }: TurnRun): boolean {
  return family.images && refusesImage(fault) && images.leaveOutRefused(history.items, fault.detail, emit);
}

/** Waits for the next attempt and emits the wait. Returns the final fault when no attempt is left. */
export async function waitForRetry(
  run: TurnRun,
  schedule: RetrySchedule,
  fault: ModelFault,
): Promise<ModelFault | undefined> {
  const decision = schedule.next(fault);
  if (decision.type === 'give_up') return decision.fault;
  const { kind, message } = fault;
  const { attempt, of, delayMs } = decision;
  run.emit({ type: 'stream_error', kind, message, attempt, of, retryInMs: delayMs });
  await run.retryPause.wait(delayMs, run.signal);
  return undefined;
}
