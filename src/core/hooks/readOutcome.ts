import * as z from 'zod';
import type { HookEvent } from '../../protocol/hooks.ts';
import { parseJson } from '../util/json.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

/** The end of the process of a hook. */
export interface HookEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Stdout was longer than what is kept of it. */
  readonly isCut?: boolean;
}

/** The result that a hook requests. Texts are as the hook wrote them. */
export interface HookOutcome {
  /** The reason why it counts as failed. Its result is not known then. */
  readonly failure?: string;
  /** Denies a call, rejects a message, or makes the model continue instead of stopping; with the reason. */
  readonly block?: string;
  /** Wants the user to decide about a call. */
  readonly ask?: string;
  /** Ends the turn. */
  readonly stop?: string;
  /** The arguments of the call instead of those of the model. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** For the model. */
  readonly context?: string;
  /** For the user. */
  readonly message?: string;
}

const decision = z.enum(['block', 'deny', 'approve', 'allow', 'ask']).optional();

/** Inside of `hookSpecificOutput`; Copilot has them outside. */
const decidingFields = {
  permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).optional(),
  permissionDecisionReason: z.string().optional(),
};

/** The output fields that are evaluated. Other keys are ignored, because a newer hook may have them. */
const outputSchema = lazyObject(() => ({
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  systemMessage: z.string().optional(),
  decision,
  reason: z.string().optional(),
  additionalContext: z.string().optional(),
  ...decidingFields,
  /** Copilot's name for `updatedInput`. */
  modifiedArgs: z.record(z.string(), z.unknown()).optional(),
  hookSpecificOutput: z
    .object({
      ...decidingFields,
      /** VS Code has these inside for Stop; for other events, and in the other products, they are outside. */
      decision,
      reason: z.string().optional(),
      updatedInput: z.record(z.string(), z.unknown()).optional(),
      additionalContext: z.string().optional(),
    })
    .optional(),
}));

/** The exit code with which a hook blocks; the reason is on stderr, and stdout does not count. */
const BLOCKS = 2;
/** Lines that begin like JSON and are tried: a script may print a log in JSON in front of its decision. */
const MAX_STARTS = 100;
/** Maximum characters of an output in an error message. */
const MAX_QUOTED = 500;

/**
 * Reads the output of a hook as Claude Code, Codex and VS Code do. Text that is not JSON is context for the model where
 * an event takes context only (SessionStart, UserPromptSubmit), and is ignored elsewhere; there JSON behind other text counts,
 * so that a line which a script prints first does not hide its decision.
 */
export function readOutcome(event: HookEvent, { exitCode, stdout, stderr, isCut = false }: HookEnd): HookOutcome {
  if (exitCode === BLOCKS) return blocked(event, stderr.trim());
  if (exitCode !== 0) {
    const printed = (stderr.trim() || stdout.trim()).slice(0, MAX_QUOTED);
    return { failure: `It ended with exit code ${exitCode}${printed === '' ? '.' : `: ${printed}`}` };
  }
  const text = stdout.trim();
  if (text === '') return {};
  if (takesText(event) && !text.startsWith('{')) return { context: text };
  if (isCut) return { failure: 'It printed more than is read of a hook, so that its decision is not known.' };
  const starts = [...text.matchAll(/^\{/gm)].slice(0, MAX_STARTS).map(({ index }) => index);
  if (starts.length === 0) return {};
  const start = starts.find((index) => parseJson(text.slice(index)) !== undefined);
  const parsed = outputSchema.safeParse(start === undefined ? undefined : parseJson(text.slice(start)));
  if (!parsed.success) return { failure: `Its output is not what a ${event} hook prints: ${problemIn(parsed.error)}` };
  return wanted(event, parsed.data);
}

function problemIn({ issues: [issue] }: z.ZodError): string {
  const field = issue?.path.join('.');
  return field ? `${field}: ${issue?.message}` : 'it is not valid JSON.';
}

function takesText(event: HookEvent): boolean {
  return event === 'SessionStart' || event === 'UserPromptSubmit';
}

/** False for events at which nothing can be prevented: a session that starts, and a notification. */
export function canBlock(event: HookEvent): boolean {
  return event !== 'SessionStart' && event !== 'Notification';
}

/** The reason is for the user where nothing can be blocked. */
function blocked(event: HookEvent, reason: string): HookOutcome {
  if (!canBlock(event)) return reason === '' ? {} : { message: reason };
  return { block: reason === '' ? 'The hook gave no reason.' : reason };
}

function wanted(event: HookEvent, output: z.infer<typeof outputSchema>): HookOutcome {
  const { systemMessage, hookSpecificOutput = {} } = output;
  const decision = output.decision ?? hookSpecificOutput.decision;
  const reason = output.reason ?? hookSpecificOutput.reason;
  const permissionDecision = hookSpecificOutput.permissionDecision ?? output.permissionDecision;
  const permissionDecisionReason = hookSpecificOutput.permissionDecisionReason ?? output.permissionDecisionReason;
  const updatedInput = hookSpecificOutput.updatedInput ?? output.modifiedArgs;
  const context = hookSpecificOutput.additionalContext ?? output.additionalContext;
  const common: HookOutcome = {
    ...(systemMessage === undefined ? {} : { message: systemMessage }),
    ...(context === undefined || context.trim() === '' ? {} : { context }),
    ...(output.continue === false ? { stop: output.stopReason ?? reason ?? 'A hook has stopped the turn.' } : {}),
  };
  if (event !== 'PreToolUse') return isBlock(decision) ? { ...common, ...blocked(event, reason ?? '') } : common;
  const why = permissionDecisionReason ?? reason ?? '';
  const word = permissionDecision ?? decision;
  if (isBlock(word)) return { ...common, ...blocked(event, why) };
  return {
    ...common,
    // "defer" leaves the decision to the user.
    ...(word === 'ask' || word === 'defer' ? { ask: why === '' ? 'A hook wants you to decide.' : why } : {}),
    ...(updatedInput === undefined ? {} : { updatedInput }),
  };
}

function isBlock(word: string | undefined): boolean {
  return word === 'block' || word === 'deny';
}
