/** Decides about a command, for all tools that run commands: what it needs, and what the user is asked. */
import path from 'node:path';
import type { TestResults, TurnItemOf } from '../../../protocol/item.ts';
import type { SandboxMechanism, SandboxPermissions } from '../../../protocol/policy.ts';
import type { ExecRequest, HostLimits } from '../../ports.ts';
import { commandApprovalKey } from '../../policy/approvalKeys.ts';
import { type CommandDecision, explainCommand } from '../../policy/decideCommand.ts';
import type { ApprovalRequirement } from '../../policy/requirement.ts';
import { harmlessEnvironment } from '../../policy/harmlessEnvironment.ts';
import type { LoadedRules } from '../../policy/rules.ts';
import { onlyProgramOf } from '../../policy/onlyProgram.ts';
import { hostLimits, hostRule, isForbidden } from '../../policy/hosts.ts';
import { temporaryFolder } from '../../sandbox/temporary.ts';
import { commandEnvironment } from '../environment.ts';
import { startsPrograms } from '../gitTrust.ts';
import { unreadableNamed } from '../unreadableNamed.ts';
import { seenByCommands, temporaryIn } from '../temporaryPaths.ts';
import type { ApprovalCard, Preparation, ToolContext, ToolOptions } from '../handler.ts';

/** Which of Codex's two shapes the output has (codex-behaviour.md §4.1). */
export type OutputFormat = 'exec_command' | 'shell';

export interface CommandRequest {
  readonly argv: readonly [string, ...string[]];
  /** The command line as a user would type it. */
  readonly display: string;
  readonly workdir: string | undefined;
  /** Milliseconds until it is killed; never where `undefined`. */
  readonly timeoutMs: number | undefined;
  /** Milliseconds until it continues in the background; never where `undefined`. */
  readonly yieldMs: number | undefined;
  /** Runs in a terminal, so that input can be typed into it. */
  readonly tty: boolean;
  readonly maxOutputTokens: number;
  readonly sandboxPermissions: SandboxPermissions;
  readonly justification: string | undefined;
  /** The command prefix that the model asks to have allowed from now on. */
  readonly prefixRule?: readonly string[] | undefined;
  readonly format: OutputFormat;
  /**
   * Reads the output of a command that has ended, at most the size of a `HeadTailBuffer`; the model gets its text in
   * place of the output. `undefined`: the model gets the output.
   */
  readonly summarize?: (output: string, exitCode: number | null) => Promise<TestSummary | undefined>;
}

export interface TestSummary {
  readonly text: string;
  readonly tests: TestResults;
}

export interface CommandPlan {
  readonly request: CommandRequest;
  /** True when the command is known to only read; then its sandbox allows no more either. */
  readonly onlyReads: boolean;
  readonly onlyProgram: ExecRequest['onlyProgram'];
  readonly env: Readonly<Record<string, string>>;
  /** True for the attempt that the user is asked about after the sandbox has blocked the first. */
  readonly isSecond: boolean;
  readonly item: TurnItemOf<'command_execution'>;
  /** The decision by the rules as they are now. */
  readonly decide: () => Promise<CommandDecision>;
  /** The hosts that it may reach by the setting and the rules as they are now, and those of `once`. */
  readonly hosts: (once: readonly string[]) => Promise<HostLimits | undefined>;
  /** Hosts that the user has allowed to this attempt. */
  readonly once: readonly string[];
  /** True if a rule allowed it to open files with secrets in the sandbox when it was prepared. */
  readonly readsSecrets: boolean;
}

/** Decides about a command; runs nothing. A failure has a message for the model. */
export async function prepareCommand(
  request: CommandRequest,
  options: Pick<ToolOptions, 'rules' | 'environment' | 'allowedHosts'>,
  context: ToolContext,
): Promise<Preparation<CommandPlan>> {
  const { settings } = context;
  if (request.workdir?.includes('\0')) {
    return { type: 'failure', output: 'The working directory contains a NUL character. Nothing was run.' };
  }
  const cwd = await workdirOf(request, context);
  if (!(await isFolder(cwd, context))) {
    return { type: 'failure', output: `The working directory ${cwd} does not exist. Nothing was run.` };
  }
  const { argv, sandboxPermissions } = request;
  const gitStartsPrograms = await startsPrograms(argv, cwd, context);
  const reads = await unreadableNamed(argv, cwd, sandboxPermissions, context);
  const decide = async () =>
    explainCommand({
      argv,
      approvalPolicy: settings.approvalPolicy,
      sandboxPolicy: settings.sandboxPolicy,
      box: settings.box,
      noSandboxCause: settings.noSandboxCause,
      sandboxPermissions,
      prefixRule: request.prefixRule,
      gitStartsPrograms,
      reads,
      planMode: settings.planMode,
      rules: await options.rules(settings.cwd),
      platform: context.host.platform,
    });
  const { requirement, matchedRules, commands } = await decide();
  const key = commandApprovalKey({ ...settings, argv, cwd, sandboxPermissions, tty: request.tty });
  const item = itemOf(request, cwd, requirement, context);
  const onlyReads = requirement.reason.id === 'known-safe';
  const plan: CommandPlan = {
    request,
    onlyReads,
    onlyProgram: onlyReads ? onlyProgramOf(argv, commands) : undefined,
    env: environmentFor(onlyReads, context, options.environment),
    isSecond: false,
    item,
    decide,
    hosts: async (once) => hostLimits(options.allowedHosts, await options.rules(settings.cwd), once),
    once: [],
    readsSecrets: opensSecrets(requirement),
  };
  return {
    type: 'ready',
    plan,
    outside: () => outsideOf(plan, context),
    withHosts: async (hosts) => withHostsOf(plan, hosts, await options.rules(settings.cwd), context),
    requirement,
    matchedRules,
    reconsider: decide,
    item,
    card: cardOf(request, cwd, requirement, context),
    // A file with secrets is asked about each time, like by every other tool.
    approvalKeys: reads === undefined ? [key] : [],
    binding: key,
  };
}

