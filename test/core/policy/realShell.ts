/**
 * Asks a real shell what it would run. Nothing runs: the PATH is empty, every unknown command is caught by
 * `command_not_found_handle`, which reports its words, and the shell is restricted (no redirection, no slash in names).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const hasBash = spawnSync('bash', ['--version']).status === 0;

export interface RealShell {
  /** Every argv that bash would pass to a program, as JSON, sorted, for both results of `&&` and `||`. Runs bash once for each script. */
  run(script: string): string[];
  dispose(): void;
}

/** Reports its words and forwards the words before it in a pipe; `\1` ends a call. */
const PROLOGUE = `
command_not_found_handle() {
  printf '%s\\0' "$@" $'\\1'
  while IFS= read -r -d '' word; do printf '%s\\0' "$word"; done
  return "$ANSWER"
}
set -r
`;

export function startRealShell(): RealShell {
  const home = mkdtempSync(path.join(tmpdir(), 'tiller-shell-'));
  const bash = execFileSync('bash', ['-c', 'echo "$BASH"'], { encoding: 'utf8' }).trim();
  const prologue = path.join(home, 'prologue.sh');
  writeFileSync(prologue, PROLOGUE);
  const once = (script: string, answer: string): string[] => {
    const { stdout } = spawnSync(bash, ['--noprofile', '--norc', '-c', script], {
      cwd: home,
      env: { PATH: '/nonexistent', BASH_ENV: prologue, ANSWER: answer, LC_ALL: 'C.UTF-8', HOME: '/home/nobody' },
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
      timeout: 5000,
    });
    const calls = stdout.split('\u0001\0').slice(0, -1);
    return calls.map((call) => JSON.stringify(call.split('\0').slice(0, -1)));
  };
  const results = new Map<string, string[]>();
  const run = (script: string) => [...new Set([...once(script, '0'), ...once(script, '1')])].toSorted();
  return {
    run(script) {
      const result = results.get(script) ?? run(script);
      results.set(script, result);
      return result;
    },
    dispose: () => rmSync(home, { recursive: true, force: true }),
  };
}
