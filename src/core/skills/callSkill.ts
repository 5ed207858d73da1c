import path from 'node:path';
import { expandText, hasCommands, namesFiles } from './expandText.ts';
import type { Skill } from './skillFile.ts';

/** A message that runs a skill or a prompt. */
export interface SkillCall {
  readonly skill: Skill;
  /** The text after the name of the skill. */
  readonly args: string;
}

/**
 * The skill or prompt that a message runs: it begins with `/name`, or with `/skill:name` or `/prompt:name` where a command of
 * the panel has the name.
 */
export function skillCalledIn(text: string, skills: readonly Skill[]): SkillCall | undefined {
  const [, kind, name, args = ''] =
    /^\/(?:(skill|prompt):)?([\p{L}\p{N}_.:-]+)(?:\s+([^]*))?$/u.exec(text.trim()) ?? [];
  if (name === undefined) return undefined;
  const found = (wanted: string, of?: string) =>
    skills.find((skill) => skill.forUser && skill.name === wanted && (of === undefined || skill.kind === of));
  const skill = found(name, kind) ?? (kind === undefined ? undefined : found(`${kind}:${name}`));
  return skill && { skill, args: args.trim() };
}

export interface SkillText {
  /** For the model. */
  readonly text: string;
  /** One sentence for the user for each value that is missing. */
  readonly warnings: readonly string[];
}

/** The message to the model for a skill or prompt that the user runs. */
export function textOfCall({ skill, args }: SkillCall, cwd: string): SkillText {
  const { kind, name, source } = skill;
  const folder = path.dirname(source);
  const { text, missing } = expandText(skill.text, args, { cwd, folder, onlyWhole: kind === 'skill' });
  const introduction =
    kind === 'skill'
      ? `The user runs the skill ${name}. Follow it. Paths in it are relative to ${folder}.`
      : `The user runs the prompt ${name}. Its text, with the arguments of the user filled in, is what to do.`;
  const notes = [
    ...(hasCommands(skill.text)
      ? ['Nothing has run the commands that are marked with ! above. Run those whose output you need.']
      : []),
    ...(kind === 'prompt' && namesFiles(text)
      ? ['Files that are named with @ or #file: above are not attached. Read those that you need.']
      : []),
  ];
  return {
    text: [introduction, text, ...notes].join('\n\n'),
    warnings: missing.map((input) => `/${name} has no value for ${input}: write ${input}=… behind it.`),
  };
}
