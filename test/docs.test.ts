/** The pages name only files, sections, commands, scripts and settings that exist. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { eventMsgSchema } from '../src/protocol/event.ts';

const ROOT = path.join(import.meta.dirname, '..');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  .toString()
  .split('\n');
const places = new Set(tracked.flatMap((file) => [file, ...foldersOf(file)]));
const pages = tracked.filter((file) => file.endsWith('.md') && !file.includes('fixtures/'));
/** Returns true for a page that records findings or decisions of its time, with the names of its time. */
const isDated = (page: string) => /^docs\/(?:decisions|reference|design)|^CHANGELOG/.test(page);

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string }[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, unknown>> }[];
  };
};
const texts = JSON.parse(read('package.nls.json')) as Readonly<Record<string, string>>;
const { commands, configuration } = manifest.contributes;
const titles = new Set(commands.map(({ title }) => (texts[title.slice(1, -1)] ?? title).replace(/…$/, '')));
const ids = new Set([
  ...commands.map(({ command }) => command),
  ...configuration.flatMap(({ properties }) => Object.keys(properties)),
]);

it.each(pages)('%s links to files and sections that exist', (page) => {
  const links = allOf(read(page), /\]\(([^)\s]+)\)/g).filter((link) => !/^[a-z]+:/.test(link));
  expect(links.filter((link) => !isFound(page, link))).toEqual([]);
});

it.each(pages.filter((page) => !isDated(page)))('%s names files, commands, scripts and settings that exist', (page) => {
  const text = read(page);
  const files = allOf(text, /`((?:[\w.-]+\/)+[\w.-]+\.(?:tsx?|mjs|css))`/g);
  const named = allOf(text, /\*Tiller: ([^*]+)\*/g).map((name) => name.replaceAll(/\s+/g, ' ').replace(/…$/, ''));
  expect({
    files: files.filter((file) => !tracked.some((known) => `/${known}`.endsWith(`/${file}`))),
    commands: named.filter((name) => !titles.has(name)),
    scripts: allOf(text, /npm run ([\w:]+)/g).filter((name) => manifest.scripts[name] === undefined),
    ids: allOf(text, /`(tiller\.[\w.]+)`/g).filter((id) => !ids.has(id)),
  }).toEqual({ files: [], commands: [], scripts: [], ids: [] });
});

it('comments name commands that exist', () => {
  const sources = tracked.filter((file) => /^(?:src|webview-ui|test|scripts)\/.*\.(?:tsx?|mjs)$/.test(file));
  const named = sources.flatMap((file) =>
    allOf(read(file), /"Tiller: ([A-Z][^"\n]+)"/g).map((title) => ({ file, title })),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(({ title }) => !titles.has(title.replace(/…$/, '')))).toEqual([]);
});

it('titles of commands begin with a verb, in Title Case', () => {
  const words = [...titles].map((title) => title.split(' '));
  // VS Code's own commands begin with "New", too.
  const verbs = [
    ...[
      'Add',
      'Approve',
      'Ask',
      'Bring',
      'Comment',
      'Compact',
      'Delete',
      'Deny',
      'Discard',
      'Dismiss',
      'Edit',
      'Explain',
    ],
    ...['Export', 'Finish', 'Fix', 'Fork', 'Go', 'Import', 'Keep', 'Manage', 'New', 'Open', 'Pin', 'Redo', 'Reject'],
    ...['Remove', 'Rename', 'Report', 'Restore', 'Review', 'Rewind', 'Run', 'Select', 'Send', 'Set', 'Show', 'Start'],
    ...['Stop', 'Test', 'Toggle', 'Undo', 'Unpin', 'Use', 'Write'],
  ];
  const small = /^(?:a|an|and|as|at|by|for|from|in|of|on|or|the|to|with)$/;
  expect(words.filter(([first = '']) => !verbs.includes(first))).toEqual([]);
  expect(words.filter((all) => all.some((word) => !/^[A-Z]/.test(word) && !small.test(word)))).toEqual([]);
});

it('docs/cli.md names every event', () => {
  const names = eventMsgSchema.options.map(({ shape }) => shape.type.value);
  const page = read('docs/cli.md');
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
});

function allOf(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found);
}

function foldersOf(file: string): readonly string[] {
  const folder = path.posix.dirname(file);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}

function isFound(page: string, link: string): boolean {
  const [file = '', section] = link.split('#');
  const target = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
  if (!places.has(target.replace(/\/$/, ''))) return false;
  return section === undefined || !target.endsWith('.md') || sectionsOf(read(target)).includes(section);
}

/** The anchors that GitHub gives headings. */
function sectionsOf(text: string): readonly string[] {
  return allOf(text, /^#+ (.*)$/gm).map((heading) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
}
