import { describe, expect, it } from 'vitest';
import { previewRule } from '../../../src/core/policy/previewRule.ts';
import type { Rule } from '../../../src/protocol/policy.ts';

const always = (...pattern: string[]): Rule => ({ pattern, decision: 'allow' });
const script = (text: string) => ['bash', '-c', text];

describe('the effect of a rule on a pending command', () => {
  it('names the whole command, so that the prefix can be extended to it', () => {
    expect(previewRule(['npm', 'test', '--', '--coverage'], always('npm', 'test'), 'linux')).toEqual({
      words: ['npm', 'test', '--', '--coverage'],
      problem: null,
      stillAsked: [],
    });
  });

  it('covers the commands of a script that start with it, and names those that still need approval', () => {
    const preview = previewRule(script('ls && npm install x && npm test'), always('npm', 'test'), 'linux');
    expect(preview).toEqual({
      words: ['npm', 'test'],
      problem: null,
      stillAsked: ['npm install x'],
    });
  });

  it('refuses a prefix that would allow anything, with the reason', () => {
    expect(previewRule(['python3', 'a.py'], always('python3'), 'linux').problem).toMatch(/would allow any command/);
    for (const program of ['python3.12', '/usr/bin/node20', 'setsid', '.']) {
      expect(previewRule([program, 'a.py'], always(program), 'linux').problem).toMatch(/would allow any command/);
    }
    expect(previewRule(['python3', 'a.py'], always('python3', 'a.py'), 'linux').problem).toBeNull();
  });

  it('says when it covers no command', () => {
    expect(previewRule(['make'], always('npm'), 'linux')).toMatchObject({
      words: [],
      stillAsked: ['make'],
    });
  });
});
