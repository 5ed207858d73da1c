import { type ProcessState, type ThreadState, TURN_WINDOW, type TurnState } from '../../protocol/thread.ts';

/** Characters of one message to the panel: larger ones cause a noticeable delay (docs/design.md §5, "host → panel"). */
const MAX_CHARACTERS = 200_000;

/** Characters of a process's output. */
const MAX_OUTPUT = 2_000;

export interface Page {
  readonly turns: readonly TurnState[];
  /** The number of turns before the first of these. */
  readonly earlierTurns: number;
}

/** The last turns before `end` that fit into one message; at least one unless there are none. */
export function pageOfTurns(turns: readonly TurnState[], end = turns.length): Page {
  let start = end;
  let characters = 0;
  while (start > 0 && end - start < TURN_WINDOW) {
    characters += JSON.stringify(turns[start - 1]).length;
    if (characters > MAX_CHARACTERS && start < end) break;
    start--;
  }
  return { turns: turns.slice(start, end), earlierTurns: start };
}

/** Keeps the end of the output, so that sixty processes fit into one message. */
function withShortOutput(process: ProcessState): ProcessState {
  return process.output.length <= MAX_OUTPUT ? process : { ...process, output: process.output.slice(-MAX_OUTPUT) };
}

/** The initial state for a panel: the newest turns. */
export function snapshotOf(state: ThreadState): { readonly thread: ThreadState; readonly earlierTurns: number } {
  const { turns, earlierTurns } = pageOfTurns(state.turns);
  return { thread: { ...state, turns, processes: state.processes.map(withShortOutput) }, earlierTurns };
}
