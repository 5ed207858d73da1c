import { describe, expect, it } from 'vitest';
import { skillCalledIn, textOfCall } from '../../../src/core/skills/callSkill.ts';
import { expandText } from '../../../src/core/skills/expandText.ts';
import type { Skill } from '../../../src/core/skills/skillFile.ts';

const one = (name: string, more: Partial<Skill> = {}): Skill => ({
  kind: 'skill',
  name,
  description: name,
  argumentHint: '',
  source: `/s/${name}/SKILL.md`,
  text: `Do ${name}.`,
  allowedTools: null,
  forModel: true,
  forUser: true,
  ...more,
});

describe('a message runs a skill', () => {
  const skills = [
    one('deploy'),
    one('größe'),
    one('hidden', { forUser: false }),
    one('review', { kind: 'prompt' }),
    one('front:test', { kind: 'prompt' }),
  ];
  it.each([
    ['/deploy', 'deploy', ''],
    ['  /deploy to\n production \n', 'deploy', 'to\n production'],
    ['/skill:deploy now', 'deploy', 'now'],
    ['/prompt:review', 'review', ''],
    ['/front:test x', 'front:test', 'x'],
    ['/größe', 'größe', ''],
  ])('%j', (text, name, args) => {
    expect(skillCalledIn(text, skills)).toEqual({ skill: skills.find((skill) => skill.name === name), args });
  });

  it.each([
    'deploy',
    'now /deploy',
    '/deployed',
    '/deploy/src is a folder',
    '/prompt:deploy',
    '/hidden',
    '/Deploy',
    '/',
    '//deploy',
  ])('not by %j', (text) => {
    expect(skillCalledIn(text, skills)).toBeUndefined();
  });
});

describe('what the model reads', () => {
  it('of a skill is its text with its folder, and that nothing has run its commands', () => {
    const skill = one('deploy', { text: 'Now: !`git status`\nUse $1 and ${CLAUDE_SKILL_DIR}/run.sh.' });
    expect(textOfCall({ skill, args: 'to x' }, '/w')).toEqual({
      text: [
        'The user runs the skill deploy. Follow it. Paths in it are relative to /s/deploy.',
        'Now: !`git status`\nUse $1 and /s/deploy/run.sh.',
        'ARGUMENTS: to x',
        'Nothing has run the commands that are marked with ! above. Run those whose output you need.',
      ].join('\n\n'),
      warnings: [],
    });
  });

  it.each([
    ['Compare @src/a.ts with it.', '', true],
    ['Compare @$1 with it.', 'docs/a.md', true],
    ['Read #file:../style.md.', '', true],
    ['@README.md', '', true],
    ['Write to me@example.com about @param and @team.', '', false],
    ['Fix $1.', 'it', false],
  ])('of the prompt %j with %j says that files are not attached: %s', (text, args, isSaid) => {
    const skill = one('fix', { kind: 'prompt', text });
    const last = 'Files that are named with @ or #file: above are not attached. Read those that you need.';
    expect(textOfCall({ skill, args }, '/w').text.endsWith(`\n\n${last}`)).toBe(isSaid);
  });

  it('of a prompt has a sentence to the user for each value that is missing', () => {
    const skill = one('fix', { kind: 'prompt', text: 'Fix ${input:issue:the number} by ${input:when}.' });
    expect(textOfCall({ skill, args: 'when=today' }, '/w')).toEqual({
      text: 'The user runs the prompt fix. Its text, with the arguments of the user filled in, is what to do.\n\nFix [no value for issue] by today.',
      warnings: ['/fix has no value for issue: write issue=… behind it.'],
    });
  });
});

describe('arguments', () => {
  const expand = (text: string, args: string, onlyWhole = false) =>
    expandText(text, args, { cwd: '/w', folder: '/s', onlyWhole }).text;
  it.each([
    ['Fix $ARGUMENTS.', 'a "b c"', 'Fix a "b c".'],
    ['$1, $2; $ARGUMENTS[0], $ARGUMENTS[2].', 'a "b c" d', 'a, b c; a, d.'],
    ['$1 costs $100, $HOME and $12.', 'It', 'It costs $100, $HOME and $12.'],
    ['Fix $1.', '', 'Fix .'],
    ['Fix.', 'it now', 'Fix.\n\nARGUMENTS: it now'],
    ['By $NAME in $PLACE.', "NAME='A B' x", 'By A B in $PLACE.'],
    ['Fix ${input:issue}.', '12 of them', 'Fix 12 of them.'],
    ['${input:a} then ${input:b:x} then ${input:a}', 'one "two words"', 'one then two words then one'],
    ['${input:a} ${input:b}', 'b=2 1', '1 2'],
    ['In ${workspaceFolder}, ${selection}.', '', 'In /w, ${selection}.'],
    ['$1', '$2 $ARGUMENTS ${input:x}', '$2'],
    ['$1', "don't stop", "don't"],
  ])('%j with %j', (text, args, expected) => {
    expect(expand(text, args)).toBe(expected);
  });

  it('of a skill are filled in only as a whole: $1 may be a part of a script', () => {
    expect(expand("awk '{print $1}' $FILE ${input:x} $ARGUMENTS", 'a b', true)).toBe(
      "awk '{print $1}' $FILE ${input:x} a b",
    );
  });
});
