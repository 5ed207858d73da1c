/** Waits until VS Code has reloaded files that were written outside of it (workspace-edits.md §4). */
import * as vscode from 'vscode';
import { isMissing } from '../../core/util/fileErrors.ts';
import { documentsOfFiles, hasUnsavedText, tabsOf } from '../workspace/documents.ts';
import { sameButEndings } from '../workspace/textContent.ts';

/** Files in folders that the settings exclude from watching are reloaded only when shown the next time. */
const PATIENCE_MS = 5000;

/** Resolves when no document of these files without edits shows another text than the disk. */
export async function untilDiskIsShown(uris: readonly vscode.Uri[]): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  const documents = await documentsOfFiles(uris);
  await Promise.all(documents.map((document) => untilShown(document, deadline)));
}

/** Resolves to true if a document shows the content of its file; `undefined` when the file does not exist. */
export async function holdsDisk(document: vscode.TextDocument): Promise<boolean | undefined> {
  try {
    const bytes = await vscode.workspace.fs.readFile(document.uri);
    const text = await vscode.workspace.decode(bytes, { encoding: document.encoding });
    return sameButEndings(text, document.getText());
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function untilShown(document: vscode.TextDocument, deadline: number): Promise<void> {
  while (!document.isClosed && !hasUnsavedText(document)) {
    const holds = await holdsDisk(document);
    if (holds === undefined) return closeTabs(document);
    if (holds || Date.now() > deadline) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Closes the tabs, as VS Code does when it deletes a file itself. */
async function closeTabs({ uri }: vscode.TextDocument): Promise<void> {
  const tabs = tabsOf(uri).filter((tab) => !tab.isDirty);
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}
