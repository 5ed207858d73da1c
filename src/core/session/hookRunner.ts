import path from 'node:path';
import type { EventMsg, TurnSettings } from '../../protocol/event.ts';
import type { HookEvent } from '../../protocol/hooks.ts';
import type { TurnItemOf } from '../../protocol/item.ts';
import { commandOf, type Hook } from '../hooks/definition.ts';
import { isOfCopilot } from '../hooks/githubFaces.ts';
import { type HookOutcome, readOutcome } from '../hooks/readOutcome.ts';
import { type HookSurroundings, runHook } from '../hooks/runHook.ts';
import type { ToolFace } from '../hooks/toolFace.ts';
import type { Auditor } from '../tools/auditor.ts';
import { confinementOf } from '../tools/confinementOf.ts';
import { commandEnvironment, withoutSecrets } from '../tools/environment.ts';
import { isBelow } from '../util/pathBelow.ts';
import { type HookStart, permissionMode, shownOf, withFailure } from './hookOutcomes.ts';
import { type SessionOptions, settingsNow } from './sessionOptions.ts';

/** The parts of a turn that its hooks depend on. */
export interface HookedTurn {
  readonly turnId: string;
  readonly settings: TurnSettings;
  readonly audit: Auditor;
  readonly emit: (msg: EventMsg) => void;
  readonly signal: AbortSignal;
}

/** The parts of the session that its hooks depend on. */
export type HookedSession = Pick<SessionOptions, 'ports' | 'host' | 'meta' | 'rolloutPath' | 'settings'>;

/** Milliseconds after which a running hook is shown even if it has no effect. */
const SHOWN_AFTER_MS = 1_000;

/** Runs single hooks of one turn. */
export class HookRunner {
  readonly #session: HookedSession;
  readonly #turn: HookedTurn;

  constructor(session: HookedSession, turn: HookedTurn) {
    this.#session = session;
    this.#turn = turn;
  }

  /**
   * Runs one hook, with its row in the transcript and its lines in the audit log. A failure is an outcome. Rejects with
   * the reason of the turn's signal, and when the audit log cannot be written.
   */
  async run(event: HookEvent, { hook, input, face }: HookStart): Promise<HookOutcome> {
    const { signal, audit, emit, settings } = this.#turn;
    const { ports } = this.#session;
    const id = ports.ids.next('item');
    const surroundings = this.#surroundings(hook, face);
    const box = surroundings.confinement.type === 'none' ? 'none' : settings.box;
    const command = commandOf(hook);
    const item: TurnItemOf<'hook_run'> = {
      id,
      type: 'hook_run',
      status: 'in_progress',
      event,
      command,
      source: this.#shownSource(hook),
      effect: 'none',
      durationMs: 0,
      ...(face === undefined ? {} : { tool: face.name }),
    };
    let isShown = false;
    const show = () => {
      if (!isShown) emit({ type: 'item_started', item });
      isShown = true;
    };
    const act = { type: 'hook' as const, event, command, cwd: settings.cwd };
    const reason = hook.origin === 'settings' ? OF_SETTINGS : APPROVED;
    audit.decided({ itemId: id, callId: id, act, outcome: 'allowed', by: 'policy', reason, box, escalated: false });
    const cancel = ports.clock.after(SHOWN_AFTER_MS, show);
    let ended: TurnItemOf<'hook_run'> = { ...item, status: 'aborted' };
    let exit: number | null = null;
    try {
      const whole = { ...this.#common(event, hook), ...input };
      const run = await runHook(hook, whole, surroundings, ports, signal);
      const result =
        run.type === 'ended' ? readOutcome(event, run.end) : { failure: run.problem.replaceAll(/\s+/g, ' ') };
      exit = run.type === 'ended' ? run.end.exitCode : null;
      const outcome = this.#redacted(withFailure(result, hook, event));
      for (const message of run.findings) emit({ type: 'warning', message });
      ended = { ...item, ...shownOf(outcome), durationMs: run.durationMs };
      return outcome;
    } finally {
      cancel();
      if (ended.effect !== 'none') show();
      if (isShown) emit({ type: 'item_completed', item: ended });
      audit.ended({ itemId: id, callId: id, status: ended.status, exit, durationMs: ended.durationMs });
    }
  }

  #redacted(outcome: HookOutcome): HookOutcome {
    const { keys } = this.#session.ports;
    const { updatedInput, ...texts } = outcome;
    const redacted = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, keys.hide(text)]));
    return { ...redacted, ...(updatedInput === undefined ? {} : { updatedInput }) };
  }

  /** Hooks of the workspace run in the sandbox of the turn's commands; hooks of the user run without a sandbox. */
  #surroundings(hook: Hook, face: ToolFace | undefined): HookSurroundings {
    const { settings } = this.#turn;
    const { ports, meta } = this.#session;
    const { tools } = settingsNow(this.#session);
    const { host, keys, storage } = ports;
    const { cwd } = settings;
    if (hook.origin !== 'workspace') {
      const env = withoutSecrets(host.environment, tools.environment.keep, keys);
      return { cwd, env: { ...env, ...fileVariable(face) }, confinement: { type: 'none' } };
    }
    const thread = { id: meta.id, home: storage.home, unreadable: tools.unreadable };
    const env = { ...commandEnvironment(host.environment, tools.environment, keys), ...fileVariable(face) };
    return { cwd, env, confinement: confinementOf(settings.box, { settings, host, thread }) };
  }

  /** The fields common to all hook inputs, named as by Claude Code and Codex, and two also as by VS Code. */
  #common(event: HookEvent, hook: Hook): Readonly<Record<string, unknown>> {
    const { turnId, settings } = this.#turn;
    const { ports, rolloutPath, meta } = this.#session;
    const agentId = agentIdOf(meta);
    const transcriptPath = path.join(ports.storage.home, rolloutPath);
    const now = ports.clock.now();
    if (isOfCopilot(hook)) {
      return { sessionId: meta.id, timestamp: now.getTime(), cwd: settings.cwd, transcriptPath };
    }
    return {
      session_id: meta.id,
      sessionId: meta.id,
      transcript_path: transcriptPath,
      cwd: settings.cwd,
      hook_event_name: event,
      hookEventName: event,
      permission_mode: permissionMode(settings),
      model: settings.model,
      turn_id: turnId,
      timestamp: now.toISOString(),
      ...(agentId === null ? {} : { agent_id: agentId }),
    };
  }

  #shownSource({ source, origin }: Hook): string {
    if (origin === 'settings') return source;
    const { settings } = this.#turn;
    const { ports } = this.#session;
    if (isBelow(source, settings.cwd)) return path.relative(settings.cwd, source);
    const { homeDirectory } = ports.host;
    return isBelow(source, homeDirectory) ? `~/${path.relative(homeDirectory, source)}` : source;
  }
}

/** The id of a sub-agent, for which only tool hooks run; `null` for a root thread. */
export function agentIdOf({ originator, id }: HookedSession['meta']): string | null {
  return originator === 'sub_agent' ? id : null;
}

/** Returns the variable that the first example of VS Code's documentation of hooks uses, which formats the file. */
function fileVariable(face: ToolFace | undefined): Readonly<Record<string, string>> {
  const file = face?.input['file_path'] ?? face?.input['filePath'];
  return typeof file === 'string' && !file.includes('\0') ? { TOOL_INPUT_FILE_PATH: file } : {};
}

const OF_SETTINGS = { source: 'policy', id: 'hook-of-settings', text: 'Your settings name this hook.' } as const;
const APPROVED = { source: 'policy', id: 'hook-approved', text: 'You have approved this hook.' } as const;
