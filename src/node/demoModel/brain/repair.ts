/** The story of the demo model: find the failure, guess the cause, try a repair, check, report. */
import type { Answer } from '../conversation.ts';
import type { WorkingTools } from './execute.ts';
import { findFailures, lookAround, pathIn, plan, type Project, readCode, runTests } from './explore.ts';
import type { Hypothesis } from './hypotheses.ts';
import { apply, type PatchingTools } from './applyRepair.ts';
import { changed, reversed } from './patchText.ts';
import { rankHypotheses, type ReadFiles } from './ranking.ts';
import { finish, type Story } from './story.ts';
import type { FailedRun, TestFailure } from './testReport.ts';
import { gaveUp, noGuess, noPatchTool, type Repair, repaired, says, stillThere } from './wording.ts';

const MOST_TRIES = 6;

export function* repairTests(tools: WorkingTools): Story<never> {
  const project = yield* lookAround(tools);
  const firstRun = yield* findFailures(tools, project);
  const { failures } = firstRun;
  const { tests, sources } = yield* readCode(tools, project, failures);
  const [best] = rankHypotheses(failures, tests, sources);
  if (best === undefined) return yield* finish(says(noGuess(failures)));
  const { patch } = tools;
  if (patch === null) return yield* finish(says(noPatchTool(placeOf(best), best.because, best.change)));
  return yield* tryRepairs({ ...tools, patch }, project, firstRun, tests, sources);
}

/** Tries one hypothesis after the other: a repair that helps stays, one that does not is undone before the next. */
function* tryRepairs(
  tools: PatchingTools,
  project: Project,
  { count, failures }: FailedRun,
  tests: ReadFiles,
  sources: ReadFiles,
): Story<never> {
  const files = new Map(sources);
  const kept: Repair[] = [];
  const takenBack: Repair[] = [];
  let open = failures;
  while (kept.length + takenBack.length < MOST_TRIES) {
    const guess = rankHypotheses(open, tests, files).find((each) => !isTried(each, [...kept, ...takenBack]));
    if (guess === undefined) break;

    const text = files.get(guess.change.path) ?? '';
    const applied = yield* apply(
      tools,
      [...explain(guess, open, takenBack.length), ...plan(tools, 3)],
      guess.change,
      text,
      stillThere([], kept),
    );
    const repair = { change: applied.change, because: guess.because };
    files.set(guess.change.path, changed(applied.text, applied.change));

    const run = yield* runTests(tools, project, 'Patched. Do the tests agree?', 4, stillThere([repair], kept));
    if (run.type === 'passed') {
      if (tools.plan) yield plan(tools, 5);
      const places = failures.map((failure) => placeIn(project, failure));
      const { testCommand: command } = project;
      const summary = { command, count: run.count, takenBack: takenBack.length };
      return yield* finish(says(repaired([...kept, repair], failures, places, summary)));
    }
    if (run.type === 'failed' && run.count >= count && run.failures.length < open.length) {
      kept.push(repair);
      open = run.failures;
    } else {
      takenBack.push(repair);
      const undone = reversed(applied.change);
      const words: Answer = [{ type: 'message', text: 'That did not help. I put the line back as it was.' }];
      const back = yield* apply(
        tools,
        words,
        undone,
        changed(applied.text, applied.change),
        stillThere([repair], kept),
      );
      files.set(undone.path, changed(back.text, back.change));
    }
  }
  return yield* finish(says(gaveUp(open, takenBack, kept)));
}

function explain(guess: Hypothesis, failures: readonly TestFailure[], triesBefore: number): Answer {
  const tests = failures.length === 1 ? 'the failing test' : 'the failing tests';
  const ordinal = triesBefore === 0 ? 'My best guess' : 'My next guess';
  return [
    {
      type: 'reasoning',
      summary: `**Weighing the evidence**\n\n\`${guess.block.name ?? guess.block.path}\` is reached by ${tests}, and a slip there would explain the values: ${guess.because}.`,
    },
    { type: 'message', text: `${ordinal} is ${placeOf(guess)}: ${guess.because}.` },
  ];
}

function isTried({ change }: Hypothesis, tried: readonly Repair[]): boolean {
  return tried.some(
    (each) =>
      each.change.path === change.path && each.change.before === change.before && each.change.after === change.after,
  );
}

function placeOf({ change }: Hypothesis): string {
  return `\`${change.path}:${change.line}\``;
}

/** The innermost place of the project where the failure was reported. */
function placeIn(project: Project, failure: TestFailure): string {
  const place = failure.places[0];
  return `\`${pathIn(project, place) ?? '?'}:${place?.line ?? '?'}\``;
}
