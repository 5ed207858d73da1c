/** Agents that are described by files of the user and of a workspace. */
import path from 'node:path';
import type { AgentFile } from '../../core/agentFiles/agentFile.ts';
import { NO_AGENTS, selectAgents, type SelectedAgents } from '../../core/agentFiles/selectAgents.ts';
import type { Ports } from '../../core/ports.ts';
import type { AgentRole } from '../../core/tools/agents/agents.ts';
import { Trust, type TrustDecision } from '../../core/trust/trust.ts';
import { productFolder } from '../../core/util/productFolder.ts';
import type { Settings } from '../../protocol/settings.ts';
import { markdownIn, readShort } from '../host/markdownFiles.ts';

export interface AgentFilesHost {
  readonly ports: Pick<Ports, 'storage' | 'log' | 'host'>;
  readonly settings: () => Pick<Settings, 'agentModels'>;
  /** The folders of the workspace; none while it is not trusted. */
  readonly roots: () => readonly string[];
  /** Names of roles that a workspace cannot take. */
  readonly builtin: readonly string[];
  /** Names of the tools that extensions offer now. */
  readonly otherTools?: () => readonly string[];
}

/** The agents of files of this process. */
export interface AgentFiles {
  /** Reads the files now. Never rejects: unreadable ones are left out. */
  current(): Promise<SelectedAgents>;
  /** The roles that can be started; the same array while nothing has changed. Never rejects. */
  roles(): Promise<readonly AgentRole[]>;
  /** Approves or refuses an agent of a workspace; `null` takes the decision back. */
  decide(hash: string, decision: TrustDecision): Promise<void>;
}

/** Reads the agent files anew at each call. Never rejects: a failure is a problem that the user sees. */
export function createAgentFiles({ ports, settings, roots, builtin, otherTools }: AgentFilesHost): AgentFiles {
  const { storage, log, host } = ports;
  const trust = new Trust('agents.json', storage, log);
  let made: { readonly key: string; readonly roles: readonly AgentRole[] } = { key: '[]', roles: [] };
  const current = async () => {
    try {
      const files = await readAgentFiles(roots(), storage.home, host);
      const known = { models: settings().agentModels, builtin, otherTools: otherTools?.() };
      return await selectAgents(files, known, trust);
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
    decide: (hash, decision) => trust.decide(hash, 'proposal', decision),
  };
}

/** Folders of agents in a folder of a workspace. */
const WORKSPACE_FOLDERS = ['.tiller', '.claude', '.github'].map((folder) => path.join(folder, 'agents'));

/** The agent files in a folder of a workspace, without looking into them. Never rejects. */
export async function agentFilesIn(root: string): Promise<readonly string[]> {
  const found = await Promise.all(
    WORKSPACE_FOLDERS.map(async (folder) =>
      (await markdownIn(path.join(root, folder))).names.map((name) => path.join(folder, name)),
    ),
  );
  return found.flat();
}

async function readAgentFiles(
  roots: readonly string[],
  home: string,
  host: Ports['host'],
): Promise<readonly AgentFile[]> {
  const user = [path.join(home, 'agents'), path.join(productFolder('claude', host), 'agents')];
  const workspace = roots
    .filter((root) => root !== host.homeDirectory)
    .flatMap((root) => WORKSPACE_FOLDERS.map((folder) => path.join(root, folder)));
  const found = await Promise.all([
    ...user.map((folder) => filesIn(folder, 'user')),
    ...workspace.map((folder) => filesIn(folder, 'workspace')),
  ]);
  return found.flat();
}

async function filesIn(folder: string, origin: AgentFile['origin']): Promise<readonly AgentFile[]> {
  const { names, leftOut } = await markdownIn(folder);
  const files = await Promise.all(
    names.map(async (fileName) => {
      const source = path.join(folder, fileName);
      return { origin, source, fileName, ...(await readShort(source)) };
    }),
  );
  if (leftOut === undefined) return files;
  return [...files, { origin, source: folder, fileName: path.basename(folder), text: undefined, unread: leftOut }];
}
