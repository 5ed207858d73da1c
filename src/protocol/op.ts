/**
 * The ops that a client submits to a session (design §2).
 *
 * An unknown, stale or already answered id is never an error: it is ignored with a `warning`.
 */
import * as z from 'zod';
import { revertOptionsSchema } from './baseline.ts';
import { findingStateSchema, reviewTargetSchema } from './codeReview.ts';
import { toolContentItemSchema, userInputSchema } from './item.ts';
import { approvalDecisionSchema, approvalPolicySchema, ruleSchema, sandboxPolicyInputSchema } from './policy.ts';
import { answersSchema } from './question.ts';
import { lazyObject, lazyStrictObject, lazyStrictVariant } from './lazyObject.ts';

export const reasoningEffortSchema = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);
export type ReasoningEffort = z.infer<typeof reasoningEffortSchema>;

export const reasoningSummarySchema = z.enum(['auto', 'concise', 'detailed', 'none']);
export type ReasoningSummary = z.infer<typeof reasoningSummarySchema>;

/** Settings that a client may change, for one turn or permanently (codex-behaviour.md §3.5). */
export const turnOverridesSchema = lazyStrictObject(() => ({
  model: z.string().min(1).optional(),
  /** The provider of the model, by its id in the settings. If absent, the thread keeps its provider. */
  provider: z.string().min(1).optional(),
  /** `null` restores the model's own default. */
  effort: reasoningEffortSchema.nullable().optional(),
  summary: reasoningSummarySchema.optional(),
  /** Absolute path. */
  cwd: z.string().min(1).optional(),
  policy: approvalPolicySchema.optional(),
  box: sandboxPolicyInputSchema.optional(),
  /** True for plan mode: the model only reads and proposes a plan. */
  planMode: z.boolean().optional(),
}));
export type TurnOverrides = z.infer<typeof turnOverridesSchema>;

/** A tool that the client runs itself ("dynamic tools" of Codex). */
export const dynamicToolSpecSchema = lazyObject(() => ({
  /**
   * The name: 1 to 64 letters, digits, `_` and `-`. A tool with an invalid name is ignored with a `warning`; the others
   * are registered.
   */
  name: z.string(),
  description: z.string(),
  /** The arguments, as any JSON Schema of an object. */
  inputSchema: z.record(z.string(), z.unknown()),
  /** Milliseconds after which a call without a response fails. If absent, a call waits until the turn ends. */
  timeoutMs: z.int().positive().max(3_600_000).optional(),
}));
export type DynamicToolSpec = z.infer<typeof dynamicToolSpecSchema>;

export const jsonSchemaSchema = z.record(z.string(), z.unknown());

