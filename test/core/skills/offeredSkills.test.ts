import { expect, it } from 'vitest';
import { offeredSkills } from '../../../src/core/skills/offeredSkills.ts';
import type { SelectedSkill } from '../../../src/core/skills/selectSkills.ts';
import type { Skill } from '../../../src/core/skills/skillFile.ts';

const one = (name: string, state: SelectedSkill['state'], more: Partial<Skill> = {}): SelectedSkill => {
  const skill: Skill = {
    kind: 'skill',
    name,
    description: `Does ${name}.`,
    argumentHint: '',
    source: `/s/${name}/SKILL.md`,
    text: name,
    allowedTools: null,
    forModel: true,
    forUser: true,
    ...more,
  };
  const { kind, source, text } = skill;
  const file = { kind, source, text, origin: 'workspace', given: name, group: '' } as const;
  return { skill, file, hash: `${state} ${name}`, state, notes: [] };
};

it('the composer offers what the user can run or approve, each name of a kind once', () => {
  const rows = offeredSkills([
    one('deploy', 'proposed'),
    one('deploy', 'used', { description: 'x'.repeat(300), argumentHint: '[where]' }),
    one('deploy', 'proposed', { kind: 'prompt' }),
    one('deploy', 'shadowed'),
    one('spy', 'refused'),
    one('quiet', 'used', { forUser: false }),
    one('only', 'used', { forModel: false }),
    one('new', 'proposed'),
  ]);
  const row = { kind: 'skill', hint: '', isProposed: false };
  expect(rows).toEqual([
    { ...row, name: 'deploy', help: `${'x'.repeat(199)}…`, hint: '[where]' },
    { ...row, kind: 'prompt', name: 'deploy', help: 'Does deploy.', isProposed: true },
    { ...row, name: 'only', help: 'Does only.' },
    { ...row, name: 'new', help: 'Does new.', isProposed: true },
  ]);
});
