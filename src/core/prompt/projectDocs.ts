import path from 'node:path';
import { type MessageItem, textOf } from '../../protocol/responseItem.ts';
import { type Storage, type Workspace, WorkspaceError } from '../ports.ts';

/** In one folder the first that exists counts; an override hides its AGENTS.md even when blank (codex-behaviour.md §7). */
const FILE_NAMES = ['AGENTS.override.md', 'AGENTS.md'];
const BETWEEN_GLOBAL_AND_PROJECT = '\n\n--- project-doc ---\n\n';

/**
 * Instructions of the people who own the code: the person's own file in TILLER_HOME, then one file for each folder from
 * the git root down to `cwd`. The project's files together are cut at `maxBytes`; 0 turns them off.
 */
export async function readProjectDocs(
  workspace: Workspace,
  storage: Storage,
  cwd: string,
  maxBytes: number,
): Promise<string> {
  const [own, project] = await Promise.all([readOwnDoc(storage), readDocsAbove(workspace, cwd, maxBytes)]);
  return [own, project].filter((part) => part !== '').join(BETWEEN_GLOBAL_AND_PROJECT);
}

async function readOwnDoc(storage: Storage): Promise<string> {
  for (const name of FILE_NAMES) {
    const text = await storage.readText(name);
    if (text !== undefined) return text.trim();
  }
  return '';
}

async function readDocsAbove(workspace: Workspace, cwd: string, maxBytes: number): Promise<string> {
  const texts = await Promise.all(
    (await foldersFromGitRoot(workspace, cwd)).map((folder) => readDoc(workspace, folder)),
  );
  let room = maxBytes;
  const kept: string[] = [];
  for (const text of texts) {
    if (text.trim() === '' || room <= 0) continue;
    const bytes = new TextEncoder().encode(text);
    kept.push(new TextDecoder().decode(bytes.subarray(0, room)));
    room -= bytes.length;
  }
  return kept.join('\n\n');
}

async function readDoc(workspace: Workspace, folder: string): Promise<string> {
  for (const name of FILE_NAMES) {
    const file = path.join(folder, name);
    if ((await workspace.stat(file))?.type !== 'file') continue;
    return readLossy(workspace, file);
  }
  return '';
}

/** One that cannot be read says nothing: it must not keep the person from talking. */
async function readLossy(workspace: Workspace, file: string): Promise<string> {
  try {
    return new TextDecoder().decode(await workspace.readBytes(file));
  } catch (error) {
    if (error instanceof WorkspaceError) return '';
    throw error;
  }
}

/** From the nearest ancestor with a `.git` (folder or file) down to `cwd`; just `cwd` where there is none. */
async function foldersFromGitRoot(workspace: Workspace, cwd: string): Promise<readonly string[]> {
  const below: string[] = [];
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    below.unshift(folder);
    if ((await workspace.stat(path.join(folder, '.git'))) !== undefined) return below;
    if (path.dirname(folder) === folder) return [cwd];
  }
}

/** As a user message that is recognised later as not the user's (codex-behaviour.md §7). */
export function projectDocsMessage(cwd: string, docs: string): MessageItem {
  const text = `# AGENTS.md instructions for ${cwd}\n\n<INSTRUCTIONS>\n${docs}\n</INSTRUCTIONS>`;
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

export function isProjectDocsMessage(message: MessageItem): boolean {
  return message.role === 'user' && textOf(message.content).startsWith('# AGENTS.md instructions for ');
}
