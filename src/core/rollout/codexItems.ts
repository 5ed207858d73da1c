/** Makes the items that show the calls of a Codex thread, from each call and its output alone. */
import * as z from 'zod';
import type { FileChangeSummary, TurnItem } from '../../protocol/item.ts';
import type { ToolCallItem } from '../../protocol/responseItem.ts';
import { lazyLooseObject } from '../../protocol/lazyObject.ts';

const SHELL = new Set(['shell', 'shell_command', 'exec_command', 'container.exec', 'unified_exec', 'local_shell']);
const shellArgumentsSchema = lazyLooseObject(() => ({
  cmd: z.string().optional(),
  command: z.union([z.string(), z.array(z.string())]).optional(),
  workdir: z.string().nullish(),
}));

export interface ImportedCall {
  readonly id: string;
  readonly callId: string;
  readonly call: ToolCallItem;
  /** The output that the model got. */
  readonly output: string;
  readonly cwd: string;
}

export function itemOfCall(imported: ImportedCall): TurnItem {
  const { id, callId, call, output } = imported;
  if (call.type === 'local_shell_call') return command(imported, call.action.command);
  const given = call.type === 'custom_tool_call' ? call.input : call.arguments;
  if (call.name === 'apply_patch') return change(imported, patchIn(given));
  const parsed = jsonOf(given);
  const shell = SHELL.has(call.name) ? shellArgumentsSchema.safeParse(parsed).data : undefined;
  const commandLine = shell?.cmd ?? shell?.command;
  if (commandLine !== undefined)
    return command(imported, typeof commandLine === 'string' ? ['bash', '-lc', commandLine] : commandLine);
  return {
    id,
    type: 'dynamic_tool_call',
    status: 'completed',
    callId,
    tool: call.name,
    arguments: parsed ?? given,
    contentItems: output === '' ? [] : [{ type: 'input_text', text: output }],
    success: true,
  };
}

function command({ id, callId, output, cwd }: ImportedCall, argv: readonly string[]): TurnItem {
  const isScript = argv.length === 3 && /^-l?c$/.test(argv[1] ?? '');
  // The output of the old shell tool is JSON; that of later ones is lines of text.
  const answer = z
    .looseObject({ output: z.string(), metadata: z.looseObject({ exit_code: z.number() }) })
    .safeParse(jsonOf(output)).data;
  const code = /^(?:Exit code:|Process exited with code) (\d+)$/m.exec(output)?.[1];
  const exitCode = answer?.metadata.exit_code ?? (code === undefined ? null : Number(code));
  return {
    id,
    type: 'command_execution',
    status: exitCode === null || exitCode === 0 ? 'completed' : 'failed',
    callId,
    command: isScript ? (argv[2] ?? '') : argv.join(' '),
    argv: [...argv],
    cwd,
    box: 'none',
    exitCode,
    durationMs: 0,
    output: answer?.output ?? output,
  };
}

/** The argument `input`, or the whole text as the patch. */
function patchIn(given: string): string {
  return z.looseObject({ input: z.string() }).safeParse(jsonOf(given)).data?.input ?? given;
}

const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/;

function change({ id, callId, output }: ImportedCall, patch: string): TurnItem {
  const changes: FileChangeSummary[] = [];
  const diff: string[] = [];
  for (const line of patch.split('\n')) {
    const [, verb, path] = FILE.exec(line) ?? [];
    const current = changes.at(-1);
    if (path !== undefined) {
      const kind = verb === 'Add' ? 'add' : verb === 'Delete' ? 'delete' : 'update';
      changes.push({ path, kind, added: 0, removed: 0 });
      diff.push(`diff --git a/${path} b/${path}`, `--- a/${path}`, `+++ b/${path}`);
    } else if (current && /^(?:[ +-]|@@)/.test(line)) {
      diff.push(line);
      const counted = {
        ...current,
        added: current.added + (line.startsWith('+') ? 1 : 0),
        removed: current.removed + (line.startsWith('-') ? 1 : 0),
      };
      changes[changes.length - 1] = counted;
    } else if (current && line.startsWith('*** Move to: ')) {
      changes[changes.length - 1] = { ...current, movedTo: line.slice('*** Move to: '.length) };
    }
  }
  const failed = /^(?:apply_patch verification failed|.*failed)/im.test(output) && !/Success\. Updated/.test(output);
  return { id, type: 'file_change', status: failed ? 'failed' : 'completed', callId, changes, diff: diff.join('\n') };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
