/** Single tests inside a test file. */
import { blocksOf, codeOnly } from './source.ts';
import type { TestFailure } from './testReport.ts';

export interface TestCase {
  readonly path: string;
  readonly firstLine: number;
  readonly lastLine: number;
  /** Every identifier it uses. */
  readonly words: ReadonlySet<string>;
  /** Every number it uses, those of the file's constants it names included. */
  readonly numbers: ReadonlySet<number>;
  /** True when this is the test that failed. */
  isAbout(failure: TestFailure): boolean;
}

/** Finds the calls of `test` and `it` in a file; each reaches to the next one. Lines count from 1. */
export function testCasesOf(path: string, text: string): TestCase[] {
  const lines = text.split('\n');
  const code = codeOnly(text).split('\n');
  const constants = blocksOf(path, text).filter(({ name }) => name !== undefined);
  const starts = code.flatMap((line, index) => (/^\s*(?:test|it)\b[\w.]*\(/.test(line) ? [index] : []));
  return starts.map((start, index) => {
    const firstLine = start + 1;
    const lastLine = starts[index + 1] ?? lines.length;
    const own = code.slice(start, lastLine).join('\n');
    const words = new Set(own.match(/[A-Za-z_$][\w$]*/g));
    const named = constants.filter(({ name }) => name !== undefined && words.has(name));
    return {
      path,
      firstLine,
      lastLine,
      words,
      numbers: new Set([own, ...named.map((block) => block.code.join('\n'))].flatMap(numbersIn)),
      isAbout: (failure) =>
        failure.places.some(
          (place) => place.path.endsWith(path) && place.line >= firstLine && place.line <= lastLine,
        ) || (lines[start] ?? '').includes(failure.name),
    };
  });
}

/** Returns the number literals in their order. */
export function numbersIn(code: string): number[] {
  return [...code.matchAll(/(?<![\w.$])\d[\d_]*(?:\.\d+)?/g)].map(([digits]) => Number(digits.replaceAll('_', '')));
}
