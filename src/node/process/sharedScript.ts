/** The program that starts several commands in one sandbox and reports their ends: a script for bash 5.1 and newer. */

import type { ExecRequest } from '../../core/ports.ts';

/** A command that shares its sandbox with others. */
export interface SharedCommand extends Pick<ExecRequest, 'argv' | 'onlyProgram'> {
  /** `NAME=value` in its environment, unique to it (processMark.ts). */
  readonly mark: string;
}

/**
 * Arguments: the number of commands; for each its mark, the number of words of its only program (0 where it has none)
 * and of its arguments, and both; and last the number of a descriptor for the reports, which two for each command
 * follow: its output and its errors.
 *
 * Reports are lines: `started <pid>` in the order of the commands, where the pid is the one inside of the sandbox, and
 * `ended <index> <exit code>`. A command waits for one byte on the descriptor for its output before it executes its
 * program, so that its process can be identified first; at the end of that input it ends.
 *
 * Job control gives each command a process group of its own, with the default signal handlers. What is left of the
 * group when its first process has ended is killed. `wait -n` would miss a command that ends while the script does
 * something else; the trap for SIGCHLD runs after an end, when the process is gone from /proc and its exit code is
 * kept. `wait` also returns when all commands that are left are stopped (pausing.ts), or have ended without the trap:
 * on a busy machine bash 5.2 loses one in thousands. Then the script looks for itself a moment later, without the trap,
 * which could interrupt it.
 *
 * The environment is that of the commands. POSIXLY_CORRECT in it would change how `wait` and traps work, and bash
 * increments SHLVL; each command gets both as they were. An SHLVL of 0 looks the same as none, and is left out.
 */
const SCRIPT = `
strict=\${POSIXLY_CORRECT+given} value=\${POSIXLY_CORRECT-}
set +o posix -m
if (( SHLVL > 1 )); then (( SHLVL-- )); else unset SHLVL; fi
ended() {
  local pid code
  for pid in "\${!left[@]}"; do
    [[ -e /proc/$pid ]] && continue
    wait "$pid"; code=$?
    kill -KILL -- "-$pid"
    echo "ended \${left[pid]} $code" >&"$status"
    unset "left[pid]"
  done
}
trap ended CHLD
count=$1 status=\${!#}; shift
closed=; for (( n = status; n <= status + 2 * count; n++ )); do closed+=" $n>&-"; done
declare -a left
for (( at = 0; at < count; at++ )); do
  mark=$1 words=$2 length=$3 out=$(( status + 1 + 2 * at )); shift 3
  (
    IFS= read -r -N 1 <&"$out" || exit 137
    export -- "$mark"
    [[ $strict ]] && export POSIXLY_CORRECT="$value"
    eval "exec </dev/null >&$out 2>&$(( out + 1 )) $closed"
    (( words > 0 )) && type -P -- "$1" >/dev/null && exec -- "\${@:1:words}"
    shift "$words"
    if ! type -P -- "$1" >/dev/null; then
      [[ $1 == */* && -e $1 ]] && { echo "$1: Permission denied" >&2; exit 126; }
      echo "$1: No such file or directory" >&2; exit 127
    fi
    exec -- "\${@:1:length}"
  ) &
  left[$!]=$at
  eval "exec $out>&- $(( out + 1 ))>&-"
  echo "started $!" >&"$status"
  shift "$(( words + length ))"
done
while pids=("\${!left[@]}"); (( \${#pids[@]} > 0 )); do
  wait "\${pids[0]}"
  [[ \${left[pids[0]]} ]] || continue
  [[ -e /proc/\${pids[0]} ]] && read -r -t 0.02 <&"$status"
  trap - CHLD
  ended
  trap ended CHLD
done
`;

/** The arguments of bash up to the number of the descriptor. */
export function sharedArguments(commands: readonly SharedCommand[]): readonly string[] {
  const each = commands.flatMap(({ argv, onlyProgram = [], mark }) => [
    ...[mark, String(onlyProgram.length), String(argv.length)],
    ...onlyProgram,
    ...argv,
  ]);
  return ['--noprofile', '--norc', '-p', '-c', SCRIPT, 'tiller-box', String(commands.length), ...each];
}

export type SharedReport =
  | { readonly type: 'started'; readonly pid: number }
  | { readonly type: 'ended'; readonly index: number; readonly code: number };

/** `undefined` for a line that is no report. */
export function parseReport(line: string): SharedReport | undefined {
  const [, pid, index, code] = /^(?:started (\d+)|ended (\d+) (\d+))$/.exec(line) ?? [];
  if (pid !== undefined) return { type: 'started', pid: Number(pid) };
  return index === undefined ? undefined : { type: 'ended', index: Number(index), code: Number(code) };
}