function itemOf(
  { argv, display }: CommandRequest,
  cwd: string,
  { type, reason }: ApprovalRequirement,
  { itemId, callId, settings }: ToolContext,
): TurnItemOf<'command_execution'> {
  return {
    id: itemId,
    type: 'command_execution',
    status: 'in_progress',
    callId,
    command: display,
    argv: [...argv],
    cwd,
    box: settings.box,
    exitCode: null,
    durationMs: 0,
    output: '',
    ...(reason.source === 'rule' && type === 'skip' ? { allowedBy: reason } : {}),
  };
}

/** The card of an approval request for the command. */
function cardOf(
  request: CommandRequest,
  cwd: string,
  requirement: ApprovalRequirement,
  { settings }: ToolContext,
): ApprovalCard {
  const parts = requirement.type === 'needs_approval' ? requirement.parts : [];
  return {
    kind: request.sandboxPermissions === 'require_escalated' ? 'escalation' : 'command',
    ...factsOf(request, cwd, settings.box),
    ...(parts.length > 0 ? { parts: [...parts] } : {}),
  };
}

/** The part of a card that is the same in each request for the command. */
function factsOf({ display, tty, justification }: CommandRequest, cwd: string, box: SandboxMechanism) {
  return {
    command: display,
    cwd,
    box,
    ...(tty ? { tty: true } : {}),
    ...(justification ? { justification } : {}),
  };
}

/**
 * The place that the command finds under its working directory: in the sandbox `/tmp` is another place than outside.
 */
async function workdirOf({ workdir = '.', sandboxPermissions }: CommandRequest, context: ToolContext): Promise<string> {
  const place = path.resolve(context.settings.cwd, workdir);
  return sandboxPermissions === 'require_escalated' ? place : seenByCommands(place, context);
}

/** Counts the thread's temporary folder as existing, because it is created for the first command. */
async function isFolder(place: string, context: ToolContext): Promise<boolean> {
  const { folder, seenAt } = temporaryIn(context);
  if (place === folder && seenAt.length > 0) return true;
  return (await context.workspace.stat(place))?.type === 'directory';
}

/**
 * Returns the command outside the sandbox, with an item and an approval of its own: those of the sandboxed attempt do
 * not cover it.
 */
async function outsideOf(plan: CommandPlan, context: ToolContext) {
  const { settings, ids } = context;
  const { argv, tty } = plan.request;
  const item: CommandPlan['item'] = { ...plan.item, id: ids.next('item'), box: 'none' };
  const { cwd } = item;
  const sandboxPermissions = 'require_escalated';
  const key = commandApprovalKey({ ...settings, argv, cwd, sandboxPermissions, tty });
  const reads = await unreadableNamed(argv, cwd, sandboxPermissions, context);
  return {
    plan: { ...plan, item, isSecond: true },
    item,
    card: { kind: 'escalation' as const, ...factsOf(plan.request, cwd, 'none') },
    approvalKeys: reads === undefined ? [key] : [],
    binding: key,
  };
}

/**
 * Returns the command in its sandbox with these hosts, for a further attempt that the user is asked about; `undefined`
 * where a rule forbids one of them.
 */
function withHostsOf(
  plan: CommandPlan,
  hosts: readonly [string, ...string[]],
  rules: LoadedRules,
  { ids, settings }: ToolContext,
) {
  if (hosts.some((host) => isForbidden(host, rules))) return undefined;
  const item: CommandPlan['item'] = { ...plan.item, id: ids.next('item') };
  return {
    plan: { ...plan, item, once: hosts },
    item,
    card: {
      kind: 'network' as const,
      ...factsOf(plan.request, item.cwd, settings.box),
      hosts: [...hosts],
      proposedRule: hostRule(hosts),
    },
    approvalKeys: [],
    binding: JSON.stringify(['hosts', plan.request.argv, item.cwd, hosts]),
  };
}

/**
 * The environment of a command. That of a command that only reads has no folder in PATH in which another process could
 * replace its program (codex-behaviour.md §6.7).
 */
function environmentFor(
  onlyReads: boolean,
  { host, keys, settings, workspace, thread }: ToolContext,
  variables: ToolOptions['environment'],
): Record<string, string> {
  const environment = commandEnvironment(host.environment, variables, keys);
  if (!onlyReads) return environment;
  return harmlessEnvironment(
    environment,
    [settings.cwd, ...workspace.roots, '/tmp', temporaryFolder(thread)],
    host.platform,
  );
}

/** Returns true if a rule lets the command open files with secrets in the sandbox. */
export function opensSecrets(requirement: ApprovalRequirement): boolean {
  return requirement.type === 'skip' && requirement.readsSecrets === true;
}
