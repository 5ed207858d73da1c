import { agentFilesIn, type AgentFiles } from '../node/customizations/createAgentFiles.ts';

/**
 * Prints at the start of `exec` which of the user's agent files have mistakes, and that those of the workspace are not
 * loaded.
 */
export async function sayAgentProblems(
  files: Pick<AgentFiles, 'current'>,
  { cwd, homeDirectory }: { readonly cwd: string; readonly homeDirectory: string },
  say: (line: string) => void,
): Promise<void> {
  const { agents, problems } = await files.current();
  for (const problem of problems) say(problem);
  for (const { file, notes } of agents) for (const note of notes) say(`${file.source}: ${note}`);
  const inWorkspace = cwd === homeDirectory ? [] : await agentFilesIn(cwd);
  if (inWorkspace.length > 0) say(`agents of the workspace are not loaded: ${inWorkspace.join(', ')}`);
}
