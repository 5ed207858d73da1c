import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { errorCode, isMissing } from '../../core/util/fileErrors.ts';
import type { ProposedPlan } from '../../protocol/proposedPlan.ts';
import { titleOfPlan } from '../../protocol/text/proposedPlan.ts';

/** Plans that were not touched for this long are removed when another one is opened. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const MAX_NAME = 60;

/**
 * Plans as Markdown files that the user edits, in a folder of their own outside of the workspace: VS Code keeps their
 * editors over a reload, and no other program sees a change of the project.
 */
export class PlanDocuments {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Shows the plan with the edits that it has. The file is made when the plan is opened first. */
  async open(plan: ProposedPlan): Promise<void> {
    const file = this.pathOf(plan);
    await this.#removeOld(path.dirname(file));
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    // 'wx': an edited plan is not replaced.
    await writeFile(file, `${plan.text}\n`, { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
    await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
  }

  /** The plan as the user sees it: with unsaved edits, else as saved, else as it was proposed. */
  async textOf(plan: ProposedPlan): Promise<string> {
    const file = this.pathOf(plan);
    const open = vscode.workspace.textDocuments.find(({ uri, isClosed }) => !isClosed && uri.fsPath === file);
    if (open !== undefined) return open.getText().trim();
    try {
      return (await readFile(file, 'utf8')).trim();
    } catch (error) {
      if (isMissing(error)) return plan.text;
      throw error;
    }
  }

  pathOf({ itemId, text }: ProposedPlan): string {
    // A drive letter is small in the paths of VS Code's documents.
    return vscode.Uri.file(path.join(this.#folder, itemId.replace(/[^\w-]/g, '_'), `${nameOf(text)}.md`)).fsPath;
  }

  async #removeOld(kept: string): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    const oldest = Date.now() - KEPT_MS;
    for (const name of names) {
      const folder = path.join(this.#folder, name);
      const [file] = await readdir(folder).catch(() => []);
      const { mtimeMs } = await stat(file === undefined ? folder : path.join(folder, file));
      if (folder !== kept && mtimeMs < oldest) await rm(folder, { recursive: true, force: true });
    }
  }
}

/** The title as the name of a file on every system. */
function nameOf(text: string): string {
  const name = titleOfPlan(text)
    // oxlint-disable-next-line no-control-regex -- a name must not have them
    .replace(/[\u0000-\u001f<>:"/\\|?*`]/g, ' ')
    .replace(/\s+/g, ' ')
    .slice(0, MAX_NAME)
    .replace(/[. ]+$/, '')
    .trim();
  return name === '' ? 'Plan' : name;
}
