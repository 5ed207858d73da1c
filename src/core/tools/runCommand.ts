import type { Clock, Confinement, Exec, ExecExit } from '../ports.ts';
import { onAbort } from '../util/abort.ts';
import { HeadTailBuffer } from '../util/headTailBuffer.ts';
import type { HeadTail } from '../util/tokens.ts';

export interface CommandRun {
  readonly exit: ExecExit;
  readonly ended: 'by_itself' | 'timed_out' | 'interrupted';
  readonly durationMs: number;
  /** stdout and stderr in the order they arrived, as far as they were kept. */
  readonly output: HeadTail;
}

/**
 * Runs one command to its end: streams its output whole to `onOutput`, keeps what the model may need, kills the whole
 * tree when the time is up or the turn is interrupted. Rejects only when the command could not be started, with a
 * sentence for the model.
 */
export async function runCommand(
  request: {
    readonly argv: readonly [string, ...string[]];
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly confinement: Confinement;
    readonly timeoutMs: number;
  },
  ports: { readonly exec: Exec; readonly clock: Clock },
  onOutput: (text: string, stream: 'stdout' | 'stderr') => void,
  signal: AbortSignal,
): Promise<CommandRun> {
  const { exec, clock } = ports;
  const startedAt = clock.monotonic();
  const { argv, cwd, env, confinement } = request;
  const process = await exec.spawn({ argv, cwd, env, confinement, stdin: 'none' });
  const buffer = new HeadTailBuffer();
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const deliver = (text: string, stream: 'stdout' | 'stderr') => {
    if (text === '') return;
    buffer.append(text);
    onOutput(text, stream);
  };
  process.onOutput(({ stream, bytes }) => deliver(decoders[stream].decode(bytes, { stream: true }), stream));

  let timedOut = false;
  const cancelTimer = clock.after(request.timeoutMs, () => {
    timedOut = true;
    void process.kill();
  });
  const stopListening = onAbort(signal, () => void process.kill());
  try {
    const exit = await process.exited;
    deliver(decoders.stdout.decode(), 'stdout');
    deliver(decoders.stderr.decode(), 'stderr');
    const ended = signal.aborted ? 'interrupted' : timedOut ? 'timed_out' : 'by_itself';
    return { exit, ended, durationMs: clock.monotonic() - startedAt, output: buffer.read() };
  } finally {
    cancelTimer();
    stopListening();
  }
}
