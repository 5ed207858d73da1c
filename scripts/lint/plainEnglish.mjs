// Counts words that hide who is meant in comments and test titles (docs/glossary.md, CONTRIBUTING.md). The numbers in
// plainEnglish.json only go down: `--update` writes lower ones, and the check fails when one is higher.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(import.meta.dirname, '../..');
const baselineFile = path.join(import.meta.dirname, 'plainEnglish.json');

const BANNED = {
  'whoever, whatever': /\bwho(?:so)?ever\b/gi,
  'somebody, nobody, everybody': /\b(?:some|no|every|any)body\b/gi,
  'is told': /\b(?:is|are|was|were|be|been|being) told\b/gi,
  'hears, heard': /\bhear(?:s|d|ing)?\b/gi,
  'the person': /\b(?:the|a|this) person(?:[’']s)?\b/gi,
  'what waits': /\bwhat waits\b/gi,
  'dies, died, born': /\b(?:dies|died|dying|born)\b/gi,
  'hands (for ports)': /\b(?:our|the|its) hands\b/gi,
  'a spelling with -ise (we write recognize, authorize)':
    /\b\w*(?:ecognis|uthoris|ummaris|ormalis|erialis|nitialis|inimis|ynchronis|anitis|rganisation)\w*/gi,
  'a paper that is not in the repository': /\b(?:issue \d+|seed 00\d|contract\.md|house\.md)\b/gi,
  'a doc comment that begins with What, Whether, How, Why, Where, Who, Of, Those, That, Says or Tells':
    /\/\*\*[\s*]*(?:What|Whether|How|Why|Where|Who|Of|Those|That|Says|Tells)\b/g,
  'a line comment that begins with What, Whether, How, Why, Where, Who, Of, Those or That':
    /^\/\/ (?:What|Whether|How|Why|Where|Who|Of|Those|That)\b/gm,
};
const PREPOSITION = 'To|From|In|As|With|Without|For|By|Under|At|On|Above|Below|Until|Till|Up to';
/** A doc comment and the beginning of the function or method below it. */
const BANNED_BEFORE_FUNCTIONS = {
  'a doc comment of a function that begins with a preposition': new RegExp(
    String.raw`^[ \t]*/\*\*[\s*]*(?:${PREPOSITION})\b(?:(?!\*/)[\s\S])*\*/\s*` +
      String.raw`(?:(?:export |default )*(?:async )?function\b|(?:static |async |get )*#?\w+\([^;]*?\)[^;{}]* \{\n)`,
    'gm',
  ),
};

/** @param {string} text a source file */
export function commentsAndTitles(text) {
  const comments = [...text.matchAll(/\/\*[\s\S]*?\*\/|(?<![:'"`\w/])\/\/[^\n]*/g)].map(([comment]) => comment);
  const titles = [
    ...text.matchAll(/\b(?:it|test|describe|suite)(?:\.\w+(?:\([^)]*\))?)?\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*?)\1/g),
  ].map(([, , title]) => title);
  return [...comments, ...titles].join('\n');
}

/** Yields each fault of a source file with the text at its place. */
function* findBanned(text) {
  const prose = commentsAndTitles(text);
  for (const [read, patterns] of [
    [prose, BANNED],
    [text, BANNED_BEFORE_FUNCTIONS],
  ]) {
    for (const [name, pattern] of Object.entries(patterns)) {
      for (const { index } of read.matchAll(pattern)) yield { name, excerpt: excerpt(read, index) };
    }
  }
}

/** @param {readonly string[]} texts */
export function countBanned(texts) {
  const names = [...Object.keys(BANNED), ...Object.keys(BANNED_BEFORE_FUNCTIONS)];
  const counts = Object.fromEntries(names.map((name) => [name, 0]));
  for (const text of texts) {
    for (const { name } of findBanned(text)) counts[name]++;
  }
  return counts;
}

/** Returns one line for each word whose number went up. */
export function tooMany(counts, baseline) {
  return Object.entries(counts).flatMap(([name, count]) =>
    count > (baseline[name] ?? 0) ? [`“${name}”: ${count}, at most ${baseline[name] ?? 0}`] : [],
  );
}

/** The line at this place, and the next one where it only opens a comment. */
function excerpt(prose, index) {
  const [line = '', next = ''] = prose.slice(prose.lastIndexOf('\n', index) + 1).split('\n');
  return (line.trim() === '/**' ? `${line} ${next}` : line).trim();
}

function main() {
  const files = execFileSync('git', ['ls-files', 'src', 'webview-ui', 'test', 'scripts'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => /\.(?:tsx?|mjs|js)$/.test(file) && !file.includes('fixtures/') && !file.includes('plainEnglish'));
  const texts = files.map((file) => readFileSync(path.join(root, file), 'utf8'));
  const counts = countBanned(texts);
  if (process.argv.includes('--where')) {
    for (const [at, file] of files.entries()) {
      for (const { excerpt: line } of findBanned(texts[at] ?? '')) console.log(`${file}: ${line}`);
    }
  }
  const baseline = JSON.parse(readFileSync(baselineFile, 'utf8'));
  const problems = tooMany(counts, baseline);
  if (process.argv.includes('--update') && problems.length === 0) {
    writeFileSync(baselineFile, `${JSON.stringify(counts, null, 2)}\n`);
  }
  if (problems.length === 0) return;
  console.error('Words that do not say who is meant (docs/glossary.md has the terms; --where lists the lines):');
  for (const problem of problems) console.error(`  ${problem}`);
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
