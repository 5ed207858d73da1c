/**
 * The output of pytest 9, go test and cargo test, without colours. Each returns `undefined` where the output has no such
 * summary. test/fixtures/testRuns has outputs with their sources.
 */
import type { TestFailure, TestResults } from '../../../protocol/item.ts';
import { countIn, placeIn } from './testReport.ts';

/** Reads the short summary at the end; errors of collection count as failed. */
export function parsePytest(output: string): TestResults | undefined {
  const lines = output.split('\n');
  const summary = lines.findLast((line) =>
    /^=+ .*\b(?:passed|failed|errors?|skipped|no tests ran|deselected)\b.* =+$/.test(line),
  );
  if (summary === undefined) return undefined;
  const sections = pytestSections(lines);
  const failures = lines.flatMap((line): readonly TestFailure[] => {
    const [, kind, id, short = ''] = /^(FAILED|ERROR) (\S+(?:\[.*?\])?)(?: - (.*))?$/.exec(line) ?? [];
    if (kind === undefined || id === undefined) return [];
    const [file = '', ...names] = id.split('::');
    const name = names.join('::');
    const section = sections.find(({ title }) => isSectionOf(title, names, file));
    const message = section?.body
      .filter((each) => each.startsWith('E '))
      .map((each) => each.slice(1).replace(/^ {1,7}/, ''));
    const places = section?.body.filter((each) => /^\S+\.py:\d+:/.test(each)) ?? [];
    const place = placeIn(places.filter((each) => each.startsWith(`${file}:`)).concat(places));
    return [
      {
        name: name === '' ? file : name.replaceAll('::', ' > '),
        ...(place.path === undefined ? { path: file } : place),
        message: (message ?? []).join('\n').trim() || short,
      },
    ];
  });
  const errors = countIn(summary, 'errors?');
  return {
    passed: countIn(summary, 'passed'),
    failed: countIn(summary, 'failed') + errors,
    skipped: countIn(summary, 'skipped') + countIn(summary, 'xfailed'),
    failures,
  };
}

interface Section {
  readonly title: string;
  readonly body: readonly string[];
}

/** The parts below `_____ name _____`. */
function pytestSections(lines: readonly string[]): readonly Section[] {
  const sections: { title: string; body: string[] }[] = [];
  for (const line of lines) {
    const [, title] = /^_{2,} (.+?) _{2,}$/.exec(line) ?? [];
    if (title !== undefined && !/^[_ ]+$/.test(title)) sections.push({ title, body: [] });
    else if (/^=+ .* =+$/.test(line)) sections.push({ title: '', body: [] });
    else sections.at(-1)?.body.push(line);
  }
  return sections;
}

function isSectionOf(title: string, names: readonly string[], file: string): boolean {
  if (names.length === 0) return title === `ERROR collecting ${file}`;
  return (
    title === names.join('.') ||
    (/^ERROR at (?:setup|teardown) of /.test(title) && title.endsWith(` ${names.join('.')}`))
  );
}

/** Counts passed packages as passed tests where there is no `-v`; a package that cannot be built is one failed test. */
export function parseGo(output: string): TestResults | undefined {
  const lines = output.split('\n');
  if (!lines.some((line) => /^(?:ok|FAIL|---|\?) ?\s/.test(line) || line === 'FAIL' || line === 'PASS'))
    return undefined;
  // It ends the tests of its package: the results so far are unknown.
  if (lines.some((line) => line.startsWith('panic: '))) return undefined;
  const failures: TestFailure[] = [];
  const failed = lines.flatMap((line) => /^ *--- FAIL: (\S+)/.exec(line)?.[1] ?? []);
  let open: { readonly name: string; readonly indent: number; readonly body: string[] } | undefined;
  const close = () => {
    if (open === undefined) return;
    const { name, body } = open;
    open = undefined;
    // A test fails with its subtest, without lines of its own.
    const isLeaf = !failed.some((other) => other.startsWith(`${name}/`));
    if (isLeaf || body.length > 0)
      failures.push({ name, ...placeIn(body.map((line) => ` ${line}`)), message: body.join('\n') });
  };
  let building = '';
  for (const line of lines) {
    const [, space = '', result, name] = /^( *)--- (FAIL|PASS|SKIP): (\S+)/.exec(line) ?? [];
    if (name !== undefined) {
      close();
      if (result === 'FAIL') {
        open = { name, indent: space.length, body: [] };
      }
    } else if (/^(?:FAIL|PASS|ok|\?|===|exit status)/.test(line)) close();
    else if (open !== undefined && line.startsWith(' '.repeat(open.indent + 4))) open.body.push(line.trim());
    const [, pkg] = /^# (\S+)/.exec(line) ?? [];
    if (pkg !== undefined) building = pkg;
    const [, broken] = /^FAIL\t(\S+) \[(?:build|setup) failed\]$/.exec(line) ?? [];
    if (broken === undefined) continue;
    const from = lines.findIndex((each) => each.startsWith(`# ${building}`));
    const errors = lines.slice(from + 1).filter((each) => /^\S+\.go:\d+/.test(each));
    failures.push({ name: broken, ...placeIn(errors), message: errors.join('\n') });
  }
  close();
  const passed = lines.filter((line) => /^ *--- PASS: /.test(line)).length;
  return {
    // Without -v only packages are named.
    passed: passed > 0 ? passed : lines.filter((line) => /^ok\s/.test(line)).length,
    failed: failures.length,
    skipped: lines.filter((line) => /^ *--- SKIP: /.test(line)).length,
    failures,
  };
}

/** Adds up the test binaries; an error of the compiler counts as a failed test. */
export function parseCargo(output: string): TestResults | undefined {
  const totals = [...output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/gm)];
  const compile = [...output.matchAll(/^error(?:\[E\d+\])?: (.+)\n\s+--> (\S+):(\d+):\d+/gm)];
  if (totals.length === 0 && compile.length === 0) return undefined;
  const sum = (at: number) => totals.reduce((all, counts) => all + Number(counts[at]), 0);
  const failures = [...output.matchAll(/^---- (.+?) stdout ----\n([\s\S]*?)(?=^---- |^failures:$)/gm)].map(
    ([, name = '', body = '']): TestFailure => {
      const [, path, line] = /panicked at (\S+?):(\d+):\d+:?/.exec(body) ?? [];
      const message = body
        .replace(/^stack backtrace:[\s\S]*/m, '')
        .replace(/^note: .*$/gm, '')
        .replace(/^thread .* panicked at .*$/gm, '')
        .trim();
      return { name, ...(path === undefined ? {} : { path, line: Number(line) }), message };
    },
  );
  const broken = compile.map(([, message = '', path = '', line]): TestFailure => {
    return { name: 'does not compile', path, line: Number(line), message };
  });
  return { passed: sum(1), failed: sum(2) + broken.length, skipped: sum(3), failures: [...broken, ...failures] };
}
