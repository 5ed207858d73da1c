import type { DynamicToolSpec } from '../../protocol/op.ts';
import type { DynamicCalls } from './dynamicCalls.ts';
import type { ToolFamily, ToolHandler, ToolOptions } from './handler.ts';
import { applyPatch } from './handlers/applyPatch.ts';
import { dynamicTool } from './handlers/dynamicTool.ts';
import { execCommand, shellAliases } from './handlers/execCommand.ts';
import { updatePlan } from './handlers/updatePlan.ts';
import { savingFirst } from './savingFirst.ts';
import { writeStdin } from './handlers/writeStdin.ts';

/** Every tool of a turn, in the order the model is told of them. */
export function builtinTools(
  family: ToolFamily,
  options: ToolOptions,
  client: { readonly tools: readonly DynamicToolSpec[]; readonly calls: DynamicCalls },
): readonly ToolHandler[] {
  return [
    savingFirst(execCommand(options, family.shell === 'exec_command'), options.saveBeforeCommands),
    writeStdin(family.shell === 'exec_command'),
    savingFirst(shellAliases(options, family.shell === 'local_shell'), options.saveBeforeCommands),
    applyPatch(family, options),
    updatePlan,
    ...client.tools.map((tool) => dynamicTool(tool, client.calls)),
  ];
}

/** What is left in a workspace that is not trusted: nothing that reads, runs or writes. */
export function harmlessTools(): readonly ToolHandler[] {
  return [updatePlan];
}
