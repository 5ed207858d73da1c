import type { HookEvent, NotificationType } from '../../protocol/hooks.ts';
import { textOf } from '../../protocol/responseItem.ts';
import { commandOf, type Hook } from '../hooks/definition.ts';
import { copilotCall, isOfCopilot } from '../hooks/githubFaces.ts';
import { facesFor, type HookedTool, hookedTool } from '../hooks/hookedTool.ts';
import { matchesName } from '../hooks/parseHooks.ts';
import { NO_HOOKS } from '../hooks/selectHooks.ts';
import { hookContext } from '../prompt/notices.ts';
import type { ToolCall, ToolOutput } from '../tools/handler.ts';
import type { HookVerdict } from '../tools/hookVerdict.ts';
import { messageOf } from '../util/fileErrors.ts';
import { TurnPaused } from './failure.ts';
import {
  contextIn,
  type FinishedHook,
  forModel,
  type HookStart,
  reasonOf,
  verdictIn,
  withNote,
} from './hookOutcomes.ts';
import { agentIdOf, type HookedSession, type HookedTurn, HookRunner } from './hookRunner.ts';

/** State of a thread's hooks that is kept between turns. */
export class HookMemory {
  /** The reason for which SessionStart hooks must run; `undefined` once they have run. */
  start: 'startup' | 'resume' | 'compact' | undefined;
  readonly #reported = new Set<string>();

  constructor(start: 'startup' | 'resume') {
    this.start = start;
  }

  /** Returns true on the first call for each text. */
  isNew(text: string): boolean {
    const isNew = !this.#reported.has(text);
    this.#reported.add(text);
    return isNew;
  }
}

/** A call after its PreToolUse hooks. */
export interface HookedCall {
  /** The call with arguments that a hook has changed. */
  readonly call: ToolCall;
  readonly verdict: HookVerdict;
  /** Texts that are added to the output for the model. */
  readonly notes: readonly string[];
}

/** The maximum number of consecutive continuations by Stop hooks: a hook that always blocks must not run forever. */
const MAX_CONTINUATIONS = 8;

/** The hooks of one turn (docs/hooks.md). `load` comes first. Waits reject with the reason of the turn's signal. */
export class TurnHooks {
  readonly #session: HookedSession;
  readonly #memory: HookMemory;
  readonly #turn: HookedTurn;
  readonly #runner: HookRunner;
  /** Only tool hooks run for a sub-agent. */
  readonly #isSubAgent: boolean;
  #hooks: readonly Hook[] = [];
  #continuations = 0;
  #stopped: string | undefined;

  constructor(session: HookedSession, memory: HookMemory, turn: HookedTurn) {
    this.#session = session;
    this.#memory = memory;
    this.#turn = turn;
    this.#runner = new HookRunner(session, turn);
    this.#isSubAgent = agentIdOf(session.meta) !== null;
  }

