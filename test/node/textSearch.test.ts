/** Searches with ripgrep find what reading every file finds (core/tools/files/searchFiles.ts). */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readGuard } from '../../src/core/tools/files/readGuard.ts';
import { ripgrepPattern } from '../../src/core/tools/files/ripgrepPattern.ts';
import { type SearchContext, searchFiles } from '../../src/core/tools/files/searchFiles.ts';
import type { TextSearch } from '../../src/core/ports.ts';
import { createDiskWorkspace } from '../../src/node/apply/diskWorkspace.ts';
import { systemClock } from '../../src/node/host/clock.ts';
import { createRegexps } from '../../src/node/host/regexps.ts';
import { createTextSearch, findRipgrep } from '../../src/node/host/textSearch.ts';
import { ripgrep } from '../support/ripgrep.ts';
import { rounds } from '../support/rounds.ts';
import { type TempFolder, tempFolder } from '../support/tempFolder.ts';

const PROGRAM = process.platform === 'win32' ? 'rg.exe' : 'rg';

function contextIn(folder: TempFolder, textSearch: TextSearch | undefined, limitMs = 600_000) {
  const context: Pick<SearchContext, 'regexps' | 'textSearch' | 'workspace' | 'clock' | 'signal'> = {
    regexps: createRegexps(limitMs),
    textSearch,
    workspace: createDiskWorkspace({ roots: [folder.path], home: folder.at('home') }),
    clock: systemClock,
    signal: new AbortController().signal,
  };
  // Only these fields of the other parts are read.
  const settings = { cwd: folder.path } as SearchContext['settings'];
  const host = { platform: 'linux', homeDirectory: '/nowhere' } as SearchContext['host'];
  return { ...context, settings, host, thread: { id: 't', home: '/nowhere', unreadable: [] } } satisfies SearchContext;
}

interface Asked {
  readonly pattern: string;
  readonly include?: string;
  /** Below the folder. */
  readonly at?: string;
  readonly isFolder?: boolean;
}

async function search(
  { pattern, include, at = '', isFolder = true }: Asked,
  folder: TempFolder,
  context: SearchContext,
) {
  const guard = await readGuard(
    { cwd: folder.path, unreadable: [], home: folder.at('home') },
    { host: { platform: 'linux', homeDirectory: '/home/u' }, workspace: context.workspace },
  );
  const place = path.join(folder.path, at);
  const outcome = await searchFiles({ pattern, include, place, isFolder, guard, limit: 2_000 }, context);
  if (outcome.type !== 'found') return outcome;
  return { ...outcome, files: outcome.files.map((file) => path.relative(folder.path, file)).toSorted() };
}

function write(folder: TempFolder, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(folder.at(name)), { recursive: true });
    writeFileSync(folder.at(name), text);
  }
}

