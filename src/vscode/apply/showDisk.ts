/** VS Code reads a file again that somebody else has written, in its own time (workspace-edits.md §4): here it is waited for. */
import * as vscode from 'vscode';
import { isMissing } from '../../core/util/fileErrors.ts';
import { documentsOfFiles, tabsOf } from '../workspace/documents.ts';
import { sameButEndings } from '../workspace/textContent.ts';

/** A folder that the settings exclude from being watched is read when its file is shown the next time. */
const PATIENCE_MS = 5000;

/** Until no document of these files shows, without edits of its own, what is not on the disk. */
export async function untilDiskIsShown(uris: readonly vscode.Uri[]): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  const documents = await documentsOfFiles(uris);
  await Promise.all(documents.map((document) => untilShown(document, deadline)));
}

/** Whether a document shows what is on the disk; `undefined` when nothing is there. */
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
  while (!document.isClosed && !document.isDirty) {
    const holds = await holdsDisk(document);
    if (holds === undefined) return closeTabs(document);
    if (holds || Date.now() > deadline) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** As a deletion closes them that VS Code makes itself. */
async function closeTabs({ uri }: vscode.TextDocument): Promise<void> {
  const tabs = tabsOf(uri).filter((tab) => !tab.isDirty);
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}