  /** Reads the hooks to run, and reports the faults of others once per thread. */
  async load(): Promise<void> {
    const { host } = this.#session;
    const isTrusted = host.isTrusted();
    const { hooks, problems } = host.hooks === undefined ? NO_HOOKS : await host.hooks();
    const running = hooks.flatMap(({ hook, state }) => (state === 'runs' ? [hook] : []));
    const untrusted = 'Hooks do not run in a workspace that you have not trusted.';
    const messages = [...problems, ...(running.length > 0 && !isTrusted ? [untrusted] : [])];
    for (const message of messages) if (this.#memory.isNew(message)) this.#turn.emit({ type: 'warning', message });
    this.#hooks = isTrusted ? running : [];
  }

  /** Runs the SessionStart hooks when they are due. Returns a text for the model. @throws TurnPaused */
  async sessionStarts(): Promise<string | undefined> {
    const { start } = this.#memory;
    this.#memory.start = undefined;
    if (start === undefined || this.#isSubAgent) return undefined;
    const matching = this.#of('SessionStart').filter(({ matcher }) => matchesName(matcher, start));
    const finished = await this.#run(
      'SessionStart',
      this.#plain(matching, { source: start }, { source: start === 'startup' ? 'new' : start }, { source: 'new' }),
    );
    this.throwIfStopped();
    return contextIn('SessionStart', finished);
  }

  /** Runs the UserPromptSubmit hooks on a message. `blocked`: the model must not get it. */
  async promptSubmitted(
    prompt: string,
  ): Promise<{ readonly context: string | undefined } | { readonly blocked: string }> {
    if (this.#isSubAgent) return { context: undefined };
    const finished = await this.#run('UserPromptSubmit', this.#plain(this.#of('UserPromptSubmit'), { prompt }));
    const [blocked] = finished.flatMap(({ outcome }) => outcome.block ?? outcome.stop ?? []);
    this.#stopped = undefined;
    return blocked === undefined ? { context: contextIn('UserPromptSubmit', finished) } : { blocked };
  }

  /**
   * Runs the Stop hooks when the model has finished. Returns the text for the model to continue with; `undefined` when
   * the turn may end.
   */
  async stopping(lastMessage: string | null): Promise<string | undefined> {
    if (this.#isSubAgent) return undefined;
    const hooks = this.#of('Stop');
    const input = { stop_hook_active: this.#continuations > 0, last_assistant_message: lastMessage };
    const finished = await this.#run('Stop', this.#plain(hooks, input, { ...input, stopReason: 'end_turn' }));
    const reasons = finished.flatMap(({ outcome }) => outcome.block ?? []);
    if (this.#stopped !== undefined || reasons.length === 0) return undefined;
    if (++this.#continuations > MAX_CONTINUATIONS) {
      const message = `Stop hooks have made the model continue ${MAX_CONTINUATIONS} times. The turn ends now.`;
      this.#turn.emit({ type: 'warning', message });
      return undefined;
    }
    return hookContext('Stop', reasons.map(forModel));
  }

  /** Runs the Notification hooks. They decide nothing. */
  async notified(type: NotificationType, message: string): Promise<void> {
    const matching = this.#of('Notification').filter(({ matcher }) => matchesName(matcher, type));
    await this.#run('Notification', this.#plain(matching, { message, title: 'Tiller', notification_type: type }));
  }

  /**
   * `names`: of the tool. Returns a function that runs the PreToolUse hooks of the call; `undefined` when none matches
   * it. When a hook cannot be run at all, the call is denied; so is `run_tests` under a hook about commands, because
   * its command is not known before it runs.
   */
  before(call: ToolCall, names: readonly string[]): (() => Promise<HookedCall>) | undefined {
    const guard = names.includes('run_tests') ? this.#guardOfCommands(names) : undefined;
    if (guard !== undefined) {
      const text = `${commandOf(guard)} decides about commands and does not get the one of run_tests: run the tests with a command.`;
      return async () => ({ call, verdict: { type: 'deny', reason: reasonOf(guard, text) }, notes: [] });
    }
    const runs = this.#runsFor('PreToolUse', call, names);
    if (runs.length === 0) return undefined;
    return () =>
      this.#before(call, runs).catch((error: unknown) => {
        this.#turn.signal.throwIfAborted();
        const text = `The hooks of this call could not be run: ${messageOf(error)}`;
        return { call, verdict: { type: 'deny', reason: { source: 'hook', id: 'failed', text } }, notes: [] };
      });
  }

  /** Returns true if a PostToolUse hook matches the call. */
  hasAfter(call: ToolCall, names: readonly string[]): boolean {
    return this.#runsFor('PostToolUse', call, names).length > 0;
  }

  /** Runs the PostToolUse hooks of a call that has run. Returns the output that the model gets. */
  async after(call: ToolCall, names: readonly string[], answer: ToolOutput): Promise<ToolOutput> {
    const text = textOf(answer.output);
    const runs = this.#runsFor('PostToolUse', call, names, { text, success: answer.success });
    if (runs.length === 0) return answer;
    const finished = await this.#run('PostToolUse', runs);
    const texts = finished.flatMap(({ outcome }) => [outcome.block ?? [], outcome.context ?? []].flat());
    return texts.length === 0 ? answer : withNote(answer, hookContext('PostToolUse', texts.map(forModel)));
  }

  /** @throws TurnPaused when a hook has ended the turn */
  throwIfStopped(): void {
    if (this.#stopped !== undefined) throw new TurnPaused(`A hook has stopped the turn: ${this.#stopped}`);
  }

  async #before(call: ToolCall, runs: readonly HookStart[]): Promise<HookedCall> {
    const finished = await this.#run('PreToolUse', runs);
    const context = contextIn('PreToolUse', finished);
    let verdict = verdictIn(finished);
    let changed = call;
    for (const { hook, face, outcome } of finished) {
      if (outcome.updatedInput === undefined || face === undefined) continue;
      const payload = face.updated(outcome.updatedInput);
      if (payload === undefined) {
        const text = `The hook ${commandOf(hook)} changed the arguments of ${face.name}, and no call can be made from them.`;
        verdict = { type: 'deny', reason: reasonOf(hook, text) };
      } else changed = { ...call, payload };
    }
    const notes = [
      ...(changed === call ? [] : ['Note: a hook of the user has changed the arguments of this call before it ran.']),
      ...(context === undefined ? [] : [context]),
    ];
    return { call: changed, verdict, notes };
  }

  /** A PreToolUse hook that matches commands, but none of these tools. */
  #guardOfCommands(names: readonly string[]): Hook | undefined {
    return this.#of('PreToolUse').find(
      ({ matcher, style }) =>
        ['Bash', ...(style === 'github' ? ['run_in_terminal', 'bash'] : [])].some((name) =>
          matchesName(matcher, name),
        ) && !names.some((name) => matchesName(matcher, name)),
    );
  }

  #of(event: HookEvent): readonly Hook[] {
    return this.#hooks.filter((hook) => hook.event === event);
  }

