/** The exit code of a command whose program bubblewrap cannot execute: the one that a shell gives it. */
import type { ExecExit, ExecProcess } from '../../core/ports.ts';

const [NOT_EXECUTABLE, NOT_FOUND] = [126, 127];
/** The exit code of bubblewrap for every failure. */
const FAILED = 1;
const LONGEST_REASON = 200;

/**
 * `process`: bubblewrap that executes `program`. Without the program it prints one line and fails with 1, as programs
 * do; then the command has failed with 127, or with 126 where there is such a file.
 */
export function withExitOfMissing(process: ExecProcess, program: string): ExecProcess {
  const prefix = `bwrap: execvp ${program}: `;
  const most = Buffer.byteLength(prefix) + LONGEST_REASON;
  let printed: Uint8Array[] = [];
  let length = 0;
  const reason = (): string | undefined => {
    const text = Buffer.concat(printed).toString();
    return length <= most && text.startsWith(prefix) ? text.slice(prefix.length) : undefined;
  };
  return {
    ...process,
    onOutput: (listener) =>
      process.onOutput((output) => {
        length += output.stream === 'stderr' ? output.bytes.length : Infinity;
        printed = length <= most ? [...printed, output.bytes] : [];
        listener(output);
      }),
    exited: process.exited.then((exit): ExecExit => {
      const why = exit.code === FAILED ? reason() : undefined;
      if (why === undefined || why.indexOf('\n') !== why.length - 1) return exit;
      return { ...exit, code: why === 'No such file or directory\n' ? NOT_FOUND : NOT_EXECUTABLE };
    }),
  };
}
