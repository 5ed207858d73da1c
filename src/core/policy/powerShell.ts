/**
 * Windows shells. Never run: no Windows machine was available (docs/not-tested.md).
 *
 * There is no reliable parser for PowerShell in Node (sandbox.md §6), so only a script of constant words is read, and
 * `cmd.exe` never is: everything else needs approval.
 */
import type { Argv } from './parseScript.ts';
import { programName } from './programs.ts';

const POWER_SHELLS: ReadonlySet<string> = new Set(['powershell', 'pwsh']);
const SAFE_CMDLETS: ReadonlySet<string> = new Set([
  'get-childitem',
  'get-content',
  'get-location',
  'get-item',
  'measure-object',
  'select-string',
  'test-path',
  'write-output',
]);

/** Words and paths only; nothing that PowerShell expands, calls, redirects, pipes into an expression or escapes. */
const CONSTANT_SCRIPT = /^[\w .:\\/-]+(\|[\w .:\\/-]+)*$/;

/** True for `powershell -NoProfile -Command SCRIPT` if every command of the pipeline is a cmdlet that only reads. */
export function isSafePowerShell(argv: Argv): boolean {
  const [program = '', profile, flag, script, ...others] = argv;
  if (!POWER_SHELLS.has(program.toLowerCase().replace(/\.exe$/, ''))) return false;
  if (profile?.toLowerCase() !== '-noprofile' || flag?.toLowerCase() !== '-command') return false;
  if (script === undefined || others.length > 0 || !CONSTANT_SCRIPT.test(script)) return false;
  return script.split('|').every((command) => SAFE_CMDLETS.has(command.trim().split(' ', 1)[0]?.toLowerCase() ?? ''));
}

/** Forced deletion, and opening an address in a browser (codex-behaviour.md §6.8). */
const FORCED_DELETE = /\b(remove-item|ri|rm|del|erase|rd|rmdir)\b.*(\s-f\w*\b|\s\/[fqs]\b)/i;
const OPENS_ADDRESS =
  /\b(start|start-process|saps|explorer|mshta|rundll32|invoke-item|ii)\b.*\b[a-z][a-z0-9+.-]+:\/\//i;
const WINDOWS_SHELLS: ReadonlySet<string> = new Set([...POWER_SHELLS, 'cmd', 'explorer', 'mshta', 'rundll32']);

/** Returns true for a Windows shell that deletes by force or opens an address. */
export function isDangerousOnWindows(argv: Argv): boolean {
  if (!WINDOWS_SHELLS.has(programName(argv[0] ?? ''))) return false;
  const text = argv.join(' ');
  return FORCED_DELETE.test(text) || OPENS_ADDRESS.test(text);
}
