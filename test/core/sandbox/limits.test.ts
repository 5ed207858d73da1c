import { describe, expect, test } from 'vitest';
import { type SandboxSupport, resolveSandbox } from '../../../src/core/sandbox/resolveSandbox.ts';
import { bubblewrapArguments, type TreeFacts } from '../../../src/core/sandbox/bubblewrap.ts';
import { confine, forReading, unreadablePaths } from '../../../src/core/sandbox/confinement.ts';
import { seatbeltArguments, seatbeltProfile } from '../../../src/core/sandbox/seatbelt.ts';
import { seccompProgram } from '../../../src/core/sandbox/seccomp.ts';
import { type SandboxTrial, whyNoSandbox } from '../../../src/core/sandbox/whyNoSandbox.ts';
import { type SandboxPolicy, sandboxPolicyInputSchema, sandboxPolicySchema } from '../../../src/protocol/policy.ts';

const surroundings = {
  cwd: '/w',
  platform: 'linux',
  tmpdirVariable: '/scratch',
  temporaryFolder: '/home/me/tiller/tmp/1',
  unreadable: ['/home/me/.ssh'],
  unreadableGlobs: [],
} as const;
const policy = (changes: object): SandboxPolicy => sandboxPolicySchema.parse({ type: 'workspace-write', ...changes });
const wallsOf = (one: SandboxPolicy) => {
  const confinement = confine('bubblewrap', one, surroundings);
  if (confinement.type === 'none') throw new Error('no walls');
  return confinement.limits;
};

describe('the sandbox limits of a policy', () => {
  test('the workspace, named folders, the temporary folder of the thread, and not the one that it replaces', () => {
    const limits = wallsOf(policy({ writableRoots: ['/other'], networkAccess: true }));
    expect(limits.writableRoots.map(({ path }) => path)).toEqual(['/w', '/other']);
    expect(limits).toMatchObject({
      network: true,
      visible: ['/w'],
      unreadable: ['/home/me/.ssh', '/scratch'],
      temporary: { folder: '/home/me/tiller/tmp/1', seenAt: ['/home/me/tiller/tmp/1', '/tmp'], isTmpdir: true },
    });
  });

  test('temporary folders can be excluded one by one', () => {
    const seenAt = (changes: object) => wallsOf(policy(changes)).temporary.seenAt;
    expect(seenAt({ excludeSlashTmp: true })).toEqual(['/home/me/tiller/tmp/1']);
    expect(seenAt({ excludeTmpdirEnvVar: true })).toEqual(['/home/me/tiller/tmp/1', '/tmp']);
    expect(seenAt({ excludeSlashTmp: true, excludeTmpdirEnvVar: true })).toEqual([]);
    expect(wallsOf(policy({ excludeTmpdirEnvVar: true })).unreadable).toEqual(['/home/me/.ssh']);
  });

  test('a temporary folder of the machine that is writable by itself stays what it is', () => {
    const limits = wallsOf(policy({ writableRoots: ['/tmp', '/scratch'] }));
    expect(limits.writableRoots.map(({ path }) => path)).toEqual(['/w', '/tmp', '/scratch']);
    expect(limits.temporary.seenAt).toEqual(['/home/me/tiller/tmp/1']);
    expect(limits.unreadable).toEqual(['/home/me/.ssh']);
    const inWorkspace = confine('bubblewrap', policy({}), { ...surroundings, tmpdirVariable: '/w/scratch' });
    expect(inWorkspace).toMatchObject({ limits: { unreadable: ['/home/me/.ssh'] } });
  });

  test('read-only can write in the temporary folder of the thread only', () => {
    expect(wallsOf(sandboxPolicyInputSchema.parse('read-only'))).toMatchObject({ writableRoots: [], network: false });
  });

  test.each(['danger-full-access', 'external-sandbox'])('%s has none', (mode) => {
    expect(confine('bubblewrap', sandboxPolicyInputSchema.parse(mode), surroundings)).toEqual({ type: 'none' });
  });

  test('for reading nothing may be written but the private /tmp, and all that could be is still seen', () => {
    const limits = wallsOf(policy({ writableRoots: ['/other'], networkAccess: true, excludeSlashTmp: true }));
    expect(forReading({ type: 'sandbox', limits })).toEqual({
      type: 'sandbox',
      limits: { ...limits, writableRoots: [], visible: ['/w', '/w', '/other'] },
    });
    expect(forReading({ type: 'none' })).toEqual({ type: 'none' });
  });

  test('unreadable places start at the home folder or the root, and always include TILLER_HOME', () => {
    expect(unreadablePaths(['~/.ssh', '/srv/keys', 'relative'], '/home/me', '/home/me/tiller')).toEqual([
      '/home/me/.ssh',
      '/srv/keys',
      '/home/me/tiller',
    ]);
  });
});

