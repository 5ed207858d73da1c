import { BUILTIN_ROLES } from '../core/agent/builtinRoles.ts';
import type { Ports } from '../core/ports.ts';
import type { ThreadHost } from '../core/session/sessionOptions.ts';
import { createAgentFiles } from '../node/customizations/createAgentFiles.ts';
import { createHooks } from '../node/customizations/createHooks.ts';
import { createSkills } from '../node/customizations/createSkills.ts';
import type { Settings } from '../protocol/settings.ts';
import { sayAgentProblems } from './agentFiles.ts';
import { sayProposed } from './hooks.ts';
import { saySkillProblems } from './skills.ts';

/**
 * Loads the hooks, agents and skills of settings and files for a thread in this folder. Prints a line for each problem.
 */
export async function loadCustomizations(
  ports: Ports,
  settings: Settings,
  cwd: string,
  say: (line: string) => void,
): Promise<Pick<ThreadHost, 'hooks' | 'agentRoles' | 'skills'>> {
  const place = { cwd, homeDirectory: ports.host.homeDirectory };
  const hooks = createHooks({ ports, settings: () => settings, roots: () => [cwd] });
  sayProposed((await hooks.current()).hooks, say);
  const agentFiles = createAgentFiles({
    ports,
    settings: () => settings,
    // Agents of the workspace are not loaded: a user has to approve them first, and the command line has no place for
    // that.
    roots: () => [],
    builtin: BUILTIN_ROLES.map(({ name }) => name),
  });
  await sayAgentProblems(agentFiles, place, say);
  // Skills of the workspace are not loaded for the same reason.
  const skills = createSkills({ ports, roots: () => [] });
  await saySkillProblems(skills, place, say);
  return { hooks: () => hooks.current(), agentRoles: () => agentFiles.roles(), skills: () => skills.used() };
}