  /** `copilot`, `vsCode`: the input of a hook of that product, where it is another one. */
  #plain(hooks: readonly Hook[], input: HookStart['input'], copilot = input, vsCode = input): readonly HookStart[] {
    const inputFor = (hook: Hook) => (isOfCopilot(hook) ? copilot : hook.style === 'github' ? vsCode : input);
    return hooks.map((hook) => ({ hook, input: inputFor(hook) }));
  }

  #runsFor(
    event: 'PreToolUse' | 'PostToolUse',
    call: ToolCall,
    names: readonly string[],
    result?: { readonly text: string; readonly success: boolean },
  ): readonly HookStart[] {
    const hooks = this.#of(event);
    if (hooks.length === 0) return [];
    const { settings } = this.#turn;
    const { ports } = this.#session;
    const tool: HookedTool | undefined = hookedTool(call, names, { cwd: settings.cwd, host: ports.host });
    if (tool === undefined) return [];
    return hooks.flatMap((hook) =>
      facesFor(hook, tool).map((face) => {
        const response = result && { tool_response: face.response(result.text, result.success) };
        const input = { tool_name: face.name, tool_input: face.input, tool_use_id: call.callId, ...response };
        return { hook, face, input: isOfCopilot(hook) ? copilotCall(face, result) : input };
      }),
    );
  }

  /** Runs all of them at the same time. The outcomes are in the order of the hooks. */
  async #run(event: HookEvent, runs: readonly HookStart[]): Promise<readonly FinishedHook[]> {
    if (runs.length === 0) return [];
    const settled = await Promise.allSettled(
      runs.map(async (run) => ({ ...run, outcome: await this.#runner.run(event, run) })),
    );
    this.#turn.signal.throwIfAborted();
    const finished = settled.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
    this.#stopped ??= finished.find(({ outcome }) => outcome.stop !== undefined)?.outcome.stop;
    return finished;
  }
}