export const opSchema = z.discriminatedUnion('type', [
  lazyStrictVariant('user_turn', () => ({
    input: z.array(userInputSchema).min(1),
    /** For this turn only. */
    overrides: turnOverridesSchema.optional(),
    /** A JSON Schema that the last message must satisfy, for this turn only. */
    outputSchema: jsonSchemaSchema.optional(),
  })),
  /** Adds a message to the running turn at its next boundary; it is queued until then. Starts a turn if none runs. */
  lazyStrictVariant('steer', () => ({ input: z.array(userInputSchema).min(1) })),
  /**
   * With `held: true`, no turn takes the queued input before `edit_queued` or `held: false`, because the user edits it.
   * It stays queued when the turn ends or is interrupted. If it is released while no turn runs, it is dropped, so that
   * the client can return it to the user. `id` is the submission that queued it.
   */
  lazyStrictVariant('hold_queued', () => ({ id: z.string(), held: z.boolean() })),
  /** Replaces a queued input; `null` removes it. Ends the hold, and starts a turn if none runs. */
  lazyStrictVariant('edit_queued', () => ({
    id: z.string(),
    input: z.array(userInputSchema).min(1).nullable(),
  })),
  lazyStrictVariant('interrupt', () => ({})),
  /** Takes effect from the next turn on. */
  lazyStrictVariant('override_turn_context', () => ({ ...turnOverridesSchema.shape })),
  lazyStrictVariant('approval', () => ({
    approvalIds: z.array(z.string()).min(1),
    decision: approvalDecisionSchema,
  })),
  /** Replaces all approvals and rules that the thread remembers. Keys that it did not remember before are ignored. */
  lazyStrictVariant('remember', () => ({ keys: z.array(z.string()), rules: z.array(ruleSchema) })),
  lazyStrictVariant('user_input_answer', () => ({
    questionId: z.string(),
    /** Question id → chosen labels or free text; `null` cancels. */
    answers: answersSchema.nullable(),
  })),
  lazyStrictVariant('elicitation_answer', () => ({
    questionId: z.string(),
    action: z.enum(['accept', 'decline', 'cancel']),
    content: z.record(z.string(), z.unknown()).optional(),
  })),
  lazyStrictVariant('dynamic_tool_response', () => ({
    callId: z.string(),
    contentItems: z.array(toolContentItemSchema),
    success: z.boolean(),
  })),
  /** Registers the client's own tools. Only allowed before the first turn. */
  lazyStrictVariant('register_tools', () => ({ tools: z.array(dynamicToolSpecSchema) })),
  lazyStrictVariant('process_input', () => ({ processId: z.string(), chars: z.string() })),
  /** Resizes the terminal of a process; ignored if it has none. */
  lazyStrictVariant('process_resize', () => ({
    processId: z.string(),
    columns: z.number().int().min(1).max(10_000),
    rows: z.number().int().min(1).max(10_000),
  })),
  lazyStrictVariant('kill_process', () => ({ processId: z.string() })),
  /**
   * Continues a turn that failed, was interrupted, or was cut off by a crash, without new input. If a turn waits for
   * its next attempt, makes that attempt at once.
   */
  lazyStrictVariant('retry', () => ({})),
  /**
   * Replaces the history that the model gets with a summary; the transcript is not changed. With `continueTurn`, a turn
   * that failed is then continued, as by `retry`.
   */
  lazyStrictVariant('compact', () => ({ continueTurn: z.boolean().optional() })),
  /** Restores the history that the last compaction replaced. Only the last one in effect can be undone. */
  lazyStrictVariant('undo_compaction', () => ({ itemId: z.string() })),
  /** Undoes the changes of the commands and patches of a turn. */
  lazyStrictVariant('undo', () => ({ turnId: z.string(), ...revertOptionsSchema.shape })),
  /** Reverts the last undo, except for files that were changed since. */
  lazyStrictVariant('redo', () => ({ ...revertOptionsSchema.shape })),
  lazyStrictVariant('rollback', () => ({
    /** The user message from which on all items are removed. It must have begun a turn. */
    toItemId: z.string(),
    files: z.boolean(),
    conversation: z.boolean(),
    ...revertOptionsSchema.shape,
  })),
  /** Removes the output of a command from the thread and the disk permanently. */
  lazyStrictVariant('purge_output', () => ({ itemId: z.string() })),
  /**
   * Lets the agent `reviewer` search changes for faults, in a separate turn with one `code_review` item. Not allowed in
   * a sub-agent.
   */
  lazyStrictVariant('review', () => ({
    target: reviewTargetSchema,
    /** The changes in git format, as far as they are known; the agent gets them within the budget of a mention. */
    changes: z.string().optional(),
    /** The user's instructions to the reviewer. */
    instructions: z.string().optional(),
  })),
  lazyStrictVariant('mark_finding', () => ({
    itemId: z.string(),
    findingId: z.string(),
    state: findingStateSchema,
  })),
  lazyStrictVariant('set_title', () => ({ title: z.string().trim().min(1).max(200) })),
  lazyStrictVariant('shutdown', () => ({})),
]);
export type Op = z.infer<typeof opSchema>;
export type OpType = Op['type'];
export type OpOf<Type extends OpType> = Extract<Op, { type: Type }>;

/** One entry of the submission queue. Every event that an op causes has its `id` as `submissionId`. */
export const submissionSchema = lazyStrictObject(() => ({ id: z.string().min(1), op: opSchema }));
export type Submission = z.infer<typeof submissionSchema>;

/** A submission on a line of `exec --input jsonl`, where the id may be omitted. */
export const submissionLineSchema = lazyStrictObject(() => ({ id: z.string().min(1).optional(), op: opSchema }));
