import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { mostTelling } from '../../../src/node/mcp/mostTelling.ts';

test('the most telling line of a log is the error of a Node program, and not the version that Node prints last', () => {
  const printed = stderrOf(process.execPath, ['/no/such/server.js']);
  expect(printed.trim().split('\n').at(-1)).toMatch(/^Node\.js v/);
  expect(mostTelling(printed.split('\n'))).toBe("Error: Cannot find module '/no/such/server.js'");
});

test.each([
  [['Traceback (most recent call last):', '  raise KeyError(1)', "ModuleNotFoundError: No module named 'mcp'"], 2],
  [["thread 'main' panicked at src/main.rs:2:5:", 'no home folder', 'note: run with RUST_BACKTRACE=1'], 0],
  [['Starting', 'Error: first', 'Error: second', '    at x (y.js:1)'], 2],
  [['Starting', 'cannot find my configuration', ''], 1],
])('the most telling line of %j is line %i', (lines, index) => {
  expect(mostTelling(lines)).toBe(lines[index]?.trim());
});

test('the most telling line is empty without a log', () => {
  expect(mostTelling([])).toBe('');
});

function stderrOf(program: string, args: readonly string[]): string {
  try {
    execFileSync(program, args, { stdio: 'pipe', encoding: 'utf8' });
  } catch (error) {
    if (error instanceof Error && 'stderr' in error && typeof error.stderr === 'string') return error.stderr;
  }
  throw new Error(`${program} did not fail`);
}
