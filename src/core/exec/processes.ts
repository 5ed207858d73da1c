import type { EventMsg } from '../../protocol/event.ts';
import type { SandboxFinding, Clock, Exec, ExecRequest, Ids, Log, Storage } from '../ports.ts';
import type { SecretRedactor } from '../util/secretRedactor.ts';
import { LiveProcess, type ProcessFacts } from './liveProcess.ts';
import { OutputLog } from './outputLog.ts';
import type { OutputListener } from './outputRelay.ts';
import { newLogPath, pruneLogs } from './outputLogs.ts';

/** codex-behaviour.md §4.1, "Limits". */
const MAX_PROCESSES = 64;
const WARN_FROM = 60;
const PROTECTED_NEWEST = 8;
const [FIRST_SESSION_ID, LAST_SESSION_ID] = [1_000, 99_999];
/** A command that runs this long gets a row with a kill button, even while its call waits for it. */
const ANNOUNCE_AFTER_MS = 1_000;

export interface ProcessesOptions {
  readonly exec: Exec;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly storage: Storage;
  readonly log: Log;
  readonly keys: SecretRedactor;
  readonly threadId: string;
  /** Emits events that belong to no turn. */
  readonly emit: (msg: EventMsg) => void;
  /** Ids of processes from earlier sessions of the thread; they are not used again. */
  readonly known: readonly string[];
}

export interface StartRequest {
  readonly exec: ExecRequest;
  readonly facts: ProcessFacts;
  /** Milliseconds until it is killed; never where absent. */
  readonly timeoutMs?: number | undefined;
  /** Redacted in its output, instead of the keys of the thread. */
  readonly keys?: SecretRedactor;
  /** Receives its output until it goes into the background. */
  readonly onOutput: OutputListener;
  /** Ends the wait for its start. */
  readonly signal: AbortSignal;
}

/**
 * The processes of one thread. The call of a command may end before the command does: the process then continues here,
 * is found by its session id, and is removed once its end was reported.
 */
export class Processes {
  readonly #options: ProcessesOptions;
  readonly #taken: Set<string>;
  /** Running processes, and background processes whose end was not reported yet; the most recently used is last. */
  readonly #live = new Map<number, LiveProcess>();
  readonly #background = new Set<LiveProcess>();
  readonly #announced = new Set<LiveProcess>();
  #hasPruned = false;

  constructor(options: ProcessesOptions) {
    this.#options = options;
    this.#taken = new Set(options.known);
  }

  /** @throws Error with a message for the model when the process cannot be started; or the reason of the signal. */
  async start({ exec, facts, timeoutMs, keys, onOutput, signal }: StartRequest): Promise<LiveProcess> {
    const { clock, storage, log, threadId } = this.#options;
    const startedAt = clock.monotonic();
    const child = await this.#options.exec.spawn(exec, signal);
    const process = new LiveProcess({
      sessionId: this.#newSessionId(),
      facts,
      child,
      clock,
      log: new OutputLog(storage, newLogPath(clock.now(), threadId, facts.itemId), log),
      keys: keys ?? this.#options.keys,
      network: exec.confinement.type === 'none' || exec.confinement.limits.network,
      startedAt,
      timeoutMs,
      onOutput,
    });
    this.#live.set(process.sessionId, process);
    const cancel = clock.after(ANNOUNCE_AFTER_MS, () => this.#announce(process));
    void process.ended.then(({ findings }) => {
      cancel();
      for (const finding of findings) this.#warn(finding);
      if (this.#background.has(process)) void process.log.close();
      else this.#live.delete(process.sessionId);
      this.#tellExit(process);
    });
    return process;
  }

  /**
   * Moves a process to the background because its call ends. Returns notes for the model about the number of processes.
   */
  toBackground(process: LiveProcess): readonly string[] {
    this.#background.add(process);
    process.log.keep();
    this.#announce(process);
    const { processId } = process;
    process.redirect((text, stream) => this.#options.emit({ type: 'process_output', processId, text, stream }));
    return this.#makeRoom();
  }

  /** Background processes whose end was not reported yet, oldest first. */
  get open(): readonly LiveProcess[] {
    return [...this.#background];
  }

  /** Returns a background process by the session id that the model was given, and marks it as used. */
  use(sessionId: number): LiveProcess | undefined {
    const process = this.#live.get(sessionId);
    if (!process || !this.#background.has(process)) return undefined;
    this.#live.delete(sessionId);
    this.#live.set(sessionId, process);
    return process;
  }

  /** Removes a process whose end was reported. */
  forget(process: LiveProcess): void {
    this.#live.delete(process.sessionId);
    this.#background.delete(process);
  }

  /** Returns a running process by its id in events and ops. */
  running(processId: string): LiveProcess | undefined {
    const process = this.#live.get(Number(processId));
    return process?.end === undefined ? process : undefined;
  }

  /** Kills all processes because the thread is closed. */
  async endAll(): Promise<void> {
    await Promise.all([...this.#live.values()].map((process) => process.kill('thread')));
    await Promise.all([...this.#background].map((process) => process.log.close()));
  }

  #announce(process: LiveProcess): void {
    if (this.#announced.has(process) || process.end !== undefined) return;
    this.#announced.add(process);
    const { processId, facts } = process;
    this.#options.emit({ type: 'process_started', processId, ...facts });
    if (this.#hasPruned) return;
    this.#hasPruned = true;
    void pruneLogs(this.#options.storage, this.#options.log);
  }

  #warn(finding: SandboxFinding): void {
    const { message } = finding;
    const { quarantineId } = finding.kind === 'quarantined' ? finding : {};
    this.#options.emit({ type: 'warning', message, ...(quarantineId === undefined ? {} : { quarantineId }) });
  }

  #tellExit(process: LiveProcess): void {
    if (!this.#announced.delete(process)) return;
    const { processId, end } = process;
    this.#options.emit({ type: 'process_exited', processId, exitCode: end?.exitCode ?? null });
  }

  /** Removes ended processes first, then the least recently used; the newest are never removed. */
  #makeRoom(): readonly string[] {
    const byUse = [...this.#live.values()].filter((process) => this.#background.has(process));
    if (byUse.length > MAX_PROCESSES) {
      const old = byUse.slice(0, -PROTECTED_NEWEST);
      const least = old.find(({ end }) => end !== undefined) ?? old[0];
      if (least === undefined) return [];
      this.forget(least);
      void least.kill('thread').then(() => least.log.close());
      return [`Process ${least.sessionId} (${least.facts.command}) was ended to make room: ${MAX_PROCESSES} may run.`];
    }
    if (byUse.length < WARN_FROM) return [];
    return [`${byUse.length} of at most ${MAX_PROCESSES} processes are open; end those that are not needed.`];
  }

  #newSessionId(): number {
    const { ids } = this.#options;
    const count = LAST_SESSION_ID - FIRST_SESSION_ID + 1;
    let id = FIRST_SESSION_ID + Math.floor(ids.random() * count);
    while (this.#taken.has(String(id))) id = FIRST_SESSION_ID + ((id - FIRST_SESSION_ID + 1) % count);
    this.#taken.add(String(id));
    return id;
  }
}
