/** Runs a command that was decided about, and reports it to the model and the user. */
import type { ItemStatus } from '../../../protocol/item.ts';
import type { LiveProcess, ProcessEnd } from '../../exec/liveProcess.ts';
import type { Confinement } from '../../ports.ts';
import { forReading, withSecretFiles } from '../../sandbox/confinement.ts';
import { blockedNote } from '../../sandbox/denied.ts';
import type { SecretRedactor } from '../../util/secretRedactor.ts';
import { confinementOf } from '../confinementOf.ts';
import type { Attempt, ToolContext, ToolResult } from '../handler.ts';
import { secretValues } from '../secretValues.ts';
import { unreadableNamed } from '../unreadableNamed.ts';
import { blockedIn, cutOutput, execAnswer, shellAnswer, wantedHosts } from './commandAnswer.ts';
import { type CommandPlan, opensSecrets } from './prepareCommand.ts';

/** The size that programs assume when they do not ask for it. */
const TERMINAL_SIZE = { columns: 80, rows: 24 };

/**
 * Runs the command until it ends, is killed, or its yield time is over: then it continues in the background. An
 * interrupt of the turn kills it. Rejects only when it could not be started, with a message for the model.
 */
export async function runCommand(plan: CommandPlan, attempt: Attempt, context: ToolContext): Promise<ToolResult> {
  const { request, item } = plan;
  const hosts = plan.onlyReads ? undefined : await plan.hosts(plan.once);
  const confinement = confinementOf(attempt.box, context, hosts);
  const { cwd } = item;
  const ended = plan.onlyReads
    ? () => {}
    : await context.changes.commandStarts({ itemId: item.id, cwd, box: attempt.box });
  const process = await startProcess(plan, confinement, attempt, context).catch((error: unknown) => {
    ended();
    throw error;
  });
  void process.ended.then(ended);
  await process.wait(request.yieldMs, context.signal);
  if (context.signal.aborted) await process.kill('interrupt');
  return resultOf(plan, process, attempt, context);
}

/** Decided again where the rules may have changed since it was prepared: the answer may have added one. */
async function mayReadSecrets({ decide, readsSecrets, isSecond }: CommandPlan, { answer }: Attempt): Promise<boolean> {
  if (isSecond || (!readsSecrets && answer === null)) return false;
  return opensSecrets((await decide()).requirement);
}

/**
 * Resolves to the secrets to redact in the output: where the command can open files with secrets also the values in
 * them, which a server may print. Not outside the sandbox when the user has allowed this very call, which names such a
 * file.
 */
async function keysFor(
  { request, item, isSecond }: CommandPlan,
  confinement: Confinement,
  readsSecrets: boolean,
  attempt: Attempt,
  context: ToolContext,
): Promise<SecretRedactor> {
  if (confinement.type === 'sandbox' && !readsSecrets) return context.keys;
  const isAllowed = !readsSecrets && (isSecond || attempt.answer !== null);
  if (isAllowed && (await unreadableNamed(request.argv, item.cwd, 'require_escalated', context)) !== undefined) {
    return context.keys;
  }
  const values = await secretValues([item.cwd, ...context.workspace.roots], context);
  return values.length === 0 ? context.keys : context.keys.with(values);
}

async function startProcess(
  plan: CommandPlan,
  confinement: Confinement,
  attempt: Attempt,
  context: ToolContext,
): Promise<LiveProcess> {
  const { request, item, env, onlyReads } = plan;
  const readsSecrets = confinement.type === 'sandbox' && (await mayReadSecrets(plan, attempt));
  const keys = await keysFor(plan, confinement, readsSecrets, attempt, context);
  // Saving files may have taken time: do not start a command after the turn was stopped.
  context.signal.throwIfAborted();
  return context.processes.start({
    exec: {
      argv: request.argv,
      cwd: item.cwd,
      env,
      confinement: readsSecrets ? withSecretFiles(confinement) : onlyReads ? forReading(confinement) : confinement,
      stdin: 'none',
      ...(onlyReads && !readsSecrets ? { onlyReads: true, onlyProgram: plan.onlyProgram } : {}),
      ...(request.tty ? { tty: TERMINAL_SIZE } : {}),
    },
    facts: { itemId: item.id, command: request.display, cwd: item.cwd, box: attempt.box, tty: request.tty },
    timeoutMs: request.timeoutMs,
    keys,
    onOutput: (text, stream) => context.emit({ type: 'item_delta', itemId: item.id, kind: 'output', text, stream }),
    signal: context.signal,
  });
}

async function resultOf(
  plan: CommandPlan,
  process: LiveProcess,
  attempt: Attempt,
  context: ToolContext,
): Promise<ToolResult> {
  const { request, item } = plan;
  const background = process.end === undefined ? context.processes.toBackground(process) : [];
  const taken = process.takeOutput();
  const output = cutOutput(taken, request.maxOutputTokens);
  const { end, durationMs } = process;
  const summary = end?.by === 'itself' ? await request.summarize?.(taken.head + taken.tail, end.exitCode) : undefined;
  if (end !== undefined) {
    if (output.isCut) process.log.keep();
    await process.log.close();
  }
  const wanted = plan.onlyReads ? [] : wantedHosts(process, output.text);
  const blocked = blockedIn(process, output.text);
  const isAsked = wanted.length > 0 && context.settings.approvalPolicy !== 'never';
  const blockedNotes =
    blocked === undefined || isAsked ? [] : [blockedNote(blocked, context.settings.approvalPolicy, 'its call')];
  const notes = [...background, ...blockedNotes];
  const answer = { process, durationMs, output: summary ? { ...output, text: summary.text } : output, notes };
  return {
    blocked,
    wantedHosts: wanted,
    output: request.format === 'shell' ? shellAnswer(answer) : execAnswer(answer, context.ids),
    success: end === undefined || end.exitCode === 0,
    item: {
      ...item,
      status: statusOf(end),
      box: attempt.box,
      exitCode: end === undefined || end.by === 'interrupt' ? null : end.exitCode,
      durationMs: Math.round(durationMs),
      output: output.text,
      ...(end === undefined ? { processId: process.processId } : {}),
      ...(process.log.path === undefined ? {} : { logPath: process.log.path }),
      ...(summary && { tests: summary.tests }),
    },
  };
}

function statusOf(end: ProcessEnd | undefined): ItemStatus {
  if (end === undefined) return 'completed';
  if (end.by === 'interrupt' || end.by === 'thread') return 'aborted';
  return end.exitCode === 0 ? 'completed' : 'failed';
}
