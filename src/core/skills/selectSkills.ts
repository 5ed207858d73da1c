import { mayTakeName, type ProposalState, proposalHash, proposalState } from '../trust/fileProposals.ts';
import type { Trust } from '../trust/trust.ts';
import type { Skill, SkillFile } from './skillFile.ts';

/** A skill or a prompt with its state. */
export interface SelectedSkill {
  readonly skill: Skill;
  readonly file: SkillFile;
  /**
   * The hash of the file's path and text: an approval holds for exactly this, and not for other files of the folder.
   */
  readonly hash: string;
  /** `shadowed`: an earlier file of its kind has its name. */
  readonly state: ProposalState | 'shadowed';
  /** One sentence for each part of the file that is unusual or has no effect. */
  readonly notes: readonly string[];
}

export interface SelectedSkills {
  readonly skills: readonly SelectedSkill[];
  /** One sentence for each file without a valid skill. */
  readonly problems: readonly { readonly source: string; readonly message: string }[];
}

export const NO_SKILLS: SelectedSkills = { skills: [], problems: [] };

/**
 * Decides which skills and prompts of files are used; of two of one kind with one name the first that is not refused.
 * Files of the user come first, so that no workspace replaces one of them. `otherTools`: names of the tools that
 * extensions offer.
 */
export async function selectSkills(
  files: readonly SkillFile[],
  trust: Pick<Trust, 'decisionOn'>,
  otherTools: readonly string[] = [],
): Promise<SelectedSkills> {
  if (files.length === 0) return NO_SKILLS;
  // It parses YAML, which most starts do not need.
  const { parseSkillFile } = await import('./skillFile.ts');
  const skills: SelectedSkill[] = [];
  const problems: { readonly source: string; readonly message: string }[] = [];
  /** By kind and name: a skill and a prompt of one name are reached as `/skill:name` and `/prompt:name`. */
  const takenBy = new Map<string, ProposalState>();
  for (const file of files) {
    const parsed = parseSkillFile(file, otherTools);
    if (parsed.type === 'problem') {
      problems.push({ source: file.source, message: parsed.message });
      continue;
    }
    const { name } = parsed.skill;
    const names = file.group === '' ? [name] : [name, `${file.group}:${name}`];
    const hash = proposalHash(file);
    const decided = await proposalState(file, hash, trust);
    const free = names.find((candidate) => mayTakeName(decided, takenBy.get(`${file.kind} ${candidate}`)));
    if (free !== undefined && decided !== 'refused') takenBy.set(`${file.kind} ${free}`, decided);
    const state = free === undefined && decided !== 'refused' ? 'shadowed' : decided;
    skills.push({ skill: { ...parsed.skill, name: free ?? name }, file, hash, state, notes: parsed.notes });
  }
  return { skills, problems };
}
