import path from 'node:path';
import type { Clock, Confinement, Exec, ExecRequest, Host } from '../ports.ts';
import { shellArgv } from '../tools/shellArgv.ts';
import { deadline } from '../util/abort.ts';
import { messageOf } from '../util/fileErrors.ts';
import type { Hook } from './definition.ts';
import type { HookEnd } from './readOutcome.ts';

/** Maximum characters of each stream that are kept. More is read and dropped, so that the program does not block. */
const MAX_OUTPUT = 256 * 1024;

export interface HookSurroundings {
  /** Absolute: the working directory of the thread. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly confinement: Confinement;
}

/**
 * A hook that has ended, or the sentence why it has not. `findings`: reports of the sandbox about files that it left.
 */
export type HookRun = { readonly durationMs: number; readonly findings: readonly string[] } & (
  | { readonly type: 'ended'; readonly end: HookEnd }
  | { readonly type: 'failed'; readonly problem: string }
);

/**
 * Starts the program of a hook with `input` as JSON on its stdin, and waits for its end. The whole process tree is ended
 * when it takes longer than it may, and when the turn is stopped. Rejects only with the signal's reason.
 */
export async function runHook(
  hook: Hook,
  input: unknown,
  { cwd, env, confinement }: HookSurroundings,
  { exec, clock, host }: { readonly exec: Exec; readonly clock: Clock; readonly host: Host },
  signal: AbortSignal,
): Promise<HookRun> {
  const startedAt = clock.monotonic();
  const seconds = hook.timeoutMs / 1000;
  const late = new Error(`It did not end within ${seconds} s and was ended.`);
  const limit = deadline(clock, hook.timeoutMs, late, signal);
  const texts = { stdout: new BoundedText(), stderr: new BoundedText() };
  try {
    signal.throwIfAborted();
    const request: ExecRequest = {
      argv: argvOf(hook, host),
      cwd: path.resolve(cwd, hook.cwd ?? '.'),
      env: { ...env, CLAUDE_PROJECT_DIR: cwd, TILLER_PROJECT_DIR: cwd, ...hook.env },
      stdin: { text: `${JSON.stringify(input)}\n` },
      confinement,
    };
    const process = await exec.spawn(request, limit.signal);
    process.onOutput(({ stream, bytes }) => texts[stream].add(bytes));
    const stop = () => void process.kill();
    limit.signal.addEventListener('abort', stop, { once: true });
    if (limit.signal.aborted) stop();
    const { code, findings = [] } = await process.exited;
    signal.throwIfAborted();
    const common = {
      durationMs: Math.round(clock.monotonic() - startedAt),
      findings: findings.map(({ message }) => message),
    };
    if (limit.signal.aborted) return { type: 'failed', problem: late.message, ...common };
    return {
      type: 'ended',
      end: { exitCode: code, stdout: texts.stdout.text, stderr: texts.stderr.text, isCut: texts.stdout.isCut },
      ...common,
    };
  } catch (error) {
    signal.throwIfAborted();
    const durationMs = Math.round(clock.monotonic() - startedAt);
    const problem = limit.signal.aborted ? late.message : `It could not be started: ${messageOf(error)}`;
    return { type: 'failed', problem, durationMs, findings: [] };
  } finally {
    limit.end();
  }
}

/** Returns the argv of a hook. Without `args` the command is a line for a shell: bash where the file names none. */
function argvOf({ command, args, shell }: Hook, host: Host): [string, ...string[]] {
  if (args !== undefined) return [command, ...args];
  if (shell === 'powershell') return ['powershell', '-NoProfile', '-NonInteractive', '-Command', command];
  if (shell === undefined && host.platform === 'win32') return shellArgv(command, host);
  return shellArgv(command, host, { shell: host.platform === 'win32' ? 'bash' : '/bin/bash' });
}

class BoundedText {
  readonly #decoder = new TextDecoder();
  text = '';
  isCut = false;

  add(bytes: Uint8Array): void {
    const left = MAX_OUTPUT - this.text.length;
    this.isCut ||= bytes.length > left;
    if (left > 0) this.text += this.#decoder.decode(bytes, { stream: true }).slice(0, left);
  }
}