describe('the choice of the sandbox mechanism', () => {
  const works = (): SandboxSupport => ({ type: 'works', box: 'bubblewrap' });
  const fails = (): SandboxSupport => ({ type: 'fails', cause: 'Because.' });
  test.each([
    ['read-only', works, { box: 'bubblewrap', noSandboxCause: undefined }],
    ['workspace-write', works, { box: 'bubblewrap', noSandboxCause: undefined }],
    ['workspace-write', fails, { box: 'none', noSandboxCause: 'Because.' }],
    ['danger-full-access', fails, { box: 'none', noSandboxCause: undefined }],
    ['external-sandbox', fails, { box: 'external', noSandboxCause: undefined }],
  ] as const)('%s', (mode, support, chosen) => {
    expect(resolveSandbox(sandboxPolicyInputSchema.parse(mode), support)).toEqual(chosen);
  });

  const trial: SandboxTrial = {
    bwrap: '/usr/bin/bwrap',
    hasFilter: true,
    architecture: 'x64',
    stderr: 'bwrap: setting up uid map: Permission denied\n',
    appArmorRestricts: false,
    namespacesDisabled: false,
    inContainer: false,
  };
  test.each([
    [{ bwrap: null }, 'sudo apt install bubblewrap'],
    [{ hasFilter: false, architecture: 'riscv64' }, 'riscv64'],
    [{ appArmorRestricts: true }, 'AppArmor keeps programs without a profile from making user namespaces'],
    [{ inContainer: true }, '--security-opt seccomp=unconfined'],
    [{ namespacesDisabled: true }, 'kernel.unprivileged_userns_clone=1'],
    [{}, 'bubblewrap does not work on this machine (bwrap: setting up uid map: Permission denied).'],
  ])('why there is none: %j', (seen, words) => {
    expect(whyNoSandbox({ ...trial, ...seen })).toContain(words);
  });
});

describe('bubblewrap', () => {
  const facts: TreeFacts = {
    writable: ['/tmp/w', '/home/me/p'],
    readOnly: ['/tmp/w/.git'],
    visible: ['/home/me/p', '/run/wrappers'],
    masked: [
      { path: '/home/me/.ssh', type: 'directory' },
      { path: '/home/me/.npmrc', type: 'file' },
      { path: '/tmp/secret', type: 'file' },
    ],
    temporary: { folder: '/t', seenAt: ['/tmp'] },
    hidden: ['/tmp', '/run'],
    isRoot: false,
  };
  const options = { network: false, tty: false, disablesUserNamespaces: true, cwd: '/tmp/w' };

  test('mounts outer folders before inner ones, and unreadable places last', () => {
    const args = bubblewrapArguments(facts, options).join(' ');
    expect(args.slice(args.indexOf('--ro-bind / /'))).toBe(
      [
        '--ro-bind / / --dev /dev --proc /proc --ro-bind /proc/sys /proc/sys',
        '--tmpfs /run --bind /t /tmp',
        '--ro-bind /run/wrappers /run/wrappers --bind /tmp/w /tmp/w',
        '--perms 0111 --tmpfs /home/me/.ssh --ro-bind /dev/null /home/me/.npmrc --bind /home/me/p /home/me/p',
        '--ro-bind /tmp/w/.git /tmp/w/.git',
        '--remount-ro /run --remount-ro /home/me/.ssh',
        '--chdir /tmp/w',
      ].join(' '),
    );
  });

  test('gives root no writable file of the kernel', () => {
    const args = bubblewrapArguments({ ...facts, isRoot: true }, options).join(' ');
    expect(args).toContain('--proc /proc --remount-ro /proc --tmpfs /run');
  });

  test('has no network unless allowed, keeps the session of a terminal, and drops options that do not work', () => {
    const { network, tty, disablesUserNamespaces } = {
      network: '--unshare-net',
      tty: '--new-session',
      disablesUserNamespaces: '--disable-userns',
    };
    const has = (changes: object) =>
      [network, tty, disablesUserNamespaces].filter((one) =>
        bubblewrapArguments(facts, { ...options, ...changes }).includes(one),
      );
    expect(has({})).toEqual([network, tty, disablesUserNamespaces]);
    expect(has({ network: true, tty: true, disablesUserNamespaces: false })).toEqual([]);
  });
});

