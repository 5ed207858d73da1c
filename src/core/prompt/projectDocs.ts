import path from 'node:path';
import { type MessageItem, textOf } from '../../protocol/responseItem.ts';
import { type Storage, type Workspace, WorkspaceError } from '../ports.ts';
import { errorCode } from '../util/fileErrors.ts';
import { isGitRoot } from '../util/gitRoot.ts';
import { isBelow } from '../util/pathBelow.ts';
import { escapeMarkup } from './markup.ts';

/**
 * In each folder the first existing file counts; an override replaces AGENTS.md even when it is blank
 * (codex-behaviour.md §7).
 */
const FILE_NAMES = ['AGENTS.override.md', 'AGENTS.md'];
const BETWEEN_GLOBAL_AND_PROJECT = '\n\n--- project-doc ---\n\n';

export interface ProjectDocsOptions {
  /** The limit for all files of the project together, without separators; 0 turns them off. */
  readonly maxBytes: number;
  /** Names to look for in a folder that has none of `FILE_NAMES`. */
  readonly fallbackFilenames: readonly string[];
  /** True for a path with secrets. */
  readonly isSecret?: (path: string) => boolean;
  /** Receives the files, relative to the git root, of which the model does not get all because of `maxBytes`. */
  readonly onCut?: (files: readonly string[]) => void;
}

/**
 * Reads the project's instructions: the user's own file in TILLER_HOME, then one file for each folder from the git root
 * down to `cwd`.
 */
export async function readProjectDocs(
  workspace: Workspace,
  storage: Storage,
  cwd: string,
  options: ProjectDocsOptions,
): Promise<string> {
  const [own, project] = await Promise.all([readOwnDoc(storage), readDocsAbove(workspace, cwd, options)]);
  return [own, project].filter((part) => part !== '').join(BETWEEN_GLOBAL_AND_PROJECT);
}

/** Here a blank override does not replace AGENTS.md (observed on codex 0.169). */
async function readOwnDoc(storage: Storage): Promise<string> {
  for (const name of FILE_NAMES) {
    const text = await storage.readText(name).catch(unreadable);
    if (text?.trim()) return text.trim();
  }
  return '';
}

/** A file that cannot be read counts as absent: it must not stop the user's message. */
function unreadable(error: unknown): undefined {
  if (errorCode(error) === undefined) throw error;
}

async function readDocsAbove(
  workspace: Workspace,
  cwd: string,
  { maxBytes, fallbackFilenames, isSecret = () => false, onCut }: ProjectDocsOptions,
): Promise<string> {
  if (maxBytes === 0) return '';
  const names = [...FILE_NAMES, ...fallbackFilenames];
  const folders = await foldersFromGitRoot(workspace, cwd);
  const [root = cwd] = folders;
  const files = await Promise.all(folders.map((folder) => readFirst(workspace, { root, folder, names, isSecret })));
  let room = maxBytes;
  const kept: string[] = [];
  const cut: string[] = [];
  for (const { file, bytes } of files) {
    const isCut = bytes.length > room && new TextDecoder().decode(bytes).trim() !== '';
    if (isCut) cut.push(path.relative(root, file));
    const text = new TextDecoder().decode(bytes.subarray(0, room));
    if (text.trim() === '') continue;
    kept.push(text);
    room -= Math.min(room, bytes.length);
  }
  if (cut.length > 0) onCut?.(cut);
  return kept.join('\n\n');
}

interface ReadFile {
  readonly file: string;
  readonly bytes: Uint8Array;
}

const NOTHING: ReadFile = { file: '', bytes: new Uint8Array() };

/**
 * Reads the first of these files that exists. A file that cannot be read counts as absent: it must not stop the user's
 * message. So does a link out of the project or to a file with secrets: a repository must not put the user's own files into a
 * request.
 */
async function readFirst(
  workspace: Workspace,
  {
    root,
    folder,
    names,
    isSecret,
  }: {
    readonly root: string;
    readonly folder: string;
    readonly names: readonly string[];
    readonly isSecret: (path: string) => boolean;
  },
): Promise<ReadFile> {
  for (const name of names) {
    const file = path.join(folder, name);
    const found = await workspace.stat(file);
    if (found?.type !== 'file') continue;
    try {
      // A folder in the path may be a link, too.
      const mayLead = found.symbolicLink || name.includes('/');
      const place = mayLead ? await workspace.realPath(file) : file;
      if (isSecret(place)) return NOTHING;
      if (mayLead && !isBelow(place, await workspace.realPath(root))) return NOTHING;
      return { file, bytes: await workspace.readBytes(file) };
    } catch (error) {
      if (error instanceof WorkspaceError) return NOTHING;
      throw error;
    }
  }
  return NOTHING;
}

/** The folders from the nearest git root above `cwd` down to `cwd`; only `cwd` where there is none. */
async function foldersFromGitRoot(workspace: Workspace, cwd: string): Promise<readonly string[]> {
  const below: string[] = [];
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    below.unshift(folder);
    if (await isGitRoot(folder, workspace)) return below;
    if (path.dirname(folder) === folder) return [cwd];
  }
}

/** A user message that can be recognized later as not the user's own (codex-behaviour.md §7). */
export function projectDocsMessage(cwd: string, docs: string): MessageItem {
  const text = `# AGENTS.md instructions for ${escapeMarkup(cwd)}\n\n<INSTRUCTIONS>\n${docs}\n</INSTRUCTIONS>`;
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

/** True for a message that this file has made, also in the history of an earlier process. */
export function isProjectDocsMessage(message: MessageItem): boolean {
  return message.role === 'user' && textOf(message.content).startsWith('# AGENTS.md instructions for ');
}
