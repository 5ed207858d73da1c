/** "Fix with Tiller" and "Explain with Tiller" on problems. */
import assert from 'node:assert/strict';
import { suite, test } from 'mocha';
import * as vscode from 'vscode';
import type { UserInput } from '../../src/protocol/item.ts';
import { mentionOfLines } from '../../src/vscode/mentions/editorPlaces.ts';
import { ProblemActions } from '../../src/vscode/entryPoints/problemActions.ts';
import { type EditorPlace, inPlace } from './support/editorPlace.ts';
import { refusesEnv } from './support/refusals.ts';

interface Problems {
  readonly actions: ProblemActions;
  readonly sent: (readonly UserInput[])[];
}

/** Runs the story with an error in line 2, a warning in line 3 and a hint in line 4 of `a.py`. */
function withProblems(story: (problems: Problems, here: EditorPlace) => Promise<void>): () => Promise<void> {
  return inPlace({ 'a.py': 'one\ntwo\nthree\nfour\nfive\n' }, async (here) => {
    const collection = vscode.languages.createDiagnosticCollection('fake');
    const { Error, Warning, Hint } = vscode.DiagnosticSeverity;
    const kinds = [Error, Warning, Hint].map((severity, index) => {
      return new vscode.Diagnostic(new vscode.Range(index + 1, 0, index + 1, 3), `wrong ${index + 2}`, severity);
    });
    const sent: (readonly UserInput[])[] = [];
    const actions = new ProblemActions({
      refusals: refusesEnv,
      mentionOf: mentionOfLines,
      send: async (input) => void sent.push(input),
    });
    collection.set(here.uri('a.py'), kinds);
    collection.set(here.uri('.env'), kinds);
    try {
      await story({ actions, sent }, here);
    } finally {
      collection.dispose();
    }
  });
}

/** The text and the attached lines of each message, without the folder. */
function messages(sent: readonly (readonly UserInput[])[], here: EditorPlace): (string | undefined)[][] {
  const folder = `${vscode.workspace.asRelativePath(here.root)}/`;
  return sent.map((input) =>
    input.map((part) =>
      (part.type === 'text' ? part.text : part.type === 'mention' ? part.name : '').replaceAll(folder, ''),
    ),
  );
}

suite('actions on problems', () => {
  test(
    'are quick fixes of errors and warnings, and of nothing else',
    withProblems(async ({ actions }, here) => {
      const registered = actions.register();
      try {
        const titlesAt = async (line: number) => {
          const range = new vscode.Range(line - 1, 0, line - 1, 1);
          const found = await vscode.commands.executeCommand<vscode.CodeAction[]>(
            'vscode.executeCodeActionProvider',
            here.uri('a.py'),
            range,
          );
          return found.map(({ title }) => title).filter((title) => title.includes('Tiller'));
        };
        await here.open('a.py');
        assert.deepEqual(await titlesAt(1), []);
        assert.deepEqual(await titlesAt(2), ['Fix with Tiller', 'Explain with Tiller']);
        assert.deepEqual(await titlesAt(3), ['Fix with Tiller', 'Explain with Tiller']);
        assert.deepEqual(await titlesAt(4), []);
      } finally {
        registered.dispose();
      }
    }),
  );

  test(
    'send the problems of the place with their lines',
    withProblems(async ({ actions, sent }, here) => {
      await actions.ask('fix', here.uri('a.py'), new vscode.Range(1, 0, 1, 1));
      await actions.ask('explain', here.uri('a.py'), new vscode.Range(0, 0, 4, 0));
      assert.deepEqual(messages(sent, here), [
        ['Fix this problem:\n\na.py:2:1 error: wrong 2', 'a.py:2'],
        [
          'Explain these problems and how to fix them. Change no file.\n\na.py:2:1 error: wrong 2\na.py:3:1 warning: wrong 3',
          'a.py:2-3',
        ],
      ]);
    }),
  );

  test(
    'of the palette take the line of the cursor, and send nothing where it has no problem',
    withProblems(async ({ actions, sent }, here) => {
      const editor = await here.open('a.py');
      const cursorIn = (line: number) => {
        editor.selection = new vscode.Selection(line - 1, 1, line - 1, 1);
      };
      cursorIn(5);
      await actions.ask('fix');
      cursorIn(3);
      await actions.ask('fix');
      assert.deepEqual(messages(sent, here), [['Fix this problem:\n\na.py:3:1 warning: wrong 3', 'a.py:3']]);
    }),
  );

  test(
    'send nothing of a file that the model may not read',
    withProblems(async ({ actions, sent }, here) => {
      here.write('.env', 'one\ntwo\n');
      await actions.ask('fix', here.uri('.env'), new vscode.Range(1, 0, 1, 1));
      assert.deepEqual(sent, []);
    }),
  );
});
