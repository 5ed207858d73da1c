/** The Languages port with language extensions of every kind, and a rename through live buffers. */
import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { RenamedFile } from '../../src/core/ports.ts';
import { planRename } from '../../src/core/tools/code/planRename.ts';
import { EditorLanguages } from '../../src/vscode/languages/editorLanguages.ts';
import { type EditorPlace, inPlace } from './support/editorPlace.ts';

const FILES = { 'lib.txt': 'def load\n  body\n', 'use.txt': 'call load\n', 'more.txt': 'call load twice load\n' };
const range = (line: number, column: number, length = 4) => new vscode.Range(line, column, line, column + length);

/** Every place of a word in these files, whatever is unsaved: a language server of one line. */
function placesOf(here: EditorPlace, word: string): readonly vscode.Location[] {
  return Object.keys(FILES).flatMap((name) => {
    const text = here.document(name)?.getText() ?? here.disk(name);
    return text.split('\n').flatMap((line, at) => {
      return [...line.matchAll(new RegExp(word, 'g'))].map(({ index }) => {
        return new vscode.Location(here.uri(name), range(at, index, word.length));
      });
    });
  });
}

function withProviders(
  providers: (here: EditorPlace, selector: vscode.DocumentFilter) => readonly vscode.Disposable[],
  story: (languages: EditorLanguages, here: EditorPlace) => Promise<void>,
): () => Promise<void> {
  return inPlace(FILES, async (here) => {
    const registered = providers(here, { scheme: 'file', pattern: `${here.root}/**` });
    const languages = new EditorLanguages();
    try {
      await story(languages, here);
    } finally {
      languages.dispose();
      for (const provider of registered) provider.dispose();
    }
  });
}

const renaming = (here: EditorPlace, selector: vscode.DocumentFilter, change: (edit: vscode.WorkspaceEdit) => void) =>
  vscode.languages.registerRenameProvider(selector, {
    provideRenameEdits: (document, position, newName) => {
      const word = document.getText(document.getWordRangeAtPosition(position));
      const edit = new vscode.WorkspaceEdit();
      for (const { uri, range: at } of placesOf(here, word)) edit.replace(uri, at, newName);
      change(edit);
      return edit;
    },
  });

async function renamed(languages: EditorLanguages, here: EditorPlace): Promise<readonly RenamedFile[]> {
  const answer = await languages.rename({ path: here.at('lib.txt'), line: 1, column: 4 }, 'fetch');
  assert.equal(answer.type, 'renamed');
  return answer.type === 'renamed' ? answer.files : [];
}

async function applied(files: readonly RenamedFile[], here: EditorPlace): Promise<void> {
  const { signal } = new AbortController();
  const nameOf = (path: string) => path;
  const plan = await planRename(files, 'load', here.workspace, nameOf, signal, async () => undefined);
  if (plan.type !== 'planned') throw new Error(JSON.stringify(plan));
  const result = await here.workspace.apply(plan.changes, signal, { turnId: 'turn', itemId: 'item' });
  assert.equal(result.type, 'applied');
}

