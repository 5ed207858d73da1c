import { createHash } from 'node:crypto';
import type { AgentRole } from '../tools/agents/agents.ts';
import type { Trust } from '../trust/trust.ts';
import { type AgentFile, parseAgentFile } from './agentFile.ts';

/** What is done about an agent of a file. */
export interface SelectedAgent {
  readonly role: AgentRole;
  readonly file: Pick<AgentFile, 'origin' | 'source'>;
  /** Of the file with its text: an approval holds for exactly this. */
  readonly hash: string;
  /**
   * One of a workspace is `proposed` until the user has approved or refused it. `shadowed`: an agent of the user, a built-in one,
   * or an earlier file has its name.
   */
  readonly state: 'used' | 'proposed' | 'refused' | 'shadowed';
  /** What of the file has no effect, one sentence each. */
  readonly notes: readonly string[];
}

export interface SelectedAgents {
  readonly agents: readonly SelectedAgent[];
  /** One sentence for each file that describes no agent. */
  readonly problems: readonly string[];
}

export const NO_AGENTS: SelectedAgents = { agents: [], problems: [] };

/**
 * Decides which agents of files can be started; files of the user come first. `models`: the names of models that files use, such
 * as "sonnet", with the model of the user for each. `builtin`: names that a workspace cannot take.
 */
export async function selectAgents(
  files: readonly AgentFile[],
  { models, builtin }: { readonly models: Readonly<Record<string, string>>; readonly builtin: readonly string[] },
  trust: Pick<Trust, 'decisionOn'>,
): Promise<SelectedAgents> {
  const agents: SelectedAgent[] = [];
  const problems: string[] = [];
  const taken = new Set<string>();
  for (const file of files) {
    const parsed = parseAgentFile(file);
    if (parsed.type === 'problem') {
      problems.push(`${file.source}: ${parsed.message}.`);
      continue;
    }
    const { model, note } = modelFor(parsed.role.model, models);
    const role = { ...parsed.role, model };
    const hash = createHash('sha256')
      .update(`${file.source}\n${file.text ?? ''}`)
      .digest('hex');
    const isTaken = taken.has(role.name) || (file.origin === 'workspace' && builtin.includes(role.name));
    const state = isTaken ? 'shadowed' : await stateOf(file, hash, trust);
    if (!isTaken) taken.add(role.name);
    agents.push({ role, file, hash, state, notes: [...parsed.notes, ...note] });
  }
  return { agents, problems };
}

async function stateOf(
  { origin }: AgentFile,
  hash: string,
  trust: Pick<Trust, 'decisionOn'>,
): Promise<SelectedAgent['state']> {
  if (origin === 'user') return 'used';
  const decision = await trust.decisionOn(hash, 'proposal');
  return decision === undefined ? 'proposed' : decision ? 'used' : 'refused';
}

function modelFor(
  named: string | null,
  models: Readonly<Record<string, string>>,
): { readonly model: string | null; readonly note: readonly string[] } {
  if (named === null || named === 'inherit') return { model: null, note: [] };
  if (Object.hasOwn(models, named)) return { model: models[named] ?? null, note: [] };
  return {
    model: null,
    note: [`The setting agentModels has no model for ${JSON.stringify(named)}: the agent uses that of the thread.`],
  };
}
