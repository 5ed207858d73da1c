import { exec } from './exec.ts';
import type { Streams } from './streams.ts';
import { printSentence } from './print.ts';
import { endOnSignals, wasTerminated } from './signals.ts';
import { EXIT, Failure, helpOf, UsageError } from './usage.ts';
import { SecretRedactor } from '../core/util/secretRedactor.ts';
import { describeFileError, messageOf } from '../core/util/fileErrors.ts';
import { settledWithin } from '../core/util/abort.ts';
import { systemClock } from '../node/host/clock.ts';
import { flushed } from '../node/apply/flush.ts';
import { keysIn } from '../node/host/secrets.ts';

export { hasAppliedPatch } from '../node/apply/applyPatch.ts';

declare const TILLER_VERSION: string;

let worked = false;

/** Returns true once a command has run: by then, most code that a start needs is compiled (node/codeCache.ts). */
export const hasWorked = () => worked;

/** Runs the command that `argv` names (docs/cli.md). Resolves with the exit code. */
async function main(argv: readonly string[], streams: Streams, storeOwnCache: () => void): Promise<number> {
  const [command, ...rest] = argv;
  const options = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : undefined);
  if (command === undefined || command === '--help' || command === '-h' || options.includes('--help')) {
    const isMistake = command === undefined;
    (isMistake ? streams.stderr : streams.stdout).write(helpOf(command));
    return isMistake ? EXIT.usage : EXIT.done;
  }
  if (command === '--version' || options.includes('--version')) {
    streams.stdout.write(`${TILLER_VERSION}\n`);
    return EXIT.done;
  }
  // Other commands are loaded when they run: loading them would slow down every start of `exec`.
  switch (command) {
    case 'exec':
      worked = true;
      return exec(rest, streams, { version: TILLER_VERSION, storeOwnCache });
    case 'apply-patch':
      return (await import('./applyPatch.ts')).applyPatch(rest, streams);
    case 'demo-model':
      return (await import('./demoModel.ts')).demoModel(rest, streams);
    case 'execpolicy':
      return (await import('./execPolicy.ts')).execPolicy(rest, streams);
    case 'hooks':
      return (await import('./hooks.ts')).hooks(rest, streams);
    case 'replay':
      return (await import('./replay.ts')).replay(rest, streams);
    case 'sandbox':
      return (await import('./sandbox.ts')).sandbox(rest, streams);
    case 'undo':
      return (await import('./undo.ts')).undo(rest, streams);
    default:
      throw new UsageError(`there is no command "${command}"; see tiller --help`);
  }
}

/**
 * Runs the command that the arguments of this process name, and ends the process. If this bundle has no code cache,
 * `storeOwnCache` creates it (node/codeCache.ts).
 */
export async function run(storeOwnCache: () => void): Promise<void> {
  endOnSignals();
  // A reader that closes the pipe (`tiller exec … | head`) is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    printSentence(process.stderr, `tiller: ${describeFileError(error, 'stdout')}`);
    process.exit(EXIT.failed);
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exit(EXIT.failed);
  });
  try {
    process.exitCode = await main(process.argv.slice(2), process, storeOwnCache);
  } catch (error) {
    const isPlain = error instanceof UsageError || error instanceof Failure || !(error instanceof Error);
    const keys = new SecretRedactor();
    for (const key of keysIn(process.env)) keys.hold(key);
    printSentence(process.stderr, `tiller: ${keys.hide(isPlain ? messageOf(error) : (error.stack ?? error.message))}`);
    process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
  await flushed();
  // Exit even if a resource is still open, such as the stdin of a waiting client or a command that cannot be killed.
  const written = Promise.all([drained(process.stdout), drained(process.stderr)]);
  // After an interrupt, wait only for a short time: a reader that has stopped reading would otherwise keep the process
  // from exiting.
  await (wasTerminated() ? settledWithin(written, LAST_WRITE_MS, systemClock) : written);
  process.exit();
}

/** Milliseconds for the last writes of an interrupted command. */
const LAST_WRITE_MS = 100;

function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}
