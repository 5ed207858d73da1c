/** Reads rule files again whenever they have changed: by this process, by another one or by hand. */
import path from 'node:path';
import { type LoadedRules, parseRulesFile, type RulesFileResult } from '../policy/rules.ts';
import { type Clock, type Storage, type Workspace, WorkspaceError } from '../ports.ts';
import { describeFileError, errorCode, messageOf } from '../util/fileErrors.ts';
import { parseWorkspaceRules, type Settled, WORKSPACE_RULES } from './workspaceRules.ts';

export const USER_RULES = 'rules.json';
/** Relative to a workspace folder. */
export const FOLDER_RULES = '.tiller/rules.json';

export interface Problem {
  readonly file: string;
  /** Names the file and, if there is one, the line. */
  readonly message: string;
}

export interface Read<Content> {
  readonly content: Content;
  readonly problem: Problem | undefined;
}

interface Cached<Content> extends Read<Content> {
  readonly stamp: string;
}

/** A file that changed this recently may change again without a different stamp. */
const UNSETTLED_MS = 2_000;
/** Limits of the rule files of a workspace, and of the user's own, which may have grown for years. */
const MAX_BYTES = 1024 * 1024;
const MAX_OWN_CHARACTERS = 8 * 1024 * 1024;

export class RuleFiles {
  readonly #ports: { readonly storage: Storage; readonly workspace: Workspace; readonly clock: Clock };
  #user: Cached<LoadedRules> | undefined;
  #workspaces: Cached<ReadonlyMap<string, Settled>> | undefined;
  readonly #folders = new Map<string, Cached<LoadedRules>>();

  constructor(ports: { readonly storage: Storage; readonly workspace: Workspace; readonly clock: Clock }) {
    this.#ports = ports;
  }

  /** A text that changes whenever one of the user's own files changes. */
  async stamp(): Promise<string> {
    const { storage } = this.#ports;
    return JSON.stringify([await storage.stamp(USER_RULES), await storage.stamp(WORKSPACE_RULES)]);
  }

  /** The user's own rules, which apply everywhere. */
  async user(): Promise<Read<LoadedRules>> {
    const { storage } = this.#ports;
    const file = path.join(storage.home, USER_RULES);
    try {
      const stamp = await storage.stamp(USER_RULES);
      if (stamp === undefined) return NO_RULES;
      if (this.#user?.stamp !== stamp) this.#user = { stamp, ...(await this.#readUser(file)) };
      return this.#user;
    } catch (error) {
      return { content: [], problem: unreadable(file, error) };
    }
  }

  async #readUser(file: string): Promise<Read<LoadedRules>> {
    try {
      const text = await this.#ports.storage.readText(USER_RULES);
      if (text === undefined) return NO_RULES;
      if (text.length > MAX_OWN_CHARACTERS) throw new Error(`it has ${text.length} characters, which is too many`);
      return read(parseRulesFile(text, file), file);
    } catch (error) {
      return { content: [], problem: unreadable(file, error) };
    }
  }

  /** The user's rules and decisions for each workspace, by folder. */
  async workspaces(): Promise<Read<ReadonlyMap<string, Settled>>> {
    const { storage } = this.#ports;
    const file = path.join(storage.home, WORKSPACE_RULES);
    try {
      const stamp = await storage.stamp(WORKSPACE_RULES);
      if (stamp === undefined) return { content: new Map(), problem: undefined };
      if (this.#workspaces?.stamp !== stamp) {
        const text = storage.readText(WORKSPACE_RULES);
        this.#workspaces = { stamp, ...(await readSettled(text, file)) };
      }
      return this.#workspaces;
    } catch (error) {
      return { content: new Map(), problem: unreadable(file, error) };
    }
  }

  /** The rules in a folder of the workspace. */
  async folder(folder: string): Promise<Read<LoadedRules>> {
    const { workspace, clock } = this.#ports;
    const file = path.join(folder, FOLDER_RULES);
    const found = await workspace.stat(file).catch(() => undefined);
    if (found === undefined) return NO_RULES;
    const known = this.#folders.get(file);
    const stamp = `${found.size}-${found.modifiedAt}`;
    const isSettled = clock.now().getTime() - found.modifiedAt > UNSETTLED_MS;
    if (known?.stamp === stamp && isSettled) return known;
    const fresh = { stamp, ...(await this.#readFolder(file)) };
    this.#folders.set(file, fresh);
    return fresh;
  }

  async #readFolder(file: string): Promise<Read<LoadedRules>> {
    try {
      const bytes = await this.#ports.workspace.readBytes(file, { maxBytes: MAX_BYTES });
      return read(parseRulesFile(new TextDecoder().decode(bytes), file, 'workspace_file'), file);
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error;
      return error.code === 'not_found' ? NO_RULES : { content: [], problem: unreadable(file, error) };
    }
  }
}

const NO_RULES: Read<LoadedRules> = { content: [], problem: undefined };

function read(result: RulesFileResult, file: string): Read<LoadedRules> {
  return result.type === 'rules'
    ? { content: result.rules, problem: undefined }
    : { content: [], problem: { file, message: result.message } };
}

async function readSettled(
  text: Promise<string | undefined>,
  file: string,
): Promise<Read<ReadonlyMap<string, Settled>>> {
  try {
    return { content: parseWorkspaceRules(await text), problem: undefined };
  } catch (error) {
    return { content: new Map(), problem: unreadable(file, error) };
  }
}

function unreadable(file: string, error: unknown): Problem {
  const why = errorCode(error) === undefined ? `${file}: ${messageOf(error)}.` : describeFileError(error, file);
  return { file, message: `${why} No rule of this file is used.` };
}
