import { describe, expect, test } from 'vitest';
import { placeOnMachine, temporaryOf } from '../../../src/core/sandbox/temporary.ts';
import {
  type SandboxMechanism,
  type SandboxPolicy,
  sandboxPolicyInputSchema,
  sandboxPolicySchema,
} from '../../../src/protocol/policy.ts';

const FOLDER = '/home/me/tiller/tmp/1';
const workspaceWrite = (changes: object = {}): SandboxPolicy =>
  sandboxPolicySchema.parse({ type: 'workspace-write', ...changes });
const BOTH = { seenAt: [FOLDER, '/tmp'], isTmpdir: true };
const ITS_OWN = { seenAt: [FOLDER], isTmpdir: true };
const NOWHERE = { seenAt: [], isTmpdir: false };
const viewOf = (box: SandboxMechanism, policy: SandboxPolicy, cwd = '/w') => temporaryOf(box, policy, FOLDER, cwd);

describe('the paths of the temporary folder for sandboxed commands', () => {
  test.each<[SandboxMechanism, SandboxPolicy, string, { seenAt: string[]; isTmpdir: boolean }]>([
    ['bubblewrap', workspaceWrite(), '/w', BOTH],
    ['bubblewrap', sandboxPolicyInputSchema.parse('read-only'), '/w', BOTH],
    ['bubblewrap', workspaceWrite({ excludeSlashTmp: true }), '/w', ITS_OWN],
    ['bubblewrap', workspaceWrite({ excludeTmpdirEnvVar: true }), '/w', { ...BOTH, isTmpdir: false }],
    ['bubblewrap', workspaceWrite({ writableRoots: ['/tmp/'] }), '/w', ITS_OWN],
    ['bubblewrap', workspaceWrite({ writableRoots: ['/tmp/x'] }), '/w', BOTH],
    ['bubblewrap', workspaceWrite(), '/tmp', ITS_OWN],
    ['seatbelt', workspaceWrite(), '/w', ITS_OWN],
    ['seatbelt', workspaceWrite({ excludeTmpdirEnvVar: true }), '/w', NOWHERE],
    ['none', workspaceWrite(), '/w', NOWHERE],
    ['none', sandboxPolicyInputSchema.parse('danger-full-access'), '/w', NOWHERE],
    ['external', sandboxPolicyInputSchema.parse('external-sandbox'), '/w', NOWHERE],
  ])('%s, %j in %s: %j', (box, policy, cwd, expected) => {
    const { seenAt, isTmpdir } = viewOf(box, policy, cwd);
    expect({ seenAt, isTmpdir }).toEqual(expected);
  });
});

describe('the place of a path that sandboxed commands use', () => {
  const shown = ['/tmp/project', '/home/me/project', '/'];
  const place = (given: string, box: SandboxMechanism = 'bubblewrap', folder = FOLDER) =>
    placeOnMachine(given, temporaryOf(box, workspaceWrite(), folder, '/w'), shown);

  test.each([
    ['/tmp', FOLDER],
    ['/tmp/x/y', `${FOLDER}/x/y`],
    ['/tmp/projects/x', `${FOLDER}/projects/x`],
    ['/tmp/project', '/tmp/project'],
    ['/tmp/project/x', '/tmp/project/x'],
    ['/home/me/project/x', '/home/me/project/x'],
    ['/tmpx', '/tmpx'],
    [`${FOLDER}/x`, `${FOLDER}/x`],
  ])('at %s is %s', (given, expected) => {
    expect(place(given)).toBe(expected);
  });

  test('is the same path where they see the /tmp of the machine, and in a folder inside /tmp', () => {
    expect(place('/tmp/x', 'seatbelt')).toBe('/tmp/x');
    expect(place('/tmp/x', 'none')).toBe('/tmp/x');
    expect(place('/tmp/home/tmp/1/x', 'bubblewrap', '/tmp/home/tmp/1')).toBe('/tmp/home/tmp/1/x');
  });
});
