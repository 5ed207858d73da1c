/** The beginning of a story: the kind of project, the output of its tests, and the code that they test. */
import { planCall, shellWord } from './calls.ts';
import { execute, type Finished, type WorkingTools } from './execute.ts';
import type { ReadFiles } from './ranking.ts';
import { inOneLine } from './printed.ts';
import { relativeImports } from './source.ts';
import { finish, type Story } from './story.ts';
import { type FailedRun, type Place, readTestRun, type TestFailure, type TestRun } from './testReport.ts';
import { NO_TEST_SCRIPT, nothingToRepair, says, testNames, testsDoNotRun } from './wording.ts';
import type { Answer } from '../conversation.ts';

const MOST_FILES = 16;

export interface Project {
  readonly root: string;
  readonly testCommand: string;
}

/** Finds the folder of the project and the command for its tests. Ends the story where there is no test script. */
export function* lookAround(tools: WorkingTools): Story<Project> {
  const [folder, manifest] = yield* execute(
    tools,
    [
      {
        type: 'reasoning',
        summary: '**Finding my way**\n\nI know nothing about this project yet, not even how its tests are run.',
      },
      { type: 'message', text: 'I will look around first, then run the tests and see what they say.' },
    ],
    ['pwd -P && ls -p', 'cat package.json'],
  );
  const script = manifest?.exitCode === 0 ? testScriptIn(manifest.output) : undefined;
  if (script === undefined) return yield* finish(says(NO_TEST_SCRIPT));
  const root = /^(?:\/|[A-Z]:).*$/m.exec(folder?.output ?? '')?.[0].trimEnd() ?? '.';
  return { root, testCommand: script.startsWith('node ') ? script : 'npm test' };
}

function testScriptIn(manifest: string): string | undefined {
  try {
    const { scripts } = JSON.parse(manifest) as { scripts?: { test?: unknown } };
    return typeof scripts?.test === 'string' ? scripts.test : undefined;
  } catch {
    return undefined;
  }
}

/** Runs the tests; the first `done` steps of the plan are completed. */
export function* runTests(
  tools: WorkingTools,
  project: Project,
  text: string,
  done: number,
  stateNote?: string,
): Story<TestRun> {
  const preface: Answer = [{ type: 'message', text }, ...plan(tools, done)];
  const [outcome] = yield* execute(tools, preface, [project.testCommand], stateNote);
  return readTestRun(outcome ?? { type: 'exited', exitCode: 1, output: '' });
}

/** The tests that fail before any change; without any the story ends. */
export function* findFailures(tools: WorkingTools, project: Project): Story<FailedRun> {
  const { testCommand } = project;
  const run = yield* runTests(tools, project, `The tests run with \`${testCommand}\`. Let me see what fails.`, 1);
  switch (run.type) {
    case 'passed':
      return yield* finish(says(nothingToRepair(testCommand, run.count)));
    case 'could_not_run':
      return yield* finish(says(testsDoNotRun(testCommand, run.reason)));
    case 'failed':
      return run;
  }
}

/** Reads the failing tests' files, and all files of the project that they import, directly or not. */
export function* readCode(
  tools: WorkingTools,
  project: Project,
  failures: readonly TestFailure[],
): Story<{ readonly tests: ReadFiles; readonly sources: ReadFiles }> {
  const testPaths = failures.flatMap(({ places }) => pathIn(project, places.at(-1)) ?? []);
  const tests = yield* readFiles(tools, testPaths, [
    { type: 'reasoning', summary: `**Reading what is expected**\n\n${failures.map(inShort).join(' ')}` },
    {
      type: 'message',
      text: `${testNames(failures)} ${failures.length === 1 ? 'fails' : 'fail'}. I will read the test first.`,
    },
    ...plan(tools, 2),
  ]);
  const sources = new Map<string, string>();
  let wanted = importsOf(tests);
  while (wanted.length > 0 && sources.size < MOST_FILES) {
    const message = sources.size === 0 ? 'Now the code it exercises.' : 'And what that code relies on.';
    const found = yield* readFiles(tools, wanted, [{ type: 'message', text: message }]);
    for (const [path, text] of found) sources.set(path, text);
    wanted = importsOf(found).filter((path) => !sources.has(path) && !tests.has(path));
  }
  return { tests, sources };
}

/** Reads files in parallel; unreadable ones are left out. */
export function* readFiles(
  tools: WorkingTools,
  paths: readonly string[],
  preface: Answer,
  stateNote?: string,
): Story<Map<string, string>> {
  const unique = [...new Set(paths)];
  const commands = unique.map((path) => `cat ${shellWord(path)}`);
  const outcomes: readonly Finished[] = yield* execute(tools, preface, commands, stateNote);
  return new Map(
    unique.flatMap((path, index) => {
      const outcome = outcomes[index];
      return outcome?.exitCode === 0 ? [[path, outcome.output] as const] : [];
    }),
  );
}

function importsOf(files: ReadFiles): string[] {
  const imports = [...files].flatMap(([path, text]) => relativeImports(path, text));
  return [...new Set(imports.map((path) => (/\.\w+$/.test(path) ? path : `${path}.js`)))];
}

/** A place as a path relative to the root of the project. */
export function pathIn({ root }: Project, place: Place | undefined): string | undefined {
  return place?.path.startsWith(`${root}/`) ? place.path.slice(root.length + 1) : place?.path;
}

/** The call that shows the plan with its first `done` steps completed; nothing where the tool is not offered. */
export function plan(tools: WorkingTools, done: number): Answer {
  return tools.plan ? [{ type: 'call', call: planCall(done) }] : [];
}

function inShort({ name, expected, actual, message }: TestFailure): string {
  if (expected === undefined) return `"${name}" ended with: ${message}`;
  return `"${name}" expects ${inOneLine(expected)} and gets ${inOneLine(actual ?? 'undefined')}.`;
}
