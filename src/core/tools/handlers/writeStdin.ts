import * as z from 'zod';
import type { TurnItemOf } from '../../../protocol/item.ts';
import type { ToolSpec } from '../../../protocol/toolSpec.ts';
import type { LiveProcess } from '../../exec/liveProcess.ts';
import { decideProcessInput } from '../../policy/decideProcessInput.ts';
import { clamp } from '../../util/clamp.ts';
import type { Preparation, ToolContext, ToolHandler, ToolResult } from '../handler.ts';
import { parseArguments } from '../parseArguments.ts';
import { unreadableNamed } from '../unreadableNamed.ts';
import { blockedNote } from '../../sandbox/denied.ts';
import { blockedIn, cutOutput, execAnswer, MAX_OUTPUT_TOKENS } from './commandAnswer.ts';
import { lazyObject } from '../../../protocol/lazyObject.ts';

/**
 * In milliseconds (codex-behaviour.md §4.1): after typing the wait is for an echo, without input it is for new output.
 */
const DEFAULT_YIELD_MS = 250;
const TYPING = { least: 250, most: 30_000 };
const LOOKING = { least: 5_000, most: 300_000 };
const CONTROL_C = '\u0003';

const argumentsSchema = lazyObject(() => ({
  session_id: z.number().int(),
  chars: z.string().default(''),
  yield_time_ms: z.number().default(DEFAULT_YIELD_MS),
  max_output_tokens: z.number().int().min(0).default(MAX_OUTPUT_TOKENS),
}));
type Arguments = z.infer<typeof argumentsSchema>;

interface Plan {
  readonly args: Arguments;
  readonly process: LiveProcess;
  readonly item: TurnItemOf<'process_interaction'>;
}

const WRITE_STDIN: ToolSpec = {
  type: 'function',
  name: 'write_stdin',
  description:
    'Types into a process that exec_command left running, or only looks in on it, and returns what it has printed since the last look.',
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      session_id: { type: 'number', description: 'The ID that exec_command returned.' },
      chars: {
        type: 'string',
        description:
          'What to type; empty to look. A process without tty takes only \\u0003, which interrupts it. End lines with \\n.',
      },
      yield_time_ms: {
        type: 'number',
        description: 'How long to wait: after typing 250 to 30000, default 250; looking 5000 to 300000, default 5000.',
      },
      max_output_tokens: { type: 'number', description: 'How much of the output to return; default 10000.' },
    },
    required: ['session_id'],
    additionalProperties: false,
  },
};

/** Types into background processes; offered together with `exec_command`, which starts them. */
export function writeStdin(offered: boolean): ToolHandler<Arguments, Plan> {
  return {
    names: ['write_stdin'],
    isMutating: ({ chars }) => chars !== '',
    spec: offered ? WRITE_STDIN : undefined,
    parse: (payload) => parseArguments(argumentsSchema, payload),
    prepare,
    run: (plan, _attempt, context) => run(plan, context),
  };
}

async function prepare(args: Arguments, context: ToolContext): Promise<Preparation<Plan>> {
  const { session_id: sessionId, chars } = args;
  const process = context.processes.use(sessionId);
  if (process === undefined) {
    return {
      type: 'failure',
      output: `There is no process with session ID ${sessionId}: it never was, or you were told how it ended.`,
    };
  }
  if (chars !== '' && chars !== CONTROL_C && !process.facts.tty && process.end === undefined) {
    return {
      type: 'failure',
      output: `Process ${sessionId} has no terminal, so nothing can be typed into it. Run the command again with tty: true to type; a lone \\u0003 interrupts this one.`,
    };
  }
  const item: Plan['item'] = {
    id: context.itemId,
    type: 'process_interaction',
    status: 'in_progress',
    callId: context.callId,
    processId: process.processId,
    command: process.facts.command,
    chars,
  };
  const types = chars !== '' && chars !== CONTROL_C;
  const { approvalPolicy, planMode } = context.settings;
  const reads = types ? await unreadableTyped(chars, process, context) : undefined;
  const requirement = decideProcessInput({ types, reads, approvalPolicy, planMode });
  const { cwd, box } = process.facts;
  const card = { kind: 'command', command: chars.trim(), cwd, box } as const;
  return { type: 'ready', plan: { args, process, item }, requirement, item, card, approvalKeys: [] };
}

/**
 * Returns the reason why a file that the text names may not be read; the sandbox of a process keeps such files closed
 * anyway.
 */
async function unreadableTyped(
  chars: string,
  { facts }: LiveProcess,
  context: ToolContext,
): Promise<string | undefined> {
  return facts.box === 'none'
    ? unreadableNamed(['sh', '-c', chars], facts.cwd, 'require_escalated', context)
    : undefined;
}

async function run({ args, process, item }: Plan, context: ToolContext): Promise<ToolResult> {
  const { chars, max_output_tokens: maxOutputTokens } = args;
  const startedAt = context.clock.monotonic();
  if (chars !== '') process.write(chars);
  const { least, most } = chars === '' ? LOOKING : TYPING;
  await process.wait(clamp(args.yield_time_ms, least, most), context.signal);
  // Nothing was taken yet: when the turn ends here, the process and its output remain for the next one.
  context.signal.throwIfAborted();
  const durationMs = context.clock.monotonic() - startedAt;
  const output = cutOutput(process.takeOutput(), maxOutputTokens);
  if (process.end !== undefined) context.processes.forget(process);
  const blocked = blockedIn(process, process.takenOutput);
  const { approvalPolicy } = context.settings;
  const notes = blocked === undefined ? [] : [blockedNote(blocked, approvalPolicy, 'the background')];
  return {
    output: execAnswer({ process, durationMs, output, notes }, context.ids),
    success: process.end === undefined || process.end.exitCode === 0,
    item: { ...item, status: 'completed' },
  };
}
