/** The test runners that Tiller knows: how a part of the tests is named, and how the output is read. */
import type { TestResults } from '../../../protocol/item.ts';
import { parseJest, parseMocha, parseVitest } from './jsParsers.ts';
import { parseCargo, parseGo, parsePytest } from './otherParsers.ts';

/** The part of the tests to run. Both as the model wrote them. */
export interface TestFilter {
  /** A file or a folder, relative to the folder of the command, with `/`. */
  readonly path?: string | undefined;
  readonly name?: string | undefined;
}

export interface TestRunner {
  /** Words behind the command; `undefined` where it cannot run such a part. */
  readonly words: (filter: TestFilter) => readonly string[] | undefined;
  /** `undefined` where the output has no summary of this runner. Without colours. */
  readonly parse?: (output: string) => TestResults | undefined;
  /** Recognizes the runner in a command line. */
  readonly isIn: RegExp;
  /** Runs it where a package has no command of its own. */
  readonly command?: string;
}

const pathThen =
  (flag: string) =>
  ({ path, name }: TestFilter) => [...(path === undefined ? [] : [path]), ...(name === undefined ? [] : [flag, name])];

export const TEST_RUNNERS = {
  vitest: { words: pathThen('-t'), parse: parseVitest, isIn: /\bvitest\b/, command: 'npx vitest run' },
  jest: { words: pathThen('-t'), parse: parseJest, isIn: /\bjest\b|\breact-scripts test\b/, command: 'npx jest' },
  mocha: { words: pathThen('-g'), parse: parseMocha, isIn: /\bmocha\b/, command: 'npx mocha' },
  node: {
    words: ({ path, name }) => [
      ...(name === undefined ? [] : [`--test-name-pattern=${name}`]),
      ...(path === undefined ? [] : [path]),
    ],
    isIn: /\bnode\b.*\s--test\b/,
  },
  pytest: { words: pathThen('-k'), parse: parsePytest, isIn: /\bpytest\b/ },
  go: {
    words: ({ path, name }) => [goPackage(path), ...(name === undefined ? [] : ['-run', name])],
    parse: parseGo,
    isIn: /\bgo test\b/,
  },
  cargo: { words: cargoWords, parse: parseCargo, isIn: /\bcargo (?:test|nextest)\b/ },
} as const satisfies Readonly<Record<string, TestRunner>>;

export type RunnerName = keyof typeof TEST_RUNNERS;

function goPackage(path: string | undefined): string {
  if (path === undefined || path === '.') return './...';
  const folder = path.endsWith('.go')
    ? path.replace(/[^/]*$/, '').replace(/\/$/, '')
    : `${path.replace(/\/$/, '')}/...`;
  return folder === '' ? '.' : `./${folder.replace(/^\.\//, '')}`;
}

/** Cargo selects by the names of tests and of files below `tests/`. */
function cargoWords({ path, name }: TestFilter): readonly string[] | undefined {
  const [, target] = path === undefined ? [] : (/(?:^|\/)tests\/([\w-]+)\.rs$/.exec(path) ?? []);
  if (path !== undefined && target === undefined) return undefined;
  return [...(target === undefined ? [] : ['--test', target]), ...(name === undefined ? [] : [name])];
}

export function runnerIn(commandLine: string): RunnerName | undefined {
  const names = Object.keys(TEST_RUNNERS) as RunnerName[];
  return names.find((name) => TEST_RUNNERS[name].isIn.test(commandLine));
}
