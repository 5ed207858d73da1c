/**
 * Arguments of bubblewrap 0.6 and newer (bwrap(1)) for a sandbox. Pure: `node/sandbox` inspects the file tree and
 * launches.
 *
 * A later mount covers an earlier one, so mounts are ordered from the outside in: deeper paths come later.
 */
import { isWithin } from './within.ts';

/** The current file tree. All paths are absolute and real: no part of them is a link. */
export interface TreeFacts {
  /** Writable folders. */
  readonly writable: readonly string[];
  /** Existing files and folders inside of them that are read-only. */
  readonly readOnly: readonly string[];
  /** Visible although the folder around them may be hidden. */
  readonly visible: readonly string[];
  /** Existing files and folders that cannot be read. */
  readonly masked: readonly { readonly path: string; readonly type: 'file' | 'directory' }[];
  readonly temporary: { readonly folder: string; readonly seenAt: readonly string[] };
  /** Existing folders in which programs leave sockets and secrets for each other: they are empty inside the sandbox. */
  readonly hidden: readonly string[];
  readonly isRoot: boolean;
}

export interface BubblewrapOptions {
  readonly network: boolean;
  /** With a terminal, the process stays in the terminal's session; the system call filter prevents injected input. */
  readonly tty: boolean;
  /** bubblewrap 0.8 and newer support `--disable-userns`; the filter forbids the same. */
  readonly disablesUserNamespaces: boolean;
  readonly cwd: string;
}

/** Folders that never show the machine's content. */
export const HIDDEN_FOLDERS: readonly string[] = ['/tmp', '/run', '/var/tmp'];
/**
 * sysctl, the magic SysRq key, interrupts, buses, drivers: files that belong to uid 0 and ask for no capability. For
 * root all of /proc is read-only, in one mount, because protecting each file would take a millisecond or two; for other
 * users the permissions protect them, and sysctl, the most important one, is protected in addition.
 */
const KERNEL_FILES = { root: ['--remount-ro', '/proc'], others: readOnlyBind('/proc/sys') } as const;
/** Secrets of the machine that only root can read: for a Tiller that runs as root. */
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
/** Parts of the hidden folders that are needed: programs of systems that keep them there, and name resolution. */
export const SHOWN_ALWAYS: readonly string[] = ['/run/current-system', '/run/wrappers', '/run/opengl-driver'];
export const SHOWN_WITH_NETWORK: readonly string[] = ['/run/systemd/resolve', '/run/resolvconf', '/run/nscd'];

/** All arguments up to the `--` before the command. */
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
    // Sealed last, because the mount points inside must be created before.
    ...mounts.flatMap(({ at, isSealed }) => (isSealed === true ? ['--remount-ro', at] : [])),
    '--chdir',
    options.cwd,
  ];
}

/**
 * Arguments of an outer bubblewrap that makes a network of its own, with its loopback device, and hides nothing. The
 * sandbox inside of it is made without `--unshare-net`.
 */
export function hostNetworkArguments(): string[] {
  return ['--unshare-user', '--unshare-net', '--die-with-parent', '--dev-bind', '/', '/'];
}

interface Mount {
  readonly at: string;
  readonly args: readonly string[];
  readonly isSealed?: boolean;
}

/** The mounts, in order: of two with the same path the later one has effect. */
function mountsOf(facts: TreeFacts): Mount[] {
  const { writable } = facts;
  const { folder, seenAt } = facts.temporary;
  const hidden = facts.hidden.filter((at) => !seenAt.includes(at));
  const writableAlready = seenAt.includes(folder) ? [...writable, folder] : writable;
  const isIn = (path: string, folders: readonly string[]) => folders.some((folder) => isWithin(path, folder));
  const visible = facts.visible.filter(
    (at) => !isIn(at, writableAlready) && isIn(at, [...hidden, ...seenAt, ...facts.masked.map(({ path }) => path)]),
  );
  // Masks are not needed where nothing of the machine is visible.
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
