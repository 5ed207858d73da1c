/**
 * The system calls that a sandboxed process may make, as a classic BPF program for `bwrap --seccomp` (seccomp(2),
 * bpf(4)).
 *
 * Everything is allowed except what could bypass the sandbox: other kernel ABIs, namespaces and mounts of its own,
 * handles that open files behind a mount, the kernel's own machinery, unix sockets (agents and editors of the host
 * listen on those), injecting input into the user's terminal, and files that run with their owner's rights
 * (set-user-ID). Reasons and measurements: reference/sandbox.md §7; the last one as in systemd's RestrictSUIDSGID.
 */
import { SYSTEM_CALLS, type SystemCalls } from './systemCalls.ts';

const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const failWith = (errno: number): number => 0x00050000 | errno;
const EPERM = failWith(1);
const ENOSYS = failWith(38);

/**
 * Offsets in `struct seccomp_data`; for an argument the offset of its lower half, which is the only part that these
 * calls read.
 */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number): number => 16 + 8 * index;
const FIRST_ARGUMENT = argument(0);
const SECOND_ARGUMENT = argument(1);

const X32_BIT = 0x40000000;
const AF_UNIX = 1;
/**
 * A bit of the socket type that only SOCK_DGRAM and SOCK_RAW (its alias for AF_UNIX) have: one end of such a pair can
 * still send to any address. A paired stream can reach only its other end.
 */
const DATAGRAMS = 0x2;
/** AF_INET, AF_INET6, AF_NETLINK. */
const SOCKET_FAMILIES = [2, 10, 16];
/** TIOCSTI and TIOCLINUX inject input into a terminal. */
const TERMINAL_TRICKS = [0x5412, 0x541c];
const SET_USER_ID = 0o4000;
/** O_CREAT, and the bit that only O_TMPFILE has: without one of them the mode argument is undefined. */
const MAY_CREATE = 0x40 | 0x400000;
/** CLONE_NEWTIME is a flag for `unshare` only: in `clone` the bit is part of a signal number. */
const NEW_NAMESPACES = 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000 | 0x00020000;
const NEW_TIME_NAMESPACE = 0x80;

/** Returns `undefined` for an architecture whose numbers are unknown: no sandbox works there. */
export function seccompProgram(architecture: string): Uint8Array | undefined {
  const calls = SYSTEM_CALLS[architecture];
  return calls && assemble(instructionsFor(calls));
}

/** A jump has the number of instructions to skip when the comparison is true, and when it is false. */
type Instruction = readonly [code: number, operand: number, whenTrue?: number, whenFalse?: number];

function instructionsFor(calls: SystemCalls): Instruction[] {
  return [
    [LOAD, ARCHITECTURE],
    [JUMP_IF_EQUAL, calls.architecture, 1, 0],
    [RETURN, KILL],
    [LOAD, NUMBER],
    ...(calls.hasX32
      ? ([
          [JUMP_IF_AT_LEAST, X32_BIT, 0, 1],
          [RETURN, ENOSYS],
        ] as const)
      : []),
    ...calls.denied.flatMap((number) => when(number, [[RETURN, EPERM]])),
    // The C library then falls back to clone(), whose flags a filter can read.
    ...when(calls.clone3, [[RETURN, ENOSYS]]),
    ...when(calls.socket, onlyIf(FIRST_ARGUMENT, SOCKET_FAMILIES)),
    ...when(calls.socketpair, [
      [LOAD, FIRST_ARGUMENT],
      [JUMP_IF_EQUAL, AF_UNIX, 1, 0],
      [RETURN, EPERM],
      ...withoutBits(SECOND_ARGUMENT, DATAGRAMS),
    ]),
    ...when(calls.ioctl, unless(SECOND_ARGUMENT, TERMINAL_TRICKS)),
    ...when(calls.clone, withoutBits(FIRST_ARGUMENT, NEW_NAMESPACES)),
    ...when(calls.unshare, withoutBits(FIRST_ARGUMENT, NEW_NAMESPACES | NEW_TIME_NAMESPACE)),
    ...calls.setMode.flatMap(([number, mode]) => when(number, withoutBits(argument(mode), SET_USER_ID))),
    ...calls.open.flatMap(([number, flags, mode]) =>
      when(number, [
        [LOAD, argument(flags)],
        [JUMP_IF_ANY_BIT, MAY_CREATE, 1, 0],
        [RETURN, ALLOW],
        ...withoutBits(argument(mode), SET_USER_ID),
      ]),
    ),
    ...when(calls.openat2, [[RETURN, ENOSYS]]),
    [RETURN, ALLOW],
  ];
}

/** `verdict` must always return, so that the call number is still loaded afterwards. */
function when(number: number, verdict: readonly Instruction[]): Instruction[] {
  return [[JUMP_IF_EQUAL, number, 0, verdict.length], ...verdict];
}

function onlyIf(where: number, values: readonly number[]): Instruction[] {
  const tests = values.map((value, index): Instruction => [JUMP_IF_EQUAL, value, values.length - index, 0]);
  return [[LOAD, where], ...tests, [RETURN, EPERM], [RETURN, ALLOW]];
}

function unless(where: number, values: readonly number[]): Instruction[] {
  const tests = values.map((value, index): Instruction => [JUMP_IF_EQUAL, value, values.length - index, 0]);
  return [[LOAD, where], ...tests, [RETURN, ALLOW], [RETURN, EPERM]];
}

function withoutBits(where: number, bits: number): Instruction[] {
  return [
    [LOAD, where],
    [JUMP_IF_ANY_BIT, bits, 0, 1],
    [RETURN, EPERM],
    [RETURN, ALLOW],
  ];
}

/** Encodes each `struct sock_filter` in eight bytes, in the byte order of all known architectures. */
function assemble(instructions: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(instructions.length * 8);
  const view = new DataView(bytes.buffer);
  instructions.forEach(([code, operand, whenTrue = 0, whenFalse = 0], index) => {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, whenTrue);
    view.setUint8(index * 8 + 3, whenFalse);
    view.setUint32(index * 8 + 4, operand >>> 0, true);
  });
  return bytes;
}
