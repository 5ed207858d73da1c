/**
 * The demo model must not contain text of the samples. A text of a sample is every identifier longer than five
 * letters and every string of its files that is not a word of JavaScript or of Node itself, and every line of prose.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { join } from 'node:path';
import { it } from 'vitest';
import { generateSample, VARIANTS } from '../../support/sample.ts';

const SHORTEST = 6;
const SHORTEST_LINE = 20;
const KEYWORDS = 'default export extends function import instanceof return static switch typeof typedef'.split(' ');
const MANIFEST_WORDS = ['package.json', 'private', 'scripts', 'module', 'version', 'README.md'];
const require = createRequire(import.meta.url);

it('the source of the demo model contains no identifier, string or line of any sample', () => {
  const samples = VARIANTS.flatMap((choices) => [
    generateSample(choices),
    generateSample({ ...choices, offset: 15 }),
    generateSample({ ...choices, variant: 'repaired', offset: 0 }),
    generateSample({ ...choices, variant: 'broken_test_runner' }),
  ]);
  const texts = samples.flatMap(({ files, title }) => [title, ...Object.keys(files), ...Object.values(files)]);
  const known = vocabulary();
  const words = new Set(texts.flatMap(wordsOf).filter((word) => word.length >= SHORTEST && !known.has(word)));
  const lines = new Set(texts.flatMap(linesOf).filter((line) => line.length >= SHORTEST_LINE));
  assert.ok(words.size > 150 && lines.size > 150, `${words.size} words, ${lines.size} lines`);

  const source = brainSource();
  const spoken = new Set(source.match(/[A-Za-z_$][\w$]*/g));
  assert.deepEqual(
    [...words].filter((word) => (/^[\w$]+$/.test(word) ? spoken.has(word) : source.includes(word))),
    [],
  );
  assert.deepEqual(
    [...lines].filter((line) => source.includes(line)),
    [],
  );
});

/** Identifiers of the code (comments and strings left out), and strings as a whole. */
function wordsOf(text: string): string[] {
  const strings = [...text.matchAll(/(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g)].map(([, , inner = '']) => inner);
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*|(['"`])(?:\\.|(?!\1)[^\\\n])*\1/g, ' ');
  return [...strings, ...(looksLikeCode(text) ? (code.match(/[A-Za-z_$][\w$]*/g) ?? []) : [])];
}

function looksLikeCode(text: string): boolean {
  return /^(?:import|export)\b/m.test(text);
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const trimmed = line.trim();
    return /^import\b/.test(trimmed) ? [] : [trimmed];
  });
}

/** Every name that JavaScript and Node themselves use. */
function vocabulary(): ReadonlySet<string> {
  const globals = Object.getOwnPropertyNames(globalThis);
  const values = globals.flatMap((name) => {
    const value: unknown = Reflect.get(globalThis, name);
    return typeof value === 'function' ? [value, value.prototype as unknown] : [value];
  });
  const modules = builtinModules.filter((name) => !name.startsWith('_'));
  const library = [...values, Math, JSON, require('node:assert/strict'), require('node:test')];
  const members = library.flatMap((value) =>
    (typeof value === 'object' || typeof value === 'function') && value !== null
      ? Object.getOwnPropertyNames(value)
      : [],
  );
  return new Set([
    ...globals,
    ...members,
    ...KEYWORDS,
    ...MANIFEST_WORDS,
    ...modules,
    ...modules.map((name) => `node:${name}`),
    'node:assert/strict',
    'node --test',
  ]);
}

function brainSource(): string {
  const folder = join(import.meta.dirname, '../../../src/node/demoModel');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}
