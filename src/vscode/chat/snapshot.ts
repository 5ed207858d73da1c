import type { ProcessState, ThreadState, TurnState } from '../../protocol/thread.ts';

/** Turns a panel keeps in its page at most. */
const MAX_TURNS = 60;
/** Characters of one message to the panel: a larger one would be felt (design §5, "host → panel"). */
const MAX_CHARACTERS = 200_000;

/** Characters of what a process has printed. */
const MAX_OUTPUT = 2_000;

export interface Page {
  readonly turns: readonly TurnState[];
  /** Turns before the first of these. */
  readonly earlierTurns: number;
}

/** The last turns before `end` that fit into one message; always at least one where there is any. */
export function pageOfTurns(turns: readonly TurnState[], end = turns.length): Page {
  let start = end;
  let characters = 0;
  while (start > 0 && end - start < MAX_TURNS) {
    characters += JSON.stringify(turns[start - 1]).length;
    if (characters > MAX_CHARACTERS && start < end) break;
    start--;
  }
  return { turns: turns.slice(start, end), earlierTurns: start };
}

/** Its end, so that sixty of them still fit into one message. */
function withShortOutput(process: ProcessState): ProcessState {
  return process.output.length <= MAX_OUTPUT ? process : { ...process, output: process.output.slice(-MAX_OUTPUT) };
}

/** The thread as a panel gets it at first: its newest turns. */
export function snapshotOf(state: ThreadState): { readonly thread: ThreadState; readonly earlierTurns: number } {
  const { turns, earlierTurns } = pageOfTurns(state.turns);
  return { thread: { ...state, turns, processes: state.processes.map(withShortOutput) }, earlierTurns };
}
