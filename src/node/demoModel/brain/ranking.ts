/** Sorts the hypotheses by how well they explain the failing tests. */
import { type Hypothesis, hypothesesIn } from './hypotheses.ts';
import { AFFINITY } from './repairRules.ts';
import { blocksOf, type Block } from './source.ts';
import { type Symptom, symptomOf } from './symptom.ts';
import { numbersIn, testCasesOf, type TestCase } from './testCase.ts';
import type { TestFailure } from './testReport.ts';

/** The files that were read, from path to text. */
export type ReadFiles = ReadonlyMap<string, string>;

/** All plausible hypotheses, best first. Only code that a failing test can reach is considered. */
export function rankHypotheses(failures: readonly TestFailure[], tests: ReadFiles, sources: ReadFiles): Hypothesis[] {
  const blocks = [...sources].flatMap(([path, text]) => blocksOf(path, text));
  const cases = [...tests].flatMap(([path, text]) => testCasesOf(path, text));
  const failing = failures.flatMap((failure) => {
    const testCase = cases.find((each) => each.isAbout(failure));
    return testCase ? [{ failure, testCase, symptom: symptomOf(failure) }] : [];
  });
  const passing = cases.filter((each) => !failing.some(({ testCase }) => testCase === each));
  const constants = constantsIn(blocks);

  const scored = blocks.flatMap((block) => {
    const innocence = passing.some((testCase) => block.name !== undefined && testCase.words.has(block.name)) ? 0.8 : 1;
    return hypothesesIn(block).map((hypothesis) => ({
      hypothesis,
      score: failing.reduce((sum, { failure, testCase, symptom }) => {
        const nearness = nearnessTo(testCase, block, blocks) * (mentions(failure, block) ? 1.2 : 1);
        const fit =
          (AFFINITY[hypothesis.kind][symptom.type] ?? 0.05) * evidenceFor(hypothesis, symptom, testCase, constants);
        return sum + nearness * innocence * fit;
      }, 0),
    }));
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ hypothesis }) => hypothesis);
}

/** 1 for code that the test names itself, less for code that it reaches indirectly, 0 for other code. */
function nearnessTo(testCase: TestCase, block: Block, blocks: readonly Block[]): number {
  let reached = new Set(blocks.filter(({ name }) => name !== undefined && testCase.words.has(name)));
  for (const nearness of [1, 0.8, 0.65, 0.5]) {
    if (reached.has(block)) return nearness;
    const words = new Set([...reached].flatMap((each) => [...each.words]));
    reached = new Set(blocks.filter((each) => reached.has(each) || (each.name !== undefined && words.has(each.name))));
  }
  return 0;
}

function mentions(failure: TestFailure, block: Block): boolean {
  return failure.places.some(
    ({ path, line }) => path.endsWith(block.path) && line >= block.firstLine && line <= block.lastLine,
  );
}

/** A factor for evidence for a hypothesis (more than 1) or against it (less). */
function evidenceFor(
  { kind, effect, change, block }: Hypothesis,
  symptom: Symptom,
  testCase: TestCase,
  constants: ReadonlyMap<string, number>,
): number {
  if (kind === 'boundary') {
    const limits = limitsOn(change.before, constants);
    return limits.some((limit) => testCase.numbers.has(limit)) ? 1.6 : 1;
  }
  if (kind === 'await') return block.words.has('await') ? 1 : 2;
  if (symptom.type !== 'number') return 1;

  const { expected, actual } = symptom;
  const direction = effect !== undefined && actual > expected !== (effect === 'shrinks') ? 0.4 : 1;
  const known = new Set([...testCase.numbers, ...constants.values()]);
  switch (kind) {
    case 'sign':
      return direction * (known.has(Math.abs(actual - expected) / 2) ? 1.5 : 1);
    case 'extreme':
      return direction * (known.has(actual) || [...constants.values()].includes(expected) ? 1.5 : 1);
    case 'off_by_one':
    case 'start':
    case 'rounding':
      return Math.abs(actual - expected) <= 1 ? 2 : 0.8;
    default:
      return direction;
  }
}

/** The numbers that a line compares with, literal or by the name of a constant. */
function limitsOn(line: string, constants: ReadonlyMap<string, number>): number[] {
  const named = (line.match(/[A-Za-z_$][\w$]*/g) ?? []).flatMap((word) => constants.get(word) ?? []);
  return [...named, ...numbersIn(line)];
}

function constantsIn(blocks: readonly Block[]): Map<string, number> {
  const declarations = blocks.flatMap(({ code }) => {
    const [, name, digits] = /^(?:export )?const (\w+) = (-?[\d_.]+);/.exec(code[0] ?? '') ?? [];
    return name !== undefined && digits !== undefined ? [[name, Number(digits.replaceAll('_', ''))] as const] : [];
  });
  return new Map(declarations);
}