describe('the system call filter', () => {
  /** Evaluates classic BPF for a call (bpf(4)), with the same steps as the kernel. */
  function verdict(program: Uint8Array, architecture: number, number: number, ...words: number[]): number {
    const view = new DataView(program.buffer, program.byteOffset);
    const data: Record<number, number> = {
      0: number,
      4: architecture,
      16: words[0] ?? 0,
      24: words[1] ?? 0,
      32: words[2] ?? 0,
      40: words[3] ?? 0,
    };
    let loaded = 0;
    for (let at = 0; ; at++) {
      const [code, operand] = [view.getUint16(at * 8, true), view.getUint32(at * 8 + 4, true)];
      const jump = (holds: boolean) => (at += view.getUint8(at * 8 + (holds ? 2 : 3)));
      if (code === 0x20) loaded = data[operand] ?? 0;
      else if (code === 0x15) jump(loaded === operand);
      else if (code === 0x35) jump(loaded >= operand);
      else if (code === 0x45) jump((loaded & operand) !== 0);
      else return operand;
    }
  }
  const [ALLOW, KILL, EPERM, ENOSYS] = [0x7fff0000, 0x80000000, 0x00050001, 0x00050026];
  const machines = {
    x64: {
      architecture: 0xc000003e,
      read: 0,
      mount: 165,
      socket: 41,
      socketpair: 53,
      ioctl: 16,
      clone: 56,
      unshare: 272,
    },
    arm64: {
      architecture: 0xc00000b7,
      read: 63,
      mount: 40,
      socket: 198,
      socketpair: 199,
      ioctl: 29,
      clone: 220,
      unshare: 97,
    },
  };

  test.each(Object.entries(machines))('on %s lets through what reaches nobody else', (name, calls) => {
    const program = seccompProgram(name) ?? new Uint8Array();
    const say = (number: number, ...words: number[]) => verdict(program, calls.architecture, number, ...words);
    expect(verdict(program, 0x40000003, 0)).toBe(KILL);
    expect([say(calls.read), say(calls.mount), say(425), say(435)]).toEqual([ALLOW, EPERM, EPERM, ENOSYS]);
    expect([1, 2, 10, 16, 17, 40].map((family) => say(calls.socket, family))).toEqual([
      EPERM,
      ALLOW,
      ALLOW,
      ALLOW,
      EPERM,
      EPERM,
    ]);
    expect([1, 2].map((family) => say(calls.socketpair, family))).toEqual([ALLOW, EPERM]);
    // Stream, datagram, raw and seqpacket sockets; the same with SOCK_CLOEXEC and SOCK_NONBLOCK.
    for (const flags of [0, 0x80000 | 0x800]) {
      const verdicts = [1, 2, 3, 5].map((type) => say(calls.socketpair, 1, type | flags));
      expect(verdicts).toEqual([ALLOW, EPERM, EPERM, ALLOW]);
    }
    expect([0x5401, 0x5412, 0x541c].map((request) => say(calls.ioctl, 1, request))).toEqual([ALLOW, EPERM, EPERM]);
    expect([0x11, 0x10000011, 0x20000, 0x80].map((flags) => say(calls.clone, flags))).toEqual([
      ALLOW,
      EPERM,
      EPERM,
      ALLOW,
    ]);
    expect([0x400, 0x40000000, 0x80].map((flags) => say(calls.unshare, flags))).toEqual([ALLOW, EPERM, EPERM]);
  });

  test.each([
    ['x64', 0xc000003e, { fchmod: 91, fchmodat: 268, openat: 257 }],
    ['arm64', 0xc00000b7, { fchmod: 52, fchmodat: 53, openat: 56 }],
  ])(
    'on %s nothing is made that runs with the rights of its owner',
    (name, architecture, { fchmod, fchmodat, openat }) => {
      const program = seccompProgram(name) ?? new Uint8Array();
      const say = (number: number, ...words: number[]) => verdict(program, architecture, number, ...words);
      expect([say(fchmod, 3, 0o755), say(fchmod, 3, 0o4755), say(fchmodat, 3, 0, 0o4755)]).toEqual([
        ALLOW,
        EPERM,
        EPERM,
      ]);
      // Open for reading, with any value in the mode argument; create; create with the bit; a nameless file with the bit.
      const opens = [
        [0, 0o4755],
        [0o101, 0o644],
        [0o101, 0o4755],
        [0x410002, 0o4755],
      ].map(([flags = 0, mode = 0]) => say(openat, 3, 0, flags, mode));
      expect(opens).toEqual([ALLOW, ALLOW, EPERM, EPERM]);
      expect(say(437)).toBe(ENOSYS);
    },
  );

  test('blocks calls of x32', () => {
    expect(verdict(seccompProgram('x64') ?? new Uint8Array(), 0xc000003e, 0x40000001)).toBe(ENOSYS);
  });

  test('exists for known machines only', () => {
    expect(seccompProgram('riscv64')).toBeUndefined();
  });
});

