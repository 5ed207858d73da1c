import { statSync } from 'node:fs';
import type { ExecRequest } from '../../core/ports.ts';
import { errorCode, messageOf } from '../../core/util/fileErrors.ts';

/** The reason why a process could not be started, in one sentence the model can act on. */
export function spawnFailure(error: unknown, request: Pick<ExecRequest, 'argv' | 'cwd'>): Error {
  return new Error(describe(error, request), { cause: error });
}

function describe(error: unknown, { argv: [program], cwd }: Pick<ExecRequest, 'argv' | 'cwd'>): string {
  // A missing working directory is reported by the system as a missing program.
  const folder = statSync(cwd, { throwIfNoEntry: false });
  if (folder === undefined) return `The working directory ${cwd} does not exist.`;
  if (!folder.isDirectory()) return `The working directory ${cwd} is not a directory.`;

  switch (errorCode(error)) {
    case 'ENOENT':
      return `The program ${program} was not found.`;
    case 'EACCES':
      return `The program ${program} may not be executed: permission denied.`;
    case 'ENOTDIR':
      return `The program ${program} was not found: a part of its path is a file, not a directory.`;
    case 'E2BIG':
      return 'The arguments and the environment are longer than the operating system allows; pass the data in a file instead.';
    case 'EAGAIN':
    case 'EMFILE':
    case 'ENFILE':
      return `The program ${program} could not be started: too many processes or open files; end some first.`;
    case 'ERR_INVALID_ARG_VALUE':
      return 'The command was not started: an argument, the environment or the working directory contains a NUL byte.';
    default:
      return `The program ${program} could not be started: ${messageOf(error)}`;
  }
}
