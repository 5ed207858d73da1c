import { shortened } from '../../protocol/text/truncate.ts';
import type { SkillRow } from '../../protocol/wire.ts';
import type { SelectedSkill } from './selectSkills.ts';

/** In characters: messages to the panel are limited in size. */
const MAX_HELP = 200;

/** Returns the rows that the composer offers at a `/`: skills in use, and proposals whose name no skill in use has. */
export function offeredSkills(skills: readonly SelectedSkill[]): readonly SkillRow[] {
  const isUsed = ({ kind, name }: SelectedSkill['skill']) =>
    skills.some(({ skill, state }) => state === 'used' && skill.kind === kind && skill.name === name);
  return skills
    .filter(({ skill, state }) => skill.forUser && (state === 'used' || (state === 'proposed' && !isUsed(skill))))
    .map(({ skill: { kind, name, description, argumentHint }, state }) => ({
      kind,
      name,
      help: shortened(description, MAX_HELP),
      hint: argumentHint,
      isProposed: state === 'proposed',
    }));
}
