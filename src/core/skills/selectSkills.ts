import { type ProposalState, proposalHash, proposalState } from '../trust/fileProposals.ts';
import type { Trust } from '../trust/trust.ts';
import { parseSkillFile, type Skill, type SkillFile } from './skillFile.ts';

/** What is done about a skill or a prompt. */
export interface SelectedSkill {
  readonly skill: Skill;
  readonly file: SkillFile;
  /** Of the file with its text: an approval holds for exactly this, and not for other files of the folder. */
  readonly hash: string;
  /** `shadowed`: an earlier file has its name. */
  readonly state: ProposalState | 'shadowed';
  /** What of the file is unusual or has no effect, one sentence each. */
  readonly notes: readonly string[];
}

export interface SelectedSkills {
  readonly skills: readonly SelectedSkill[];
  /** One sentence for each file that holds none. */
  readonly problems: readonly { readonly source: string; readonly message: string }[];
}

export const NO_SKILLS: SelectedSkills = { skills: [], problems: [] };

/**
 * Decides which skills and prompts of files are used; of two with one name the first. Files of the user come first, so that no
 * workspace replaces one of them.
 */
export async function selectSkills(
  files: readonly SkillFile[],
  trust: Pick<Trust, 'decisionOn'>,
): Promise<SelectedSkills> {
  const skills: SelectedSkill[] = [];
  const problems: { readonly source: string; readonly message: string }[] = [];
  const taken = new Set<string>();
  for (const file of files) {
    const parsed = parseSkillFile(file);
    if (parsed.type === 'problem') {
      problems.push({ source: file.source, message: parsed.message });
      continue;
    }
    const { name } = parsed.skill;
    const names = file.group === '' ? [name] : [name, `${file.group}:${name}`];
    const free = names.find((one) => !taken.has(one));
    if (free !== undefined) taken.add(free);
    const hash = proposalHash(file);
    const state = free === undefined ? 'shadowed' : await proposalState(file, hash, trust);
    skills.push({ skill: { ...parsed.skill, name: free ?? name }, file, hash, state, notes: parsed.notes });
  }
  return { skills, problems };
}
