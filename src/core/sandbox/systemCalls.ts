/** Numbers of Linux system calls by Node's name of the architecture (asm/unistd.h, AUDIT_ARCH_* of linux/audit.h). */

export interface SystemCalls {
  readonly architecture: number;
  /** True when the x32 ABI offers a second number for every call. */
  readonly hasX32: boolean;
  readonly socket: number;
  readonly socketpair: number;
  readonly ioctl: number;
  readonly clone: number;
  readonly clone3: number;
  readonly unshare: number;
  readonly denied: readonly number[];
  /** Calls that set the mode of a file, and which argument it is (from 0). */
  readonly setMode: readonly (readonly [number: number, mode: number])[];
  /** Calls that set a mode only if their flags create a file. */
  readonly open: readonly (readonly [number: number, flags: number, mode: number])[];
  /** Its mode is in memory that a filter cannot read. */
  readonly openat2: number;
}

const FCHMODAT2 = 452;
const OPENAT2 = 437;

/** Since Linux 5.1, new calls have the same number on every architecture. */
const DENIED_EVERYWHERE = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  pidfd_getfd: 438,
  process_madvise: 440,
  mount_setattr: 442,
  quotactl_fd: 443,
  open_tree_attr: 467,
};

const DENIED_ON_X64 = {
  syslog: 103,
  vhangup: 153,
  pivot_root: 155,
  adjtimex: 159,
  chroot: 161,
  acct: 163,
  settimeofday: 164,
  mount: 165,
  umount2: 166,
  swapon: 167,
  swapoff: 168,
  reboot: 169,
  iopl: 172,
  ioperm: 173,
  init_module: 175,
  delete_module: 176,
  quotactl: 179,
  nfsservctl: 180,
  lookup_dcookie: 212,
  clock_settime: 227,
  kexec_load: 246,
  add_key: 248,
  request_key: 249,
  keyctl: 250,
  perf_event_open: 298,
  fanotify_init: 300,
  open_by_handle_at: 304,
  clock_adjtime: 305,
  setns: 308,
  kcmp: 312,
  finit_module: 313,
  kexec_file_load: 320,
  bpf: 321,
  userfaultfd: 323,
};

const DENIED_ON_ARM64 = {
  lookup_dcookie: 18,
  umount2: 39,
  mount: 40,
  pivot_root: 41,
  nfsservctl: 42,
  chroot: 51,
  vhangup: 58,
  quotactl: 60,
  acct: 89,
  kexec_load: 104,
  init_module: 105,
  delete_module: 106,
  clock_settime: 112,
  syslog: 116,
  reboot: 142,
  settimeofday: 170,
  adjtimex: 171,
  add_key: 217,
  request_key: 218,
  keyctl: 219,
  swapon: 224,
  swapoff: 225,
  perf_event_open: 241,
  fanotify_init: 262,
  open_by_handle_at: 265,
  clock_adjtime: 266,
  setns: 268,
  kcmp: 272,
  finit_module: 273,
  bpf: 280,
  userfaultfd: 282,
  kexec_file_load: 294,
};

export const SYSTEM_CALLS: Readonly<Record<string, SystemCalls>> = {
  x64: {
    architecture: 0xc000003e,
    hasX32: true,
    socket: 41,
    socketpair: 53,
    ioctl: 16,
    clone: 56,
    clone3: 435,
    unshare: 272,
    denied: Object.values({ ...DENIED_ON_X64, ...DENIED_EVERYWHERE }),
    // chmod, fchmod, fchmodat, creat, mknod, mknodat
    setMode: [
      [90, 1],
      [91, 1],
      [268, 2],
      [FCHMODAT2, 2],
      [85, 1],
      [133, 1],
      [259, 2],
    ],
    // open, openat
    open: [
      [2, 1, 2],
      [257, 2, 3],
    ],
    openat2: OPENAT2,
  },
  arm64: {
    architecture: 0xc00000b7,
    hasX32: false,
    socket: 198,
    socketpair: 199,
    ioctl: 29,
    clone: 220,
    clone3: 435,
    unshare: 97,
    denied: Object.values({ ...DENIED_ON_ARM64, ...DENIED_EVERYWHERE }),
    // fchmod, fchmodat, mknodat
    setMode: [
      [52, 1],
      [53, 2],
      [FCHMODAT2, 2],
      [33, 2],
    ],
    // openat
    open: [[56, 2, 3]],
    openat2: OPENAT2,
  },
};
