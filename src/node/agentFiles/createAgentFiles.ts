/** Agents that are described by files of the user and of a workspace. */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { AgentFile } from '../../core/agentFiles/agentFile.ts';
import { NO_AGENTS, selectAgents, type SelectedAgents } from '../../core/agentFiles/selectAgents.ts';
import type { Ports } from '../../core/ports.ts';
import type { AgentRole } from '../../core/tools/agents/agents.ts';
import { Trust } from '../../core/trust/trust.ts';
import type { Settings } from '../../protocol/settings.ts';

export interface AgentFilesHost {
  readonly ports: Pick<Ports, 'storage' | 'log' | 'host'>;
  readonly settings: () => Pick<Settings, 'agentModels'>;
  /** The folders of the workspace; none while it is not trusted. */
  readonly roots: () => readonly string[];
  /** Names of roles that a workspace cannot take. */
  readonly builtin: readonly string[];
}

/** The agents of files of this process. */
export interface AgentFiles {
  /** As the files are now. Never rejects: without what cannot be read there are fewer. */
  current(): Promise<SelectedAgents>;
  /** Those that can be started; the same array while nothing has changed. Never rejects. */
  roles(): Promise<readonly AgentRole[]>;
  /** Approves or refuses an agent of a workspace. */
  decide(hash: string, accepted: boolean): Promise<void>;
}

/** In bytes: a longer file describes no agent. */
const MAX_BYTES = 64 * 1024;
/** In one folder. */
const MAX_FILES = 100;

export function createAgentFiles({ ports, settings, roots, builtin }: AgentFilesHost): AgentFiles {
  const { storage, log, host } = ports;
  const trust = new Trust('agents.json', storage, log);
  let made: { readonly key: string; readonly roles: readonly AgentRole[] } = { key: '[]', roles: [] };
  const current = async () => {
    try {
      const files = await readAgentFiles(roots(), storage.home, host);
      return await selectAgents(files, { models: settings().agentModels, builtin }, trust);
    } catch (error) {
      log.error('The agent files cannot be read', error);
      return { ...NO_AGENTS, problems: ['The agent files could not be read. The log says why.'] };
    }
  };
  return {
    current,
    async roles() {
      const { agents } = await current();
      const roles = agents.flatMap(({ role, state }) => (state === 'used' ? [role] : []));
      const key = JSON.stringify(roles);
      if (made.key !== key) made = { key, roles };
      return made.roles;
    },
    decide: (hash, accepted) => trust.decide(hash, 'proposal', accepted),
  };
}

/** Folders of agents in a folder of a workspace. */
const WORKSPACE_FOLDERS = ['.tiller', '.claude', '.github'].map((folder) => path.join(folder, 'agents'));

/** The agent files in a folder of a workspace, without looking into them. Never rejects. */
export async function agentFilesIn(root: string): Promise<readonly string[]> {
  const found = await Promise.all(
    WORKSPACE_FOLDERS.map(async (folder) =>
      (await namesIn(path.join(root, folder))).map((name) => path.join(folder, name)),
    ),
  );
  return found.flat();
}

async function readAgentFiles(
  roots: readonly string[],
  home: string,
  { homeDirectory, environment }: Ports['host'],
): Promise<readonly AgentFile[]> {
  const claude = environment['CLAUDE_CONFIG_DIR'] ?? path.join(homeDirectory, '.claude');
  const user = [path.join(home, 'agents'), path.join(claude, 'agents')];
  const workspace = roots
    .filter((root) => root !== homeDirectory)
    .flatMap((root) => WORKSPACE_FOLDERS.map((folder) => path.join(root, folder)));
  const found = await Promise.all([
    ...user.map((folder) => filesIn(folder, 'user')),
    ...workspace.map((folder) => filesIn(folder, 'workspace')),
  ]);
  return found.flat();
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const wanted = names.filter((name) => name.endsWith('.md') && name.toLowerCase() !== 'readme.md');
  return wanted.toSorted().slice(0, MAX_FILES);
}

async function filesIn(folder: string, origin: AgentFile['origin']): Promise<readonly AgentFile[]> {
  const names = await namesIn(folder);
  return Promise.all(
    names.map(async (fileName) => {
      const source = path.join(folder, fileName);
      return { origin, source, fileName, text: await textOf(source).catch(() => undefined) };
    }),
  );
}

/** `undefined` for what is no file, such as a pipe, and for one that is too long. @throws the error of the disk */
async function textOf(file: string): Promise<string | undefined> {
  const about = await stat(file);
  return about.isFile() && about.size <= MAX_BYTES ? readFile(file, 'utf8') : undefined;
}
