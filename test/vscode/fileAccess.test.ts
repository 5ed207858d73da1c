/** Files of the disk without VS Code's file service: the same details and bytes as with it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import { isMissing } from '../../src/core/util/fileErrors.ts';
import { fileBytes, fileDetails } from '../../src/vscode/workspace/fileAccess.ts';
import { inPlace } from './support/editorPlace.ts';

suite('a local file', () => {
  test(
    'has the details that VS Code gives, also as a link, a folder and a pipe',
    inPlace({ 'a.txt': 'one\n', 'folder/b.txt': '' }, async (here) => {
      for (const [name, target] of [
        ['to-file', 'a.txt'],
        ['to-folder', 'folder'],
        ['to-link', 'to-file'],
        ['to-nothing', 'gone'],
      ] as const) {
        symlinkSync(target, here.at(name));
      }
      execFileSync('mkfifo', [here.at('pipe')]);
      const names = ['a.txt', 'folder', 'folder/b.txt', 'to-file', 'to-folder', 'to-link', 'to-nothing', 'pipe'];
      for (const name of names) {
        const { type, size, mtime } = await vscode.workspace.fs.stat(here.uri(name));
        assert.deepEqual({ name, ...(await fileDetails(here.uri(name))) }, { name, type, size, mtime });
      }
      assert.deepEqual(Buffer.from(await fileBytes(here.uri('to-link'))).toString(), 'one\n');
    }),
  );

  test(
    'is found by the name of its hard link that is wanted, in the open folders and in others',
    inPlace({ '.env': 'KEY=1\n', 'a.txt': 'one\n', 'folder/b.txt': '' }, async (here) => {
      linkSync(here.at('.env'), here.at('folder/hard'));
      linkSync(here.at('a.txt'), here.at('other'));
      const files = ['folder/hard', 'other', 'folder/b.txt', 'gone'].map((name) => here.at(name));
      const wanted = { key: '.env', has: (name: string) => path.basename(name) === '.env' };
      const found = await here.workspace.findLinks?.(files, wanted, ['/nowhere']);
      assert.deepEqual([...(found ?? [])], [[here.at('folder/hard'), { type: 'link', name: here.at('.env') }]]);
    }),
  );

  test(
    'that is not there is missing, as for VS Code, also below a file',
    inPlace({ 'a.txt': 'one\n' }, async (here) => {
      for (const name of ['gone', 'a.txt/b']) {
        await assert.rejects(fileDetails(here.uri(name)), isMissing);
        await assert.rejects(fileBytes(here.uri(name)), isMissing);
        await assert.rejects(Promise.resolve(vscode.workspace.fs.stat(here.uri(name))), isMissing);
      }
    }),
  );
});
