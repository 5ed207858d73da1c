/**
 * Walls as arguments of bubblewrap 0.6 and newer (bwrap(1)). Pure: `node/sandbox` looks at the tree and launches.
 *
 * A later mount stands before an earlier one, so everything is laid from the outside in: what lies deeper comes later.
 */
import { isWithin } from './within.ts';

/** The tree as it is. All paths are absolute and real: no part of them is a link. */
export interface TreeFacts {
  /** Folders that may be written. */
  readonly writable: readonly string[];
  /** Existing files and folders inside of them that may not be. */
  readonly readOnly: readonly string[];
  /** To be seen although the folder around them may be hidden. */
  readonly visible: readonly string[];
  /** What cannot be read, as it exists. */
  readonly masked: readonly { readonly path: string; readonly type: 'file' | 'directory' }[];
  readonly temporary: { readonly folder: string; readonly seenAt: readonly string[] };
  /** Folders in which programs leave sockets and secrets for each other, as they exist: empty from inside. */
  readonly hidden: readonly string[];
  readonly isRoot: boolean;
}

export interface BubblewrapOptions {
  readonly network: boolean;
  /** With a terminal the session must stay the terminal's; the filter keeps it from being typed into. */
  readonly tty: boolean;
  /** bubblewrap 0.8 knows `--disable-userns`; the filter forbids the same. */
  readonly disablesUserNamespaces: boolean;
  readonly cwd: string;
}

/** Folders that are never what the machine has there. */
export const HIDDEN_FOLDERS: readonly string[] = ['/tmp', '/run', '/var/tmp'];
/**
 * sysctl, the magic SysRq key, interrupts, buses, drivers: files that belong to uid 0 and ask for no capability. For root all
 * of /proc is read-only, in one mount where guarding each would take a millisecond or two; for others the permissions do,
 * and sysctl, which matters most, is guarded besides.
 */
const KERNEL_FILES = { root: ['--remount-ro', '/proc'], others: readOnlyBind('/proc/sys') } as const;
/** Secrets of the machine, which nobody but root can read: for a Tiller that runs as root. */
export const MACHINE_SECRETS: readonly string[] = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssh/ssh_host_rsa_key',
  '/etc/ssh/ssh_host_ecdsa_key',
  '/etc/ssh/ssh_host_ed25519_key',
  '/etc/ssl/private',
];
/** Needed of the hidden folders: programs of systems that keep them there, and how names are resolved. */
export const SHOWN_ALWAYS: readonly string[] = ['/run/current-system', '/run/wrappers', '/run/opengl-driver'];
export const SHOWN_WITH_NETWORK: readonly string[] = ['/run/systemd/resolve', '/run/resolvconf', '/run/nscd'];

/** Everything up to the `--` behind which the command stands. */
export function bubblewrapArguments(facts: TreeFacts, options: BubblewrapOptions): string[] {
  const mounts = mountsOf(facts).toSorted((left, right) => depth(left.at) - depth(right.at));
  return [
    '--unshare-user',
    ...(options.disablesUserNamespaces ? ['--disable-userns'] : []),
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(options.network ? [] : ['--unshare-net']),
    '--die-with-parent',
    '--cap-drop',
    'ALL',
    ...(options.tty ? [] : ['--new-session']),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...(facts.isRoot ? KERNEL_FILES.root : KERNEL_FILES.others),
    ...mounts.flatMap(({ args }) => args),
    // Sealed last: until then the places of the mounts inside could be made.
    ...mounts.flatMap(({ at, isSealed }) => (isSealed === true ? ['--remount-ro', at] : [])),
    '--chdir',
    options.cwd,
  ];
}

interface Mount {
  readonly at: string;
  readonly args: readonly string[];
  readonly isSealed?: boolean;
}

/** Where two mounts have the same place the later one of this list holds. */
function mountsOf(facts: TreeFacts): Mount[] {
  const { writable } = facts;
  const { folder, seenAt } = facts.temporary;
  const hidden = facts.hidden.filter((at) => !seenAt.includes(at));
  const writableAlready = seenAt.includes(folder) ? [...writable, folder] : writable;
  const isIn = (path: string, folders: readonly string[]) => folders.some((one) => isWithin(path, one));
  const visible = facts.visible.filter(
    (at) => !isIn(at, writableAlready) && isIn(at, [...hidden, ...seenAt, ...facts.masked.map(({ path }) => path)]),
  );
  // Nothing has to be kept from being read where nothing of the machine is seen.
  const masked = facts.masked.filter(
    ({ path }) => !isIn(path, [...hidden, ...seenAt]) || isIn(path, [...visible, ...writable]),
  );
  return [
    ...hidden.map((at) => ({ at, args: ['--tmpfs', at], isSealed: true })),
    ...seenAt.map((at) => ({ at, args: ['--bind', folder, at] })),
    ...masked.map(({ path, type }) =>
      type === 'file'
        ? { at: path, args: ['--ro-bind', '/dev/null', path] }
        : { at: path, args: ['--perms', '0111', '--tmpfs', path], isSealed: true },
    ),
    ...visible.map((at) => ({ at, args: readOnlyBind(at) })),
    ...writable.map((at) => ({ at, args: ['--bind', at, at] })),
    ...facts.readOnly.map((at) => ({ at, args: readOnlyBind(at) })),
  ];
}

function readOnlyBind(path: string): string[] {
  return ['--ro-bind', path, path];
}

function depth(path: string): number {
  return path.split('/').length;
}
