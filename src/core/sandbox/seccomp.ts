/**
 * The system calls a boxed process may make, as a classic BPF program for `bwrap --seccomp` (seccomp(2), bpf(4)).
 *
 * Everything is allowed but what reaches around the box: other kernels' ABIs, namespaces and mounts of its own, handles
 * that open files behind a mount, the kernel's own machinery, unix sockets (the host's agents and editors listen on
 * those), typing into the person's terminal, and files that would run with their owner's rights whoever starts them.
 * Reasons and measurements: reference/sandbox.md §7; the last as systemd's RestrictSUIDSGID does it.
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

/** Offsets in `struct seccomp_data`; of an argument its lower half, which is all that these calls read. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (index: number): number => 16 + 8 * index;
const FIRST_ARGUMENT = argument(0);
const SECOND_ARGUMENT = argument(1);

const X32_BIT = 0x40000000;
const AF_UNIX = 1;
/**
 * In the type of a socket the bit that SOCK_DGRAM and SOCK_RAW, its other name for AF_UNIX, have of those there are: one
 * end of such a pair can still be sent to any address. A stream, once paired, reaches its other end and nobody else.
 */
const DATAGRAMS = 0x2;
/** AF_INET, AF_INET6, AF_NETLINK. */
const SOCKET_FAMILIES = [2, 10, 16];
/** TIOCSTI and TIOCLINUX put words into a terminal's mouth. */
const TERMINAL_TRICKS = [0x5412, 0x541c];
const SET_USER_ID = 0o4000;
/** O_CREAT and the bit of its own that O_TMPFILE has: without them the mode is whatever happens to stand there. */
const MAY_CREATE = 0x40 | 0x400000;
/** CLONE_NEWTIME is one of these for `unshare` only: in `clone` the bit is part of a signal number. */
const NEW_NAMESPACES = 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000 | 0x00020000;
const NEW_TIME_NAMESPACE = 0x80;

/** `undefined` for a machine whose numbers we do not know: then there is no box there. */
export function seccompProgram(architecture: string): Uint8Array | undefined {
  const calls = SYSTEM_CALLS[architecture];
  return calls && assemble(instructionsFor(calls));
}

/** A jump counts the instructions it skips when the comparison holds, and when it does not. */
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
    // The C library falls back to clone(), whose flags a filter can read.
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

/** `verdict` always returns, so that the number is still loaded for what follows. */
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

/** `struct sock_filter` eight bytes each, in the byte order of every machine we have numbers for. */
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