suite('what language extensions know', () => {
  test(
    'is not waited for again where a call has waited in vain and no extension names the language',
    inPlace(FILES, async (here) => {
      const languages = new EditorLanguages();
      try {
        const path = here.at('use.txt');
        await languages.open(path);
        assert.equal(languages.patienceFor(path), 1_500);
        assert.equal(languages.isSilent('code', path), false);
        languages.noteSilence('code', path);
        assert.equal(languages.isSilent('code', path), true);
        assert.equal(languages.isSilent('outline', path), false);
        // Any extension may know symbols of the workspace.
        assert.equal(languages.patienceFor(undefined), Infinity);
        for (let calls = 1; calls <= 5; calls++) {
          assert.equal(languages.isSilent('code', undefined), false);
          languages.noteSilence('code', undefined);
        }
        assert.equal(languages.isSilent('code', undefined), true);
      } finally {
        languages.dispose();
      }
    }),
  );

  test(
    'is places of both kinds, descriptions, symbols of a file and of the workspace',
    withProviders(
      (here, selector) => [
        vscode.languages.registerDefinitionProvider(selector, {
          provideDefinition: () => [
            { targetUri: here.uri('lib.txt'), targetRange: range(0, 0, 8), targetSelectionRange: range(0, 4) },
          ],
        }),
        vscode.languages.registerReferenceProvider(selector, { provideReferences: () => [...placesOf(here, 'load')] }),
        vscode.languages.registerHoverProvider(selector, {
          provideHover: () => new vscode.Hover(['**load**', { language: 'x', value: 'def load' }]),
        }),
        vscode.languages.registerDocumentSymbolProvider(selector, {
          provideDocumentSymbols: () => {
            const outer = new vscode.DocumentSymbol(
              'load',
              '',
              vscode.SymbolKind.Function,
              range(0, 0, 8),
              range(0, 4),
            );
            outer.children.push(
              new vscode.DocumentSymbol('body', '', vscode.SymbolKind.Variable, range(1, 2), range(1, 2)),
            );
            return [outer];
          },
        }),
        vscode.languages.registerWorkspaceSymbolProvider({
          provideWorkspaceSymbols: (query) => [
            new vscode.SymbolInformation(
              query,
              vscode.SymbolKind.Class,
              'box',
              new vscode.Location(here.uri('lib.txt'), range(0, 4)),
            ),
          ],
        }),
      ],
      async (languages, here) => {
        const at = { path: here.at('use.txt'), line: 1, column: 5 };
        assert.equal(languages.hasAnswered('code', at.path), false);
        assert.deepEqual(await languages.find('definition', at), [{ path: here.at('lib.txt'), line: 1, column: 4 }]);
        assert.equal(languages.hasAnswered('code', at.path), true);
        assert.equal(languages.hasAnswered('outline', at.path), false);
        const references = await languages.find('references', at);
        assert.deepEqual(
          references
            .map(({ path, line, column }) => `${path.slice(here.root.length + 1)}:${line}:${column}`)
            .toSorted(),
          ['lib.txt:1:4', 'more.txt:1:16', 'more.txt:1:5', 'use.txt:1:5'],
        );
        assert.deepEqual(await languages.find('implementations', at), []);
        assert.deepEqual(await languages.describe(at), ['**load**', '```x\ndef load\n```']);
        const [outer, inner] = await languages.outline(here.at('lib.txt'));
        const place = { path: here.at('lib.txt'), line: 1, column: 4 };
        assert.deepEqual(outer, { ...place, name: 'load', kind: 'function', container: '' });
        assert.deepEqual(inner, {
          path: place.path,
          line: 2,
          column: 2,
          name: 'body',
          kind: 'variable',
          container: 'load',
        });
        const found = (await languages.search('load')).filter(({ container }) => container === 'box');
        assert.deepEqual(found, [{ ...place, name: 'load', kind: 'class', container: 'box' }]);
      },
    ),
  );

  test(
    'is nothing where no extension knows the language, and no tab is opened for the question',
    withProviders(
      () => [],
      async (languages, here) => {
        const tabs = here.tabs();
        const at = { path: here.at('use.txt'), line: 1, column: 5 };
        await languages.open(at.path);
        assert.deepEqual(await languages.find('definition', at), []);
        assert.deepEqual(await languages.outline(at.path), []);
        const answer = await languages.rename(at, 'fetch');
        assert.ok(answer.type === 'refused' || answer.files.length === 0);
        assert.equal(languages.hasAnswered('code', at.path), false);
        assert.deepEqual(here.tabs(), tabs);
      },
    ),
  );

  test(
    'survives an extension that fails, and has the reason of one that refuses a rename',
    withProviders(
      (_here, selector) => [
        vscode.languages.registerDefinitionProvider(selector, {
          provideDefinition: () => Promise.reject(new Error('broken')),
        }),
        vscode.languages.registerRenameProvider(selector, {
          provideRenameEdits: () => Promise.reject(new Error('You cannot rename this element.')),
        }),
      ],
      async (languages, here) => {
        const at = { path: here.at('use.txt'), line: 1, column: 5 };
        assert.deepEqual(await languages.find('definition', at), []);
        const answer = await languages.rename(at, 'fetch');
        assert.equal(answer.type, 'refused');
        assert.match(answer.type === 'refused' ? answer.message : '', /You cannot rename this element/);
      },
    ),
  );
});

suite('a rename of a language extension', () => {
  test(
    'goes through all files with unsaved edits kept and unsaved, and Undo Patch reverts it',
    withProviders(
      (here, selector) => [renaming(here, selector, () => {})],
      async (languages, here) => {
        await here.type('use.txt', 'mine\n');
        await here.type('more.txt', 'my own\n');
        const files = await renamed(languages, here);
        assert.deepEqual(
          files.map(({ text }) => text),
          // VS Code opens the file that it asks about.
          [FILES['lib.txt'], `mine\n${FILES['use.txt']}`, `my own\n${FILES['more.txt']}`],
        );
        await applied(files, here);
        assert.equal(here.disk('lib.txt'), 'def fetch\n  body\n');
        assert.equal(here.document('use.txt')?.getText(), 'mine\ncall fetch\n');
        assert.equal(here.document('more.txt')?.getText(), 'my own\ncall fetch twice fetch\n');
        assert.equal(here.disk('use.txt'), FILES['use.txt']);
        assert.deepEqual(here.dirty().toSorted(), [here.at('more.txt'), here.at('use.txt')]);
        assert.deepEqual((await here.undo.undo('item')).leftAlone, []);
        assert.equal(here.disk('lib.txt'), FILES['lib.txt']);
        assert.equal(here.document('use.txt')?.getText(), `mine\n${FILES['use.txt']}`);
        assert.equal(here.document('more.txt')?.getText(), `my own\n${FILES['more.txt']}`);
      },
    ),
  );

  test(
    'moves a file where the extension does, named by its old or its new name',
    withProviders(
      (here, selector) => [
        renaming(here, selector, (edit) => edit.renameFile(here.uri('lib.txt'), here.uri('fetch.txt'))),
      ],
      async (languages, here) => {
        const files = await renamed(languages, here);
        assert.equal(files.find(({ path }) => path === here.at('lib.txt'))?.movedTo, here.at('fetch.txt'));
        await applied(files, here);
        assert.equal(here.disk('fetch.txt'), 'def fetch\n  body\n');
        assert.equal(here.tree()['lib.txt'], undefined);
        assert.equal(here.disk('use.txt'), 'call fetch\n');
      },
    ),
  );

  test(
    'is not planned for a text that has changed since the extension has answered',
    withProviders(
      (here, selector) => [renaming(here, selector, () => {})],
      async (languages, here) => {
        await here.open('use.txt');
        const files = await renamed(languages, here);
        await here.type('use.txt', 'mine\n');
        const { signal } = new AbortController();
        const plan = await planRename(
          files,
          'load',
          here.workspace,
          (path) => path,
          signal,
          async () => undefined,
        );
        assert.equal(plan.type, 'failed');
      },
    ),
  );
});
