import * as z from 'zod';
import { sandboxPermissionsSchema } from '../../../protocol/policy.ts';
import type { ToolSpec } from '../../../protocol/toolSpec.ts';
import type { Parsed, ToolHandler, ToolOptions, ToolPayload } from '../handler.ts';
import { clamp } from '../../util/clamp.ts';
import { parseArguments } from '../parseArguments.ts';
import { shellArgv } from '../shellArgv.ts';
import { MAX_OUTPUT_TOKENS } from './commandAnswer.ts';
import type { CommandRequest } from './prepareCommand.ts';
import { displayOf } from './displayOf.ts';
import { isMutatingShell, prepareShell, runShell, type ShellPlan } from './shellTool.ts';
import { lazyObject } from '../../../protocol/lazyObject.ts';

/**
 * In milliseconds. The timeout of the aliases, whose commands cannot continue in the background: longer than Codex's
 * ten seconds, which would be too short for builds.
 */
const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 3_600_000;
/** In milliseconds (codex-behaviour.md §4.1). */
const YIELD_MS = { default: 10_000, least: 250, most: 30_000 } as const;

const argumentsSchema = lazyObject(() => ({
  cmd: z.string().min(1),
  workdir: z.string().optional(),
  shell: z.string().optional(),
  login: z.boolean().optional(),
  tty: z.boolean().default(false),
  timeout_ms: z.number().int().positive().max(MAX_TIMEOUT_MS).optional(),
  yield_time_ms: z.number().default(YIELD_MS.default),
  max_output_tokens: z.number().int().min(0).default(MAX_OUTPUT_TOKENS),
  sandbox_permissions: sandboxPermissionsSchema.default('use_default'),
  justification: z.string().optional(),
  prefix_rule: z.array(z.string()).min(1).optional(),
}));
type Arguments = z.infer<typeof argumentsSchema>;

const EXEC_COMMAND: ToolSpec = {
  type: 'function',
  name: 'exec_command',
  description:
    'Runs a command in a fresh shell. Returns the exit code and what it printed, stdout and stderr together, cut in the middle when long; or, if it has not ended after yield_time_ms, a session ID under which write_stdin finds it: it goes on in the background.',
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      cmd: { type: 'string', description: 'The command line.' },
      workdir: { type: 'string', description: 'Where to run it; default: the working directory.' },
      yield_time_ms: { type: 'number', description: 'How long to wait for its end; default 10000, 250 to 30000.' },
      timeout_ms: { type: 'number', description: 'When to kill it; default: never.' },
      max_output_tokens: { type: 'number', description: 'How much of the output to return; default 10000.' },
      tty: {
        type: 'boolean',
        description: 'Run it in a terminal, so that write_stdin can type into it; default false.',
      },
      shell: { type: 'string', description: 'Path of another shell.' },
      login: { type: 'boolean', description: 'Run a login shell; default false.' },
      sandbox_permissions: {
        type: 'string',
        enum: ['use_default', 'require_escalated'],
        description: 'require_escalated asks the user to let it run outside the sandbox.',
      },
      justification: {
        type: 'string',
        description: 'With require_escalated: one question to the user that says what for.',
      },
      prefix_rule: {
        type: 'array',
        items: { type: 'string' },
        description:
          'With require_escalated: first words of the command that the user could allow for good, e.g. ["npm", "test"].',
      },
    },
    required: ['cmd'],
    additionalProperties: false,
  },
};

/**
 * The default shell tool (codex-behaviour.md §4.1). `offered` is false for a model that has a shell tool of its wire.
 */
export function execCommand(options: ToolOptions, offered: boolean): ToolHandler<Arguments, ShellPlan> {
  return {
    names: ['exec_command', 'unified_exec'],
    isMutating: (_args, plan) => isMutatingShell(plan),
    spec: offered ? EXEC_COMMAND : undefined,
    parse: (payload) => parseArguments(argumentsSchema, payload),
    prepare: (args, context) => {
      const argv = shellArgv(args.cmd, context.host, args);
      const request: CommandRequest = {
        argv,
        // A shell that the model chose is part of what the user approves.
        display: args.shell === undefined ? args.cmd : displayOf(argv),
        workdir: args.workdir,
        timeoutMs: args.timeout_ms,
        yieldMs: clamp(args.yield_time_ms, YIELD_MS.least, YIELD_MS.most),
        tty: args.tty,
        maxOutputTokens: args.max_output_tokens,
        sandboxPermissions: args.sandbox_permissions,
        justification: args.justification,
        prefixRule: args.prefix_rule,
        format: 'exec_command',
      };
      return prepareShell(request, options, context);
    },
    run: runShell,
  };
}

const shellArgumentsSchema = lazyObject(() => ({
  /** Arguments for `execvp`, or a command line for the user's shell. */
  command: z.union([z.array(z.string()).min(1), z.string().min(1)]),
  workdir: z.string().optional(),
  login: z.boolean().optional(),
  timeout_ms: z.number().int().positive().max(MAX_TIMEOUT_MS).default(DEFAULT_TIMEOUT_MS),
  sandbox_permissions: sandboxPermissionsSchema.optional(),
  with_escalated_permissions: z.boolean().optional(),
  justification: z.string().optional(),
  prefix_rule: z.array(z.string()).min(1).optional(),
}));
type ShellArguments = z.infer<typeof shellArgumentsSchema>;

/**
 * The shell tool under the names that other models were trained on: answered, not offered (codex-behaviour.md §4.1,
 * "offer exec_command, accept the aliases"), except to models that were trained on the wire's own.
 */
export function shellAliases(options: ToolOptions, offersLocalShell: boolean): ToolHandler<ShellArguments, ShellPlan> {
  return {
    names: ['local_shell', 'shell', 'shell_command', 'container.exec'],
    payloads: ['function', 'local_shell'],
    isMutating: (_args, plan) => isMutatingShell(plan),
    spec: offersLocalShell ? { type: 'local_shell' } : undefined,
    parse: (payload) => parseShell(payload),
    prepare: (args, context) => {
      const escalated = args.sandbox_permissions === 'require_escalated' || args.with_escalated_permissions === true;
      const request: CommandRequest = {
        argv:
          typeof args.command === 'string'
            ? shellArgv(args.command, context.host, { login: args.login })
            : (args.command as [string, ...string[]]),
        display: typeof args.command === 'string' ? args.command : displayOf(args.command),
        workdir: args.workdir,
        timeoutMs: args.timeout_ms,
        yieldMs: undefined,
        tty: false,
        maxOutputTokens: MAX_OUTPUT_TOKENS,
        sandboxPermissions: escalated ? 'require_escalated' : 'use_default',
        justification: args.justification,
        prefixRule: args.prefix_rule,
        format: 'shell',
      };
      return prepareShell(request, options, context);
    },
    run: runShell,
  };
}

function parseShell(payload: ToolPayload): Parsed<ShellArguments> {
  if (payload.type !== 'local_shell') return parseArguments(shellArgumentsSchema, payload);
  const { command, working_directory, timeout_ms } = payload.action;
  return parseArguments(shellArgumentsSchema, {
    type: 'function',
    arguments: JSON.stringify({ command, workdir: working_directory, timeout_ms }),
  });
}
