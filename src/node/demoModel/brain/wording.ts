/** The longer texts of the demo model: its messages at the end of a turn. */
import type { Answer } from '../conversation.ts';
import type { LineChange } from './patchText.ts';
import { inOneLine } from './printed.ts';
import type { TestFailure } from './testReport.ts';

/** An answer of one message. */
export function says(text: string): Answer {
  return [{ type: 'message', text }];
}

export const INTRODUCTION = `I am Tiller's **demo model**: a script without any intelligence, there so that you can see Tiller work before \
you have connected a model. I cannot answer this.

What I can do is repair a failing test of a small Node project, such as the sample workspace. Ask me to **fix the failing test** and watch: \
everything but me is the real thing.

For a real model, run **Tiller: Select Model** from the command palette.`;

export const NO_SHELL = `I am Tiller's **demo model**, a script, and I work by running commands. No command tool is offered to me here, so there is \
nothing I can do. Switch to **Agent** mode and ask again.`;

export const WINDOW_TOO_SMALL = `The thread was compacted twice while I was at work. I am only a script: from a summary I can start over, but not go on. \
Set \`tiller.compaction.tokenLimit\` higher and ask me again.`;

export const NO_TEST_SCRIPT = `I found no \`test\` script in a \`package.json\` here, and a script is all I know how to start from. I changed nothing.

I am only the demo model. For a real one, run **Tiller: Select Model**.`;

/** Added to the final message when no file was changed. */
export const NOTHING_CHANGED = 'I changed nothing.';

/** Added to the final message about changes that are in the files when the story ends early. */
export function stillThere(unproven: readonly Repair[], kept: readonly Repair[]): string {
  const sentences = [
    ...unproven.map(({ change }) => `My change in \`${change.path}:${change.line}\` is still there, unproven.`),
    ...kept.map(({ change }) => `My change in \`${change.path}:${change.line}\` made some tests pass and stays.`),
  ];
  return sentences.length > 0 ? sentences.join(' ') : NOTHING_CHANGED;
}

/**
 * The user has denied a command. `message`: the answer that the model got. `stateNote`: the state of the files, as in
 * all of these.
 */
export function notAllowed(command: string, message: string, stateNote: string): string {
  return `\`${command}\` was not run, and I do not ask a second time. The answer was:

${quote(message)}

I cannot work without it, so I stop here. ${stateNote} What you can do:

- ask me again and approve the command,
- switch to a mode in which it may run without asking, or
- run \`${command}\` yourself in a terminal.`;
}

/** The tests have not ended after the last poll. */
export function stillRunning(command: string, stateNote: string): string {
  return `\`${command}\` is still running and I have waited long enough. ${stateNote} Look at it in the terminal, then ask me again.`;
}

/** `count`: tests that passed; 0 where the output does not name it. */
export function nothingToRepair(command: string, count: number): string {
  return `There is nothing to repair: \`${command}\` passes${count > 0 ? `, all ${count} tests` : ''}. I changed nothing.`;
}

/** `reason`: the end of the output. */
export function testsDoNotRun(command: string, reason: string): string {
  return `The tests cannot run, so I cannot tell what is broken. \`${command}\` ended before any test could fail:

${fence('', reason)}

That is not a failing test but something in the way of all of them, and mending it is beyond a scripted demo. I changed nothing.`;
}

/** No hypothesis fits the failures, so nothing was tried. */
export function noGuess(failures: readonly TestFailure[]): string {
  return `I have read the code behind ${testNames(failures)} and have no guess that is worth a try. I changed nothing.

I only know small slips in one line. For a real model, run **Tiller: Select Model**.`;
}

/** Describes the best guess in place of a patch. `because`: a clause. */
export function noPatchTool(place: string, because: string, change: LineChange): string {
  return `My best guess is ${place}: ${because}.

${difference(change)}

No tool for patches is offered to me here, so I leave it at that.`;
}

/** The user has denied a patch. `message`: the answer that the model got. */
export function patchDenied(message: string, change: LineChange, stateNote: string): string {
  return `The patch was declined, so I stop here. The answer was:

${quote(message)}

This is what I would have changed in \`${change.path}:${change.line}\`:

${difference(change)}

${stateNote} Ask me again if you want it after all, or change the line yourself.`;
}

/** The second patch for the same line has failed, too. */
export function patchDoesNotFit(message: string, path: string, stateNote: string): string {
  return `My patch for \`${path}\` did not fit, and after reading the file again it still does not. The last answer was:

${fence('', message)}

I give up rather than guess. ${stateNote} The file may be changing under my hands; ask me again when it rests.`;
}

export interface Repair {
  readonly change: LineChange;
  readonly because: string;
}

/** All tests pass. `places`: one for each failure, in the same order. `run.takenBack`: guesses that were undone. */
export function repaired(
  repairs: readonly Repair[],
  failures: readonly TestFailure[],
  places: readonly string[],
  run: { readonly command: string; readonly count: number; readonly takenBack: number },
): string {
  const changes = repairs.map(
    ({ change, because }) => `\`${change.path}:${change.line}\`: ${because}.\n\n${difference(change)}`,
  );
  const evidence = failures.map(
    ({ name, expected, actual, message }, index) =>
      `- *${name}* (${places[index]}) ${expected === undefined ? `failed with “${message}”` : expectedAndGot(expected, actual)}`,
  );
  const detours =
    run.takenBack === 0
      ? 'Nothing else was changed.'
      : `${run.takenBack === 1 ? 'One other guess' : `${run.takenBack} other guesses`} did not help and ${run.takenBack === 1 ? 'was' : 'were'} taken back.`;
  return `**Repaired.** \`${run.command}\` passes again${run.count > 0 ? `, all ${run.count} tests` : ''}.

### What was wrong

${changes.join('\n\n')}

### How it showed

${evidence.join('\n')}

${detours}`;
}

/** `tried`: guesses that were undone. `kept`: those that made some of the tests pass. */
export function gaveUp(failures: readonly TestFailure[], tried: readonly Repair[], kept: readonly Repair[]): string {
  return `I could not repair ${testNames(failures)}. These guesses did not help, and each was taken back:

${tried.map(({ change, because }) => `- \`${change.path}:${change.line}\`: ${because}`).join('\n')}

${kept.length > 0 ? stillThere([], kept) : 'The files are as they were.'} I only know small slips in one line; for a real model, run **Tiller: Select Model**.`;
}

/** The names in Markdown, in one sentence. */
export function testNames(failures: readonly TestFailure[]): string {
  return failures.map(({ name }) => `*${name}*`).join(' and ');
}

function expectedAndGot(expected: string, actual: string | undefined): string {
  return `expected \`${inOneLine(expected)}\` and got \`${inOneLine(actual ?? 'undefined')}\`.`;
}

function difference(change: LineChange): string {
  return fence('diff', `-${change.before}\n+${change.after}`);
}

function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function quote(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}
