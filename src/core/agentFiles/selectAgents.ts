import type { AgentRole } from '../tools/agents/agents.ts';
import { mayTakeName, type ProposalState, proposalHash, proposalState } from '../trust/fileProposals.ts';
import type { Trust } from '../trust/trust.ts';
import type { AgentFile } from './agentFile.ts';

/** An agent file with its state. */
export interface SelectedAgent {
  readonly role: AgentRole;
  readonly file: AgentFile;
  /** The hash of the path and text of the file; an approval holds for exactly this. */
  readonly hash: string;
  /** `shadowed`: an agent of the user, a built-in one, or an earlier file that is not refused has its name. */
  readonly state: ProposalState | 'shadowed';
  /** One sentence for each part of the file that has no effect. */
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
 * as "sonnet", with the model of the user for each. `builtin`: names that a workspace cannot take. `otherTools`: names of the
 * tools that extensions offer.
 */
export async function selectAgents(
  files: readonly AgentFile[],
  {
    models,
    builtin,
    otherTools = [],
  }: {
    readonly models: Readonly<Record<string, string>>;
    readonly builtin: readonly string[];
    readonly otherTools?: readonly string[];
  },
  trust: Pick<Trust, 'decisionOn'>,
): Promise<SelectedAgents> {
  if (files.length === 0) return NO_AGENTS;
  // It parses YAML, which most starts do not need.
  const { parseAgentFile } = await import('./agentFile.ts');
  const agents: SelectedAgent[] = [];
  const problems: string[] = [];
  const takenBy = new Map<string, ProposalState>();
  for (const file of files) {
    const parsed = parseAgentFile(file, otherTools);
    if (parsed.type === 'problem') {
      problems.push(`${file.source}: ${parsed.message}.`);
      continue;
    }
    const { model, note } = modelFor(parsed.role.model, models);
    const role = { ...parsed.role, model };
    const hash = proposalHash(file);
    const decided = await proposalState(file, hash, trust);
    const isBuiltin = file.origin === 'workspace' && builtin.includes(role.name);
    const isTaken = isBuiltin || !mayTakeName(decided, takenBy.get(role.name));
    const state = isTaken && decided !== 'refused' ? 'shadowed' : decided;
    if (state !== 'shadowed' && state !== 'refused') takenBy.set(role.name, state);
    agents.push({ role, file, hash, state, notes: [...parsed.notes, ...note] });
  }
  return { agents, problems };
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
