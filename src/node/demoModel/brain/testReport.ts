/** Parses the output of Node's test runner: TAP (Node 20 and 22 into a pipe) or its spec format (24). */
import type { CommandOutcome } from './commandOutcome.ts';

/** A place in a file, as the runner printed it: often absolute. */
export interface Place {
  readonly path: string;
  readonly line: number;
}

export interface TestFailure {
  readonly name: string;
  /** The first line of the failure. */
  readonly message: string;
  /** The values as printed; absent when the runner did not print them. */
  readonly expected: string | undefined;
  readonly actual: string | undefined;
  /** Everything the runner printed about it. */
  readonly details: string;
  /** The stack, innermost place first; the runner's own frames are left out. */
  readonly places: readonly Place[];
}

export interface FailedRun {
  readonly type: 'failed';
  /** The number of tests, including those that passed. */
  readonly count: number;
  readonly failures: readonly TestFailure[];
}

export type TestRun =
  | { readonly type: 'passed'; readonly count: number }
  | FailedRun
  /** No test has failed, because none could run. */
  | { readonly type: 'could_not_run'; readonly reason: string };

export function readTestRun(outcome: Extract<CommandOutcome, { type: 'exited' }>): TestRun {
  const output = outcome.output.replaceAll('\r\n', '\n');
  // “ℹ” in a terminal.
  const count = Number(/^(?:# |\u2139 )tests (\d+)/m.exec(output)?.[1] ?? 0);
  if (outcome.exitCode === 0) return { type: 'passed', count };
  const sections = /^TAP version|^\s*not ok \d+/m.test(output) ? tapSections(output) : specSections(output);
  const failures = sections.filter((section) => !SECOND_HAND.test(section.body)).map(readFailure);
  if (failures.length > 0) return { type: 'failed', count, failures };
  return { type: 'could_not_run', reason: reasonIn(output) || `It ended with exit code ${outcome.exitCode}.` };
}

/** A group whose tests failed, or a file that could not be loaded: not a failing test itself. */
const SECOND_HAND = /failureType: 'subtestsFailed'|^\s*'?(?:error: ')?test failed'$/m;

interface Section {
  readonly name: string;
  readonly body: string;
}

function tapSections(output: string): Section[] {
  const matches = output.matchAll(/^( *)not ok \d+ - (.*)\n\1 {2}---\n([\s\S]*?)\n\1 {2}\.\.\.$/gm);
  return [...matches].map(([, , name = '', body = '']) => {
    const location = /^ *location: '(.*)'$/m.exec(body);
    return {
      name: name.replace(/ # .*$/, ''),
      body: `${body.replace(location?.[0] ?? '', '')}\n  at (${location?.[1]})`,
    };
  });
}

function specSections(output: string): Section[] {
  const details = output.slice(Math.max(0, output.lastIndexOf('failing tests:')));
  // “✖” is before the name of a test.
  const matches = details.matchAll(
    /^test at (.*)\n\u2716 (.*?)(?: \([\d.]+ms\))?\n([\s\S]*?)(?=\n\ntest at |$(?![\s\S]))/gm,
  );
  return [...matches].map(([, place = '', name = '', body = '']) => ({ name, body: `${body}\n  at (${place})` }));
}

function readFailure({ name, body }: Section): TestFailure {
  return {
    name,
    message: messageIn(body),
    expected: field(body, 'expected'),
    actual: field(body, 'actual'),
    details: body,
    places: placesIn(body),
  };
}

/** The value of a field and the indented lines that belong to it, in YAML or in an inspected object. */
function field(body: string, name: string): string | undefined {
  const match = new RegExp(`^( *)${name}:(.*(?:\\n(?:\\1 +\\S.*|\\1[\\]}],?))*)`, 'm').exec(body);
  return match?.[2]?.trim().replace(/,$/, '');
}

function messageIn(body: string): string {
  const quoted = /^ *error: (['"])(.*)\1$/m.exec(body)?.[2];
  if (quoted !== undefined) return quoted;
  const block = /^ *error: \|-\n *(.*)/m.exec(body)?.[1];
  return (block ?? body.trim().split('\n', 1)[0] ?? '').trim();
}

function placesIn(body: string): Place[] {
  const matches = body.matchAll(/(?:\(|\bat |^ *)(file:\/\/)?([^()\n]+?):(\d+):\d+\)?$/gm);
  return [...matches]
    .map(([, scheme, path = '', line]) => ({ path: scheme ? decodeURI(path) : path, line: Number(line) }))
    .filter(({ path }) => !path.startsWith('node:') && !path.includes('node_modules'));
}

/** The line with the reason: an error with its name, or a message of the shell. */
function reasonIn(output: string): string {
  const lines = output.split('\n').map((line) => line.replace(/^# ?/, '').trim());
  const telling = lines.find(
    (line) => /^\w*Error\b.*: /.test(line) || /not found|no such file|not recognized/i.test(line),
  );
  return telling ?? lines.findLast((line) => line !== '') ?? '';
}
