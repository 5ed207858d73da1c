/** The calls that the brain makes, in the form that the offered tools expect. */
import type { Call, PatchForm, ShellTool } from '../conversation.ts';

/** Time without output of a command before the tool reports that it is still running. */
const PATIENCE_MS = 30_000;

const PLAN = ['Look around', 'Run the tests', 'Read the code behind the failure', 'Repair it', 'Check the repair'];

/** A call that runs a command line, in the form of the offered tool. */
export function commandCall(tool: ShellTool, command: string): Call {
  switch (tool) {
    case 'exec_command':
      return functionCall(tool, { cmd: command, yield_time_ms: PATIENCE_MS });
    case 'shell_command':
      return functionCall(tool, { command, timeout_ms: PATIENCE_MS });
    case 'shell':
      return functionCall(tool, { command: ['bash', '-lc', command], timeout_ms: PATIENCE_MS });
  }
}

/** A call that waits for the next output of a running command. */
export function pollCall(sessionId: number): Call {
  return functionCall('write_stdin', { session_id: sessionId, chars: '', yield_time_ms: PATIENCE_MS });
}

/** The plan with the first `done` of its five steps completed. */
export function planCall(done: number): Call {
  const plan = PLAN.map((step, index) => ({
    step,
    status: index < done ? 'completed' : index === done ? 'in_progress' : 'pending',
  }));
  return functionCall('update_plan', { plan });
}

/** A call of `apply_patch`, in the form in which it is offered. */
export function patchCall(form: PatchForm, patch: string): Call {
  return form === 'custom'
    ? { kind: 'custom', name: 'apply_patch', input: patch }
    : functionCall('apply_patch', { input: patch });
}

function functionCall(name: string, args: object): Call {
  return { kind: 'function', name, input: JSON.stringify(args) };
}

/** A word for a POSIX shell, quoted where necessary. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
