import { type Skills, skillFilesIn } from '../node/customizations/createSkills.ts';

/**
 * Prints at the start of `exec` which of the user's skills and prompts have mistakes, and that those of the workspace
 * are not loaded.
 */
export async function saySkillProblems(
  skills: Pick<Skills, 'current'>,
  { cwd, homeDirectory }: { readonly cwd: string; readonly homeDirectory: string },
  say: (line: string) => void,
): Promise<void> {
  const { problems } = await skills.current();
  for (const { source, message } of problems) say(`${source}: ${message}.`);
  const inWorkspace = cwd === homeDirectory ? [] : await skillFilesIn(cwd);
  if (inWorkspace.length > 0) say(`skills and prompts of the workspace are not loaded: ${inWorkspace.join(', ')}`);
}
