// The parent of the benchmark and of every process whose own parent has ended, so that their work counts. Bubblewrap ends before the
// first process of its sandbox does: the system would give that process, with the work of all commands in it, to a parent outside.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';

/** Number of prctl(2); Node has no function for it, perl has `syscall`. */
const PRCTL = { x64: 157, arm64: 167 }[process.arch];
const SET_CHILD_SUBREAPER = 36;
const VARIABLE = 'TILLER_BENCH_REAPER';

/** Arguments: the number of prctl(2), its operation, and argv. Passes signals on, and ends with the exit code of that program. */
const SCRIPT = `
my ($prctl, $operation, @argv) = @ARGV;
syscall($prctl + 0, $operation + 0, 1, 0, 0, 0) == 0 or exit 125;
$ENV{${VARIABLE}} = $$;
my $program = fork;
exit 125 unless defined $program;
if ($program == 0) { exec { $argv[0] } @argv; exit 125; }
$SIG{$_} = sub { kill shift, $program } for qw(INT TERM HUP);
while (1) {
  my $ended = wait;
  exit($? & 127 ? 128 + ($? & 127) : $? >> 8) if $ended == $program;
}
`;

/** The process to which all work of the benchmark belongs: the reaper, or this process where there is none. */
export function rootOfWork() {
  return process.env[VARIABLE] === String(process.ppid) ? process.ppid : process.pid;
}

/**
 * Runs this program again below a reaper, and ends this process with its exit code. Returns where it runs below one already, or where
 * the system has none: there the work of processes without a parent counts as that of other programs.
 */
export async function runBelowReaper() {
  if (rootOfWork() !== process.pid || !hasReaper()) return;
  const { command, args } = reaperOf([process.execPath, ...process.execArgv, ...process.argv.slice(1)]);
  const child = spawn(command, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  const [code, signal] = await once(child, 'exit');
  process.exit(code ?? 128 + constants.signals[signal]);
}

export function reaperOf(argv) {
  return { command: 'perl', args: ['-e', SCRIPT, String(PRCTL), String(SET_CHILD_SUBREAPER), ...argv] };
}

export function hasReaper() {
  if (process.platform !== 'linux' || PRCTL === undefined) return false;
  const { command, args } = reaperOf(['true']);
  return spawnSync(command, args).status === 0;
}