describe('the Seatbelt profile', () => {
  const limits = wallsOf(policy({ writableRoots: ['/a "quoted") (allow default'] }));

  test('says paths by parameter only, and forbids inside a folder after it allowed the folder', () => {
    const { text, parameters } = seatbeltProfile(limits);
    expect(text).not.toContain('quoted');
    expect(parameters).toMatchObject({
      WRITABLE_0: '/w',
      WRITABLE_1: '/a "quoted") (allow default',
      PROTECTED_0: '/w/.git',
    });
    const lines = text.split('\n');
    expect(lines.slice(0, 2)).toEqual(['(version 1)', '(deny default)']);
    const allows = lines.indexOf('(allow file-write* (subpath (param "WRITABLE_0")))');
    const forbids = lines.indexOf('(deny file-write* (literal (param "PROTECTED_0")) (subpath (param "PROTECTED_0")))');
    expect(allows).toBeGreaterThan(0);
    expect(forbids).toBeGreaterThan(allows);
    expect(text).toContain(
      '(deny file-read-data file-write* (literal (param "UNREADABLE_0")) (subpath (param "UNREADABLE_0")))',
    );
    expect(text).not.toContain('network-outbound');
  });

  test('forbids names that end like a workspace file in every writable folder', () => {
    const { text } = seatbeltProfile(limits);
    for (const root of ['WRITABLE_0', 'WRITABLE_1']) {
      expect(text).toContain(
        `(deny file-write* (require-all (subpath (param "${root}")) (regex #"\\.code-workspace$")))`,
      );
    }
  });

  test('allows reading a visible folder after the one around it is forbidden, and before what is forbidden in it', () => {
    const [home, skills] = ['/home/me/tiller', '/home/me/tiller/skills'];
    const unreadable = [`${skills}/.env`, home, '/home/me/.ssh'];
    const { text, parameters } = seatbeltProfile({ ...limits, unreadable, visible: ['/w', skills] });
    const rules = text.split('\n').filter((line) => /UNREADABLE|VISIBLE/.test(line));
    expect(rules.map((line) => /(deny|allow file-read\*).*"(\w+)"/.exec(line)?.slice(1))).toEqual([
      ['deny', 'UNREADABLE_1'],
      ['allow file-read*', 'VISIBLE_0'],
      ['deny', 'UNREADABLE_0'],
      ['deny', 'UNREADABLE_2'],
    ]);
    expect(parameters).toMatchObject({ VISIBLE_0: skills, UNREADABLE_1: home });
  });

  test('allows the temporary folder of the thread after TILLER_HOME around it is forbidden', () => {
    const inHome = { ...limits, unreadable: ['/home/me/tiller'] };
    const lines = seatbeltProfile(inHome).text.split('\n');
    const forbids = lines.findIndex((line) => line.includes('UNREADABLE_0'));
    const allows = lines.indexOf('(allow file-read* file-write* (subpath (param "TEMPORARY_0")))');
    expect(forbids).toBeGreaterThan(0);
    expect(allows).toBeGreaterThan(forbids);
    expect(seatbeltProfile(inHome).parameters).toMatchObject({ TEMPORARY_0: '/home/me/tiller/tmp/1' });
    const without = { ...inHome, temporary: { ...limits.temporary, isTmpdir: false } };
    expect(seatbeltProfile(without).text).not.toContain('TEMPORARY');
  });

  test('opens the network when the policy allows it', () => {
    expect(seatbeltProfile({ ...limits, network: true }).text).toContain('(allow network-outbound (remote ip))');
  });

  test('is handed over as arguments, with an end of options', () => {
    const args = seatbeltArguments(limits);
    expect(args[0]).toBe('-p');
    expect(args).toContain('WRITABLE_0=/w');
    expect(args.at(-1)).toBe('--');
  });
});
