/** The part of a story that runs commands. */
import type { Answer, OfferedTools, ShellTool } from '../conversation.ts';
import { commandCall, pollCall } from './calls.ts';
import { type CommandOutcome, readCommandOutcome } from './commandOutcome.ts';
import { finish, type Story } from './story.ts';
import { notAllowed, NOTHING_CHANGED, says, stillRunning } from './wording.ts';

/** The offered tools, when these can run commands. */
export type WorkingTools = OfferedTools & { readonly shell: ShellTool };

export type Finished = Extract<CommandOutcome, { type: 'exited' }>;

const MOST_POLLS = 10;

/**
 * Writes `preface` and runs the commands in parallel, each to its end. A command that is not run ends the story: it is
 * never requested twice. `stateNote`: the sentence of the final message about the state of the files.
 */
export function* execute(
  tools: WorkingTools,
  preface: Answer,
  commands: readonly string[],
  stateNote: string = NOTHING_CHANGED,
): Story<readonly Finished[]> {
  const calls = commands.map((command) => ({ type: 'call', call: commandCall(tools.shell, command) }) as const);
  const outputs = yield [...preface, ...calls];
  const outcomes = outputs.slice(-commands.length).map(readCommandOutcome);
  const finished: Finished[] = [];
  for (const [index, command] of commands.entries()) {
    const outcome = outcomes[index] ?? { type: 'not_run', message: '' };
    finished.push(yield* waitFor(tools, command, outcome, stateNote));
  }
  return finished;
}

function* waitFor(tools: WorkingTools, command: string, first: CommandOutcome, stateNote: string): Story<Finished> {
  let outcome = first;
  let seen = '';
  for (let polls = 0; outcome.type === 'running' && tools.poll && polls < MOST_POLLS; polls += 1) {
    seen += outcome.output;
    const [output = ''] = yield [{ type: 'call', call: pollCall(outcome.sessionId) }];
    outcome = readCommandOutcome(output);
  }
  switch (outcome.type) {
    case 'exited':
      return { ...outcome, output: seen + outcome.output };
    case 'running':
      return yield* finish(says(stillRunning(command, stateNote)));
    case 'not_run':
      return yield* finish(says(notAllowed(command, outcome.message, stateNote)));
  }
}
