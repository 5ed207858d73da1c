import type { OpOf } from '../../protocol/op.ts';
import type { Processes } from '../exec/processes.ts';
import { assertNever } from '../util/assertNever.ts';

/** Handles a user's operation on a process of the thread. Returns the reason why it is impossible, for a warning. */
export function handleProcessOp(
  op: OpOf<'process_input' | 'process_resize' | 'kill_process'>,
  processes: Processes,
): string | undefined {
  const { processId } = op;
  const process = processes.running(processId);
  const missing = process ? undefined : `There is no process ${processId} that runs.`;
  switch (op.type) {
    case 'process_input':
      if (!process || process.write(op.chars)) return missing;
      return `Process ${processId} has no terminal: nothing but Ctrl-C reaches it.`;
    case 'process_resize':
      process?.resize(op.columns, op.rows);
      // The process may have ended just before.
      return undefined;
    case 'kill_process':
      // Not awaited: later submissions must not wait for a process that ends slowly.
      void process?.kill('user');
      return missing;
    default:
      return assertNever(op);
  }
}
