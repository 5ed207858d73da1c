/** What all the names of the shell have in common: decide, run, tell. */
import path from 'node:path';
import type { TurnItemOf } from '../../../protocol/item.ts';
import type { SandboxPermissions } from '../../../protocol/policy.ts';
import { commandApprovalKey } from '../../policy/approvalKeys.ts';
import { explainCommand } from '../../policy/decideCommand.ts';
import { confine } from '../../sandbox/confinement.ts';
import { GIT_HARDENING_ENVIRONMENT } from '../../policy/gitHardening.ts';
import type { ApprovalRequirement } from '../../policy/requirement.ts';
import type { Host } from '../../ports.ts';
import { assertNever } from '../../util/assertNever.ts';
import { tokensOfBytes, truncateMiddle } from '../../util/tokens.ts';
import { commandEnvironment } from '../environment.ts';
import type { Attempt, Preparation, ToolContext, ToolOptions, ToolResult } from '../handler.ts';
import { type CommandRun, runCommand } from '../runCommand.ts';

/** Tokens the model gets of one command's output unless it asks for less (codex-behaviour.md §5). */
export const MAX_OUTPUT_TOKENS = 10_000;

/** Which of the seeds' two shapes the answer has (codex-behaviour.md §4.1). */
export type OutputFormat = 'exec_command' | 'shell';

export interface CommandRequest {
  readonly argv: readonly [string, ...string[]];
  /** As a person would type it. */
  readonly display: string;
  readonly workdir: string | undefined;
  readonly timeoutMs: number;
  readonly maxOutputTokens: number;
  readonly sandboxPermissions: SandboxPermissions;
  readonly justification: string | undefined;
  /** The prefix the model would like to be allowed from now on. */
  readonly prefixRule?: readonly string[] | undefined;
  readonly format: OutputFormat;
}

export interface CommandPlan {
  readonly request: CommandRequest;
  readonly env: Readonly<Record<string, string>>;
  readonly item: TurnItemOf<'command_execution'>;
}

export async function prepareCommand(
  request: CommandRequest,
  options: Pick<ToolOptions, 'rules'>,
  context: ToolContext,
): Promise<Preparation<CommandPlan>> {
  const { settings } = context;
  const cwd = path.resolve(settings.cwd, request.workdir ?? '.');
  if ((await context.workspace.stat(cwd))?.type !== 'directory') {
    return { type: 'failure', output: `The working directory ${cwd} does not exist. Nothing was run.` };
  }
  const { argv, sandboxPermissions, justification } = request;
  const decide = async () =>
    explainCommand({
      argv,
      approvalPolicy: settings.approvalPolicy,
      sandboxPolicy: settings.sandboxPolicy,
      box: settings.box,
      sandboxPermissions,
      prefixRule: request.prefixRule,
      rules: await options.rules(settings.cwd),
      platform: context.host.platform,
    });
  const { requirement, matchedRules } = await decide();
  const key = commandApprovalKey({ ...settings, argv, cwd, sandboxPermissions, tty: false });
  const item: TurnItemOf<'command_execution'> = {
    id: context.itemId,
    type: 'command_execution',
    status: 'in_progress',
    callId: context.callId,
    command: request.display,
    argv: [...argv],
    cwd,
    box: settings.box,
    exitCode: null,
    durationMs: 0,
    output: '',
  };
  const asks = requirement.type === 'needs_approval';
  return {
    type: 'ready',
    plan: { request, env: environmentFor(requirement, context.host.environment), item },
    requirement,
    matchedRules,
    reconsider: decide,
    item,
    card: {
      kind: sandboxPermissions === 'require_escalated' ? 'escalation' : 'command',
      command: request.display,
      cwd,
      box: settings.box,
      ...(justification ? { justification } : {}),
      ...(asks && requirement.parts.length > 0 ? { parts: [...requirement.parts] } : {}),
    },
    approvalKeys: [key],
    binding: key,
  };
}

/** What counts as harmless only counts so while the repository cannot make git run programs (codex-behaviour.md §6.7). */
function environmentFor(requirement: ApprovalRequirement, host: Host['environment']): Record<string, string> {
  const environment = commandEnvironment(host);
  return requirement.reason.id === 'known-safe' ? { ...environment, ...GIT_HARDENING_ENVIRONMENT } : environment;
}

export async function runCommandPlan(plan: CommandPlan, attempt: Attempt, context: ToolContext): Promise<ToolResult> {
  const { request, item } = plan;
  const run = await runCommand(
    {
      argv: request.argv,
      cwd: item.cwd,
      env: plan.env,
      confinement: confine(attempt.box, context.settings.sandboxPolicy, {
        cwd: context.settings.cwd,
        platform: context.host.platform,
        tmpdirVariable: context.host.environment.TMPDIR,
      }),
      timeoutMs: request.timeoutMs,
    },
    context,
    (text, stream) => context.emit({ type: 'item_delta', itemId: item.id, kind: 'output', text, stream }),
    context.signal,
  );
  const exitCode = run.ended === 'timed_out' ? TIMED_OUT_EXIT_CODE : run.exit.code;
  const text = truncateMiddle(run.output, Math.min(request.maxOutputTokens, MAX_OUTPUT_TOKENS));
  return {
    output: formatForModel(run, exitCode, text, request),
    success: exitCode === 0,
    item: {
      ...item,
      status: run.ended === 'interrupted' ? 'aborted' : exitCode === 0 ? 'completed' : 'failed',
      box: attempt.box,
      exitCode: run.ended === 'interrupted' ? null : exitCode,
      durationMs: Math.round(run.durationMs),
      output: text,
    },
  };
}

const TIMED_OUT_EXIT_CODE = 124;

function formatForModel(run: CommandRun, exitCode: number, text: string, request: CommandRequest): string {
  const body =
    run.ended === 'timed_out'
      ? `command timed out after ${request.timeoutMs} milliseconds and was killed\n${text}`
      : text;
  const seconds = run.durationMs / 1000;
  switch (request.format) {
    case 'exec_command': {
      const bytes = new TextEncoder().encode(run.output.head + run.output.tail).length + run.output.omittedBytes;
      return [
        `Wall time: ${seconds.toFixed(4)} seconds`,
        `Process exited with code ${exitCode}`,
        `Original token count: ${tokensOfBytes(bytes)}`,
        `Output:\n${body}`,
      ].join('\n');
    }
    case 'shell':
      return [`Exit code: ${exitCode}`, `Wall time: ${seconds.toFixed(1)} seconds`, `Output:\n${body}`].join('\n');
    default:
      return assertNever(request.format);
  }
}
