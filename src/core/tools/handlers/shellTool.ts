/** A command line, or a patch that a model wrote as one (codex-behaviour.md §1.7). */
import { recognizePatch } from '../../patch/invocation.ts';
import { textOf } from '../../../protocol/responseItem.ts';
import { assertNever } from '../../util/assertNever.ts';
import {
  type Attempt,
  mapPlan,
  type Preparation,
  type ToolContext,
  type ToolOptions,
  type ToolResult,
} from '../handler.ts';
import { type CommandPlan, type CommandRequest, prepareCommand } from './prepareCommand.ts';
import { runCommand } from './runCommand.ts';
import { applyApproved } from './applyApproved.ts';
import { type ApplyPlan, preparePatch } from './patchTool.ts';

export type ShellPlan =
  | { readonly type: 'command'; readonly command: CommandPlan }
  | { readonly type: 'patch'; readonly patch: ApplyPlan };

/** Decides about a command as `prepareCommand` does; one that runs `apply_patch` is decided as a patch. */
export async function prepareShell(
  request: CommandRequest,
  options: ToolOptions,
  context: ToolContext,
): Promise<Preparation<ShellPlan>> {
  const invocation = recognizePatch(request.argv);
  switch (invocation.type) {
    case 'implicit':
      return {
        type: 'failure',
        output: 'This is a patch, not a command. Call the apply_patch tool with it. Nothing was run.',
      };
    case 'patch': {
      const workdirs = [request.workdir, invocation.workdir].filter((folder) => folder !== undefined);
      const prepared = await preparePatch(invocation.patch, options.review(), context, workdirs);
      return wrapped(prepared, (patch) => ({ type: 'patch', patch }));
    }
    case 'not_a_patch': {
      const prepared = await prepareCommand(request, options, context);
      return wrapped(prepared, (command) => ({ type: 'command', command }));
    }
    default:
      return assertNever(invocation);
  }
}

/** A command that is known to only read changes nothing: its sandbox has no writable folder (docs/decisions/0011). */
export function isMutatingShell(plan: ShellPlan): boolean {
  return plan.type === 'patch' || !plan.command.onlyReads;
}

function wrapped<Plan>(prepared: Preparation<Plan>, wrap: (plan: Plan) => ShellPlan): Preparation<ShellPlan> {
  return prepared.type === 'failure' ? prepared : mapPlan(prepared, wrap);
}

/**
 * Printed by a shell that found no such program, as for `apply_patch <<EOF && make`, which is not recognized as a
 * patch.
 */
const NO_PROGRAM = /\bapply_?patch: (?:command )?not found\b|\bcommand not found: apply_?patch\b/;

/**
 * Runs the plan. If a patch was run as a command, the patch is applied, and the output advises the model to call the
 * tool; so does the output of a command that found no program `apply_patch`.
 */
export async function runShell(plan: ShellPlan, attempt: Attempt, context: ToolContext): Promise<ToolResult> {
  if (plan.type === 'command') {
    const result = await runCommand(plan.command, attempt, context);
    if (typeof result.output !== 'string' || !NO_PROGRAM.test(result.output)) return result;
    return {
      ...result,
      output: `${result.output}\napply_patch is a tool, not a program: call it with the patch alone.`,
    };
  }
  const applied = await applyApproved(plan.patch, attempt, context);
  if (!applied.success) return applied;
  return {
    ...applied,
    output: `${textOf(applied.output)}\nNext time call the apply_patch tool instead of a shell command.`,
  };
}
