/**
 * The output of vitest 4, jest 30 and mocha 12 with their usual reporters, without colours. Each returns `undefined` where
 * the output has no such summary. test/fixtures/testRuns has outputs with their sources.
 */
import type { TestFailure, TestResults } from '../../../protocol/item.ts';
import { countIn, placeIn } from './testReport.ts';

/** A line of dashes, “⎯”. */
const RULE = /^\u23af+(?:\[\d+\/\d+\]\u23af*)?$/;

/** Counts a file that cannot be loaded as one failed test. */
export function parseVitest(output: string): TestResults | undefined {
  const lines = output.split('\n');
  // With several runs in one command the count of one of them would hide the failures of another.
  if (lines.filter((line) => /^\s*Test Files\s/.test(line)).length !== 1) return undefined;
  const tests = lines.findLast((line) => /^\s*Tests\s/.test(line)) ?? '';
  const failures: TestFailure[] = [];
  let names: string[] = [];
  let body: string[] = [];
  const close = () => {
    for (const name of names) failures.push(vitestFailure(name, body));
    [names, body] = [[], []];
  };
  for (const line of lines) {
    const [, name] = /^ FAIL {2}(.+)$/.exec(line) ?? [];
    if (name !== undefined) {
      if (body.length > 0) close();
      names.push(name);
    } else if (RULE.test(line.trim())) close();
    else if (names.length > 0) body.push(line);
  }
  close();
  const broken = failures.length - countIn(tests, 'failed');
  return {
    passed: countIn(tests, 'passed'),
    // A file that cannot be loaded has no tests.
    failed: countIn(tests, 'failed') + Math.max(0, broken),
    skipped: countIn(tests, 'skipped') + countIn(tests, 'todo'),
    failures,
  };
}

function vitestFailure(written: string, body: readonly string[]): TestFailure {
  const [file = '', ...titles] = written.replace(/ \[ .* \]$/, '').split(' > ');
  const frames = body.filter((line) => line.startsWith(' ❯ ')).map((line) => line.slice(3));
  const own = frames.find((frame) => frame.includes(file));
  const message = body
    .slice(
      0,
      firstAt(body, (line) => line.startsWith(' ❯ ')),
    )
    .join('\n');
  return {
    name: titles.length === 0 ? file : titles.join(' > '),
    ...placeOr(own === undefined ? frames : [own], file),
    message: message.trim(),
  };
}

/** Counts a suite that cannot be loaded as one failed test, with the name of its file. */
export function parseJest(output: string): TestResults | undefined {
  const tests = output.split('\n').findLast((line) => /^Tests:\s/.test(line));
  if (tests === undefined) return undefined;
  const failures: TestFailure[] = [];
  const blocks = output.split(/^(?=(?:FAIL|PASS) \S)/m);
  for (const block of blocks) {
    const [, file = ''] = /^FAIL (\S+)/.exec(block) ?? [];
    if (file === '') continue;
    // “●” is before the name of a test.
    for (const part of block.split(/^(?= {2}\u25cf )/m).slice(1)) {
      // The output that the tests of the file have printed.
      if (/^ {2}\u25cf Console\s*$/.test(part.split('\n', 1)[0] ?? '')) continue;
      const [head = '', ...body] = part.split(/\n(?=Test Suites:)/)[0]?.split('\n') ?? [];
      failures.push(jestFailure(head.slice('  ● '.length), file, body));
    }
  }
  // With several files jest repeats the failures at its end.
  const unique = [...new Map(failures.map((failure) => [`${failure.path}\n${failure.name}`, failure])).values()];
  const broken = unique.filter(({ name }) => name === SUITE).length;
  return {
    passed: countIn(tests, 'passed'),
    failed: countIn(tests, 'failed') + broken,
    skipped: countIn(tests, 'skipped') + countIn(tests, 'todo'),
    failures: unique.map((failure) => (failure.name === SUITE ? { ...failure, name: failure.path ?? SUITE } : failure)),
  };
}

const SUITE = 'Test suite failed to run';

function jestFailure(title: string, file: string, body: readonly string[]): TestFailure {
  const frames = body.filter((line) => /^\s+at /.test(line));
  const own = frames.find((frame) => frame.includes(file));
  const end = firstAt(body, (line) => /^\s+(?:at |>? *\d+ \|)/.test(line));
  const message = body.slice(0, end).map((line) => line.replace(/^ {4}/, ''));
  const name = title.trim();
  return {
    name: name === SUITE ? SUITE : name.replaceAll(' › ', ' > '),
    ...(name === SUITE ? { path: file, ...lineOf(own) } : placeOr(own === undefined ? frames : [own], file)),
    message: message.join('\n').trim(),
  };
}

function lineOf(frame: string | undefined): Pick<TestFailure, 'line'> {
  const { line } = placeIn(frame === undefined ? [] : [frame]);
  return line === undefined ? {} : { line };
}

/** Reads the summary at the end; a test is named by its suites and its title. */
export function parseMocha(output: string): TestResults | undefined {
  if (!/^ {2}\d+ passing\b/m.test(output)) return undefined;
  const summary = output.slice(output.search(/^ {2}\d+ passing\b/m));
  const failures = summary
    .split(/^(?= {2}\d+\) )/m)
    .slice(1)
    .map((part): TestFailure => {
      const lines = part.split('\n');
      const end = lines.findIndex((line) => line.endsWith(':'));
      const titles = lines.slice(0, end + 1).map((line) => line.trim().replace(/^\d+\) /, ''));
      const body = lines.slice(end + 1);
      const frames = body.filter((line) => /^\s+at /.test(line));
      const own = frames.find((frame) => /\bContext\.|[\\/](?:test|tests|spec)[\\/]|\.(?:test|spec)\./.test(frame));
      const message = body.slice(
        0,
        firstAt(body, (line) => /^\s+at /.test(line)),
      );
      return {
        name: titles.join(' > ').replace(/:$/, ''),
        ...placeIn(own === undefined ? frames : [own, ...frames]),
        message: message
          .map((line) => line.replace(/^ {5,6}/, ''))
          .join('\n')
          .trim(),
      };
    });
  return {
    passed: countIn(summary, 'passing'),
    failed: countIn(summary, 'failing'),
    skipped: countIn(summary, 'pending'),
    failures,
  };
}

function placeOr(frames: readonly string[], file: string): Pick<TestFailure, 'path' | 'line'> {
  const found = placeIn(frames);
  return found.path === undefined ? { path: file } : found;
}

/** The index of the first line, or the number of lines. */
function firstAt(lines: readonly string[], is: (line: string) => boolean): number {
  const index = lines.findIndex(is);
  return index === -1 ? lines.length : index;
}