describe.skipIf(ripgrep === undefined)('a search with ripgrep', () => {
  const withRipgrep = createTextSearch(ripgrep ?? {});

  it('finds the same files as one that reads them, in any tree with any ignore rules', async () => {
    const names = ['a.ts', 'b.md', '.hidden', '.env', 'key.pem', 'c d.ts', '-x.ts', 'é.ts'];
    const folders = ['', 'src', 'src/deep', '.dot', 'dist', 'node_modules/p', '.git', 'venv'];
    const rule = fc.constantFrom(
      '*.ts',
      '!a.ts',
      'dist',
      '/src',
      'deep/',
      '!deep/',
      '*.md',
      '**/b.md',
      'src/**',
      '# x',
      'c\\ d.ts',
      '.*',
      '!.hidden',
      '[ab].*',
      '',
    );
    const text = fc.constantFrom(
      'word\n',
      'Word',
      'a word\r\nend\r\n',
      '',
      '\n',
      'w\nord\n',
      'éword é\n',
      'x\0word\n',
      '\ufeffword\n',
      'foo_bar 12\n',
      '[x]&~\n',
    );
    const pattern = fc.constantFrom(
      'word',
      '^word$',
      '\\bword\\b',
      'w.rd',
      'wor[a-d]',
      '^$',
      '\\w+_\\w+',
      '\\d{2}',
      'x|end$',
      '(?=word)w',
      '\\Word',
      '[[x]',
      '[&~]',
      '\\s\\S',
      'a{2',
      '[^\\w\\s]',
      'w\\nord',
      'é',
    );
    const file = fc.tuple(fc.constantFrom(...folders), fc.constantFrom(...names), text);
    const rules = fc.tuple(fc.constantFrom('', 'src', 'src/deep', '.dot'), fc.array(rule, { maxLength: 4 }));
    const include = fc.constantFrom(undefined, '*.ts', '*.{ts,md}', 'src/**', '**/deep/*', '[a-b].*');
    await fc.assert(
      fc.asyncProperty(
        fc.array(file, { maxLength: 10 }),
        fc.array(rules, { maxLength: 3 }),
        pattern,
        include,
        fc.constantFrom('', 'src', '.dot', 'src/deep'),
        async (files, ignores, asked, wanted, at) => {
          using folder = tempFolder();
          for (const inner of folders) mkdirSync(folder.at(inner), { recursive: true });
          for (const [inner, name, content] of files) writeFileSync(folder.at(inner, name), content);
          for (const [inner, lines] of ignores) writeFileSync(folder.at(inner, '.gitignore'), lines.join('\n'));
          symlinkSync(folder.at('src'), folder.at('link'));
          const request = { pattern: asked, at, ...(wanted === undefined ? {} : { include: wanted }) };
          const read = await search(request, folder, contextIn(folder, undefined));
          expect(await search(request, folder, contextIn(folder, withRipgrep))).toEqual(read);
        },
      ),
      { numRuns: rounds(60, 2_000) },
    );
  });

  it('takes ASCII for words, as JavaScript does, and ignores by the rules above the folder', async () => {
    using folder = tempFolder();
    write(folder, { '.gitignore': '*.log\n', 'src/a.txt': 'éword\n', 'src/b.txt': 'é\n', 'src/c.log': 'word\n' });
    for (const textSearch of [undefined, withRipgrep]) {
      const files = async (pattern: string) =>
        search({ pattern, at: 'src' }, folder, contextIn(folder, textSearch)).then(
          (found) => 'files' in found && found.files,
        );
      expect(await files('\\bword\\b')).toEqual(['src/a.txt']);
      expect(await files('^\\W$')).toEqual(['src/b.txt']);
    }
  });

  it('leaves out files with secrets, and reads the text of editors', async () => {
    using folder = tempFolder();
    write(folder, { '.env': 'KEY\n', 'sub/key.pem': 'KEY\n', 'a.txt': 'KEY\n', 'b.txt': 'none\n', 'c.txt': 'KEY\n' });
    const context = contextIn(folder, withRipgrep);
    const unsaved = new Map([
      [folder.at('b.txt'), 'KEY\n'],
      [folder.at('c.txt'), 'none\n'],
      [folder.at('sub/key.pem'), 'KEY\n'],
    ]);
    const workspace: SearchContext['workspace'] = {
      ...context.workspace,
      unsavedTexts: () => [...unsaved.keys()],
      async readPlaces(places, signal) {
        const read = await context.workspace.readPlaces(places, signal);
        return new Map(
          [...read].map(([file, content]) => {
            const text = unsaved.get(file);
            return [file, text === undefined || !('text' in content) ? content : { ...content, text }];
          }),
        );
      },
    };
    expect(await search({ pattern: 'KEY' }, folder, { ...context, workspace })).toEqual({
      type: 'found',
      files: ['a.txt', 'b.txt'],
      tooLarge: [],
      isComplete: true,
    });
  });

  it('takes what only ripgrep knows, one file, and a pattern that JavaScript needs too long for', async () => {
    using folder = tempFolder();
    write(folder, { 'a.txt': 'WORD\n', 'b.txt': 'word\n', 'slow.txt': `${'a'.repeat(60)}b\n`, '-x.txt': 'word\n' });
    const context = contextIn(folder, withRipgrep, 1_000);
    const found = (...files: string[]) => ({ type: 'found', files, tooLarge: [], isComplete: true });
    expect(await search({ pattern: '(?i)^word$' }, folder, context)).toEqual(found('-x.txt', 'a.txt', 'b.txt'));
    expect(await search({ pattern: 'word', at: '-x.txt', isFolder: false }, folder, context)).toEqual(found('-x.txt'));
    expect(await search({ pattern: '(' }, folder, context)).toMatchObject({ type: 'invalid' });
    expect(await search({ pattern: '^(a|aa)+$|b$' }, folder, context)).toEqual(found('slow.txt'));
  });

  it('ends with its signal', async () => {
    using folder = tempFolder();
    const stop = new AbortController();
    // In its place a program that never ends.
    write(folder, { [`bin/${PROGRAM}`]: '#!/bin/sh\necho $$ > "$0.pid"\nexec sleep 600\n', 'bin/a': '' });
    chmodSync(folder.at('bin', PROGRAM), 0o755);
    const endless = createTextSearch({ searchPath: folder.at('bin') });
    const request = {
      pattern: 'x',
      place: folder.path,
      neverEntered: [],
      untrusted: [],
      maxFiles: 1,
      timeoutMs: 600_000,
    };
    const searching = endless.find(request, stop.signal);
    const pid = await spawned(folder.at('bin', `${PROGRAM}.pid`));
    stop.abort(new Error('stopped'));
    await expect(searching).rejects.toThrow('stopped');
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

/** The pid that a program writes there when it starts. */
async function spawned(file: string): Promise<number> {
  const follow = spawn('/bin/sh', ['-c', 'until [ -s "$1" ]; do sleep 0.05; done; cat "$1"', 'sh', file]);
  let text = '';
  for await (const chunk of follow.stdout) text += String(chunk);
  return Number(text);
}

it('a ripgrep in a folder of the workspace is not used, one of VS Code comes first', () => {
  using folder = tempFolder();
  const place = ['node_modules/@vscode/ripgrep-universal/bin', `${process.platform}-${process.arch}`].join('/');
  write(folder, { [`w/bin/${PROGRAM}`]: '', [`usr/bin/${PROGRAM}`]: '', [`code/${place}/${PROGRAM}`]: '' });
  for (const name of readdirSync(folder.path, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith(PROGRAM)) chmodSync(folder.at(name), 0o755);
  }
  const searchPath = ['bin', folder.at('w/bin'), folder.at('usr/bin')].join(path.delimiter);
  const untrusted = [folder.at('w')];
  expect(findRipgrep({ searchPath }, untrusted)).toBe(folder.at('usr/bin', PROGRAM));
  expect(findRipgrep({ searchPath, appRoot: folder.at('code') }, untrusted)).toBe(folder.at('code', place, PROGRAM));
  expect(findRipgrep({ appRoot: folder.at('none') }, [])).toBeUndefined();
});

it('a pattern is translated where the two differ', () => {
  expect(ripgrepPattern('\\bé\\w[\\w\\b[&]\\/\\\\b')).toBe('(?-u:\\b)é[0-9A-Za-z_][0-9A-Za-z_\\x08\\[\\&]/\\\\b');
});
