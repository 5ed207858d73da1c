/**
 * The sample workspace: a small realistic Node project with one seeded bug, generated for every demo.
 *
 * The demo model has no information about it. A project is determined by a naming (its subject), a bug (the mistake)
 * and an offset (which helpers are above the bug, so that line numbers vary). The same choices give the same bytes.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { library } from './sample/library.mjs';
import { playlist } from './sample/playlist.mjs';
import { shop } from './sample/shop.mjs';
import { weather } from './sample/weather.mjs';

/** @typedef {'boundary' | 'off_by_one' | 'operator' | 'missing_await' | 'sort_order' | 'clamp'} Bug */
/** @typedef {'shop' | 'library' | 'weather' | 'playlist'} Naming */
/** @typedef {'failing' | 'repaired' | 'broken_test_runner' | 'broken_test_file'} Variant */
/** @typedef {{ bug: Bug, naming: Naming, offset: number, variant?: Variant }} Choices */
/** @typedef {{ path: string, right: string, wrong: string }} SeededBug */
/**
 * @typedef {object} Domain
 * @property {string} title
 * @property {string} about
 * @property {Readonly<Record<string, string>>} files  with a `//@filler` line where helpers may stand
 * @property {Readonly<Record<Bug, SeededBug>>} bugs
 * @property {readonly string[]} fillers
 */
/**
 * @typedef {object} Sample
 * @property {string} title
 * @property {Bug} bug
 * @property {Naming} naming
 * @property {number} offset
 * @property {Variant} variant
 * @property {SeededBug} seeded
 * @property {Record<string, string>} files  path to text
 */

/** @type {Readonly<Record<Naming, Domain>>} */
const DOMAINS = { shop, library, weather, playlist };

/** @type {readonly Bug[]} */
export const BUGS = ['boundary', 'off_by_one', 'operator', 'missing_await', 'sort_order', 'clamp'];
/** @type {readonly Naming[]} */
export const NAMINGS = ['shop', 'library', 'weather', 'playlist'];
/** The number of offsets: every subset of a domain's helpers. */
export const OFFSETS = 16;

/**
 * Every bug in every naming, each at another offset: the demo model must repair all of them. @type {readonly Choices[]}
 */
export const VARIANTS = NAMINGS.flatMap((naming, row) =>
  BUGS.map((bug, column) => ({ bug, naming, offset: (row * 5 + column * 7 + 3) % OFFSETS })),
);

/**
 * Generates a project. A number determines all choices, and every number gives a project; or pass the choices.
 * @param {number | Choices} seed @returns {Sample}
 */
export function generateSample(seed) {
  const { bug, naming, offset, variant = 'failing' } = typeof seed === 'number' ? choose(seed) : seed;
  const domain = DOMAINS[naming];
  const seeded = domain.bugs[bug];
  const fillers = domain.fillers.filter((_, index) => offset & (1 << index));

  /** @type {Record<string, string>} */
  const files = { 'package.json': manifest(domain, variant), 'README.md': readme(domain) };
  for (const [name, text] of Object.entries(domain.files)) {
    files[name] = text.replace('//@filler\n', () =>
      name === seeded.path ? fillers.map((f) => `${f}\n`).join('') : '',
    );
  }
  if (variant === 'failing') files[seeded.path] = replaceOnce(files[seeded.path] ?? '', seeded.right, seeded.wrong);
  if (variant === 'broken_test_file') breakTests(files);
  return { title: domain.title, bug, naming, offset, variant, seeded, files };
}

/**
 * Writes every file of the sample below `directory`, which is created if needed.
 * @param {string} directory
 * @param {Sample} sample
 */
export async function writeSample(directory, sample) {
  for (const [name, text] of Object.entries(sample.files)) {
    const file = path.join(directory, ...name.split('/'));
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** @param {number} seed @returns {Choices} */
function choose(seed) {
  if (!Number.isInteger(seed)) throw new Error(`${seed} is not a seed: use a whole number.`);
  const scrambled = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) >>> 0;
  const bug = BUGS[scrambled % BUGS.length];
  const naming = NAMINGS[Math.floor(scrambled / BUGS.length) % NAMINGS.length];
  return { bug, naming, offset: Math.floor(scrambled / 24) % OFFSETS };
}

/** @param {Domain} domain @param {Variant} variant */
function manifest(domain, variant) {
  const test = variant === 'broken_test_runner' ? `${domain.title}-checks --all` : 'node --test';
  const fields = { name: domain.title, version: '1.0.0', private: true, type: 'module', scripts: { test } };
  return `${JSON.stringify(fields, null, 2)}\n`;
}

/** @param {Domain} domain */
function readme(domain) {
  return `# ${domain.title}

${domain.about}

\`\`\`
npm test
\`\`\`
`;
}

/** Cuts every test file in half, so that none of them can be loaded. @param {Record<string, string>} files */
function breakTests(files) {
  for (const name of Object.keys(files)) {
    if (name.startsWith('test/')) files[name] = `${files[name]?.trimEnd().slice(0, -3)}\n`;
  }
}

/** @param {string} text @param {string} before @param {string} after */
function replaceOnce(text, before, after) {
  const parts = text.split(before);
  if (parts.length !== 2) throw new Error(`Expected "${before}" once, found it ${parts.length - 1} times.`);
  return parts.join(after);
}
