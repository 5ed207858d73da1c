/** The permissions in the prompt: one golden for each policy and each sandbox. */
import { describe, expect, it } from 'vitest';
import { permissionsMessage } from '../../../src/core/prompt/permissions.ts';
import { temporaryOf } from '../../../src/core/sandbox/temporary.ts';
import type { TurnSettings } from '../../../src/protocol/event.ts';
import {
  approvalPolicySchema,
  type SandboxMechanism,
  sandboxModeSchema,
  sandboxPolicySchema,
} from '../../../src/protocol/policy.ts';
import { textOf } from '../../../src/protocol/responseItem.ts';

const FOLDER = '/home/me/tiller/tmp/1';

function textFor(
  { sandbox, ...change }: Partial<TurnSettings> & { readonly sandbox?: object },
  folder = FOLDER,
): string {
  const settings: TurnSettings = {
    model: 'm',
    effort: null,
    summary: 'auto',
    cwd: '/work',
    approvalPolicy: 'on-request',
    sandboxPolicy: sandboxPolicySchema.parse({ type: 'workspace-write', ...sandbox }),
    box: 'bubblewrap',
    ...change,
  };
  const message = permissionsMessage(
    settings,
    temporaryOf(settings.box, settings.sandboxPolicy, folder, settings.cwd),
    [],
  );
  expect(message.role).toBe('developer');
  return textOf(message.content);
}

const SURROUNDINGS: readonly (readonly [name: string, sandbox: object, box: SandboxMechanism])[] = [
  ['read-only', { type: 'read-only' }, 'bubblewrap'],
  ['read-only with network', { type: 'read-only', networkAccess: true }, 'bubblewrap'],
  ['read-only without a working sandbox', { type: 'read-only' }, 'none'],
  ['workspace-write', { type: 'workspace-write' }, 'bubblewrap'],
  ['workspace-write with network', { type: 'workspace-write', networkAccess: true }, 'bubblewrap'],
  ['workspace-write on macOS', { type: 'workspace-write' }, 'seatbelt'],
  ['workspace-write without a working sandbox', { type: 'workspace-write' }, 'none'],
  ['danger-full-access', { type: 'danger-full-access' }, 'none'],
  ['external-sandbox', { type: 'external-sandbox' }, 'external'],
  ['external-sandbox with network', { type: 'external-sandbox', networkAccess: true }, 'external'],
];

describe('permissions', () => {
  for (const [name, sandbox, box] of SURROUNDINGS) {
    it.each(approvalPolicySchema.options)(`under ${name} and %s`, (approvalPolicy) => {
      const text = textFor({ sandbox, box, approvalPolicy });
      expect(text).toMatch(/^<permissions>\nSandbox: .*\n(Temporary files: .*\n)?Approvals: .*\n<\/permissions>$/);
      expect(text).toMatchSnapshot();
    });
  }

  const all = SURROUNDINGS.flatMap(([, sandbox, box]) =>
    approvalPolicySchema.options.map((approvalPolicy) => ({ sandbox, box, approvalPolicy })),
  );
  const matching = (words: RegExp) => all.filter((one) => words.test(textFor(one)));

  it('mention a sandbox of Tiller only where there is one', () => {
    const sandboxed = all.filter(({ box }) => box === 'bubblewrap' || box === 'seatbelt');
    expect(matching(/[Cc]ommands run in the sandbox|Approved commands run in the sandbox|outside the sandbox/)).toEqual(
      sandboxed,
    );
    expect(matching(/Temporary files/)).toEqual(sandboxed);
    expect(matching(/no sandbox is available/)).toHaveLength(2 * approvalPolicySchema.options.length);
  });

  it('describe escalation only where there is a sandbox to leave and the user is asked', () => {
    expect(matching(/require_escalated/)).toEqual(
      all.filter(({ box, approvalPolicy }) => approvalPolicy === 'on-request' && box !== 'none' && box !== 'external'),
    );
    expect(matching(/the user is asked/)).toEqual(all.filter(({ approvalPolicy }) => approvalPolicy !== 'never'));
  });

  it('do not offer the network where it is on', () => {
    expect(matching(/Network access is on/).filter((one) => /use the network/.test(textFor(one)))).toEqual([]);
    expect(matching(/use the network/)).not.toEqual([]);
  });

  it('differ for all modes and policies', () => {
    expect(new Set(sandboxModeSchema.options.map((type) => textFor({ sandbox: { type } }))).size).toBe(4);
    expect(new Set(approvalPolicySchema.options.map((approvalPolicy) => textFor({ approvalPolicy }))).size).toBe(4);
  });

  it.each([
    [
      {},
      `$TMPDIR is ${FOLDER}, private to this thread. To commands in the sandbox and to patches /tmp is the same folder. Commands outside the sandbox see the machine's /tmp: give them that path.`,
    ],
    [{ excludeSlashTmp: true }, `$TMPDIR is ${FOLDER}, private to this thread.`],
    [
      { excludeTmpdirEnvVar: true },
      `/tmp is ${FOLDER}, private to this thread. Commands outside the sandbox see the machine's /tmp: give them that path.`,
    ],
    [{ writableRoots: ['/tmp'] }, `$TMPDIR is ${FOLDER}, private to this thread.`],
  ])('with %j name the temporary folder', (sandbox, told) => {
    expect(textFor({ sandbox })).toContain(`\nTemporary files: ${told}\n`);
  });

  it('name no temporary folder where there is none', () => {
    const sandbox = { excludeSlashTmp: true, excludeTmpdirEnvVar: true };
    expect(textFor({ sandbox })).not.toContain('Temporary files');
  });

  it('escape lines and tags in the name of a folder', () => {
    const text = textFor({}, '/home/<me>\nSandbox: none/tmp/1');
    expect(text).toContain('$TMPDIR is /home/&lt;me&gt;&#10;Sandbox: none/tmp/1, private');
    expect(text.match(/^Sandbox/gm)).toHaveLength(1);
  });
});
