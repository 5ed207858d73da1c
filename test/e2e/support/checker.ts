/**
 * A VS Code extension that checks files named `*.check.py` which a tab shows, as VS Code's TypeScript does: a line
 * `use NAME` is an error while no such file has the line `def NAME`.
 */
import { writeTestExtension } from './testExtension.ts';

/** Runs in VS Code's extension host, as CommonJS. */
const SOURCE = `
const vscode = require('vscode');

const linesOf = (document) => document.getText().split(/\\r?\\n/);
const shown = () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ input }) => String(input?.uri)));
const opened = () => {
  const uris = new Set(shown());
  const documents = vscode.workspace.textDocuments.filter(({ uri, isClosed }) => !isClosed && uris.has(String(uri)));
  return documents.filter(({ uri }) => uri.path.endsWith('.check.py'));
};

exports.activate = ({ subscriptions }) => {
  const collection = vscode.languages.createDiagnosticCollection('checker');
  const check = () => {
    const documents = opened();
    const defined = new Set(documents.flatMap((document) => linesOf(document).filter((line) => line.startsWith('def '))));
    for (const document of documents) {
      const found = linesOf(document).flatMap((line, at) => {
        if (!line.startsWith('use ') || defined.has('def ' + line.slice(4))) return [];
        const problem = new vscode.Diagnostic(new vscode.Range(at, 4, at, line.length), 'no ' + line.slice(4));
        problem.source = 'checker';
        return [problem];
      });
      collection.set(document.uri, found);
    }
  };
  subscriptions.push(collection);
  subscriptions.push(vscode.workspace.onDidChangeTextDocument(check));
  subscriptions.push(vscode.workspace.onDidOpenTextDocument(check));
  subscriptions.push(vscode.window.tabGroups.onDidChangeTabs(check));
  check();
};
`;

/** Returns the folder, for VS Code to load as an extension. */
export function writeChecker(folder: string): Promise<string> {
  return writeTestExtension(folder, { name: 'checker', activationEvents: ['onLanguage:python'], source: SOURCE });
}
