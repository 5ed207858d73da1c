/**
 * The events that a session emits to its listeners (design §2).
 *
 * Every turn ends with exactly one `turn_completed` or `turn_aborted`, and no event with that `turnId` follows.
 * What outlives a turn (a process, an agent) reports with `turnId: null`.
 * Readers ignore unknown types and fields.
 */
import * as z from 'zod';
import { commandChangesSchema, revertFileSchema } from './baseline.ts';
import { findingStateSchema } from './codeReview.ts';
import {
  agentStateSchema,
  deltaKindSchema,
  fileChangeSummarySchema,
  noSideCopySchema,
  planStepSchema,
  turnItemSchema,
  userInputSchema,
} from './item.ts';
import { mcpStatusSchema } from './mcp.ts';
import { reasoningEffortSchema, reasoningSummarySchema } from './op.ts';
import {
  approvalDecisionSchema,
  approvalPolicySchema,
  sandboxMechanismSchema,
  decisionReasonSchema,
  errorActionSchema,
  errorKindSchema,
  proposalChoicesSchema,
  ruleSchema,
  sandboxModeSchema,
  sandboxPolicySchema,
} from './policy.ts';
import { questionSchema } from './question.ts';
import { lazyObject, lazyVariant } from './lazyObject.ts';

/** Tokens as the server counted them, or as Tiller estimated them (`estimated`). */
export const tokenUsageSchema = lazyObject(() => ({
  input: z.number(),
  cachedInput: z.number(),
  /** The part of `input` that was written to the cache, where the server charges more for it (Messages). */
  cacheWrite: z.number().optional(),
  output: z.number(),
  reasoning: z.number(),
  total: z.number(),
  /** The cost in the currency of the server, where it reports one (OpenRouter). */
  cost: z.number().nonnegative().optional(),
}));
export type TokenUsage = z.infer<typeof tokenUsageSchema>;

/** Tokens in the context window, by kind of content. */
export const contextPartsSchema = lazyObject(() => ({
  /** Base instructions, permissions, environment. */
  instructions: z.number(),
  tools: z.number(),
  /** AGENTS.md files. */
  projectDocs: z.number(),
  /** Attached files and images, and outputs of commands that print a file. */
  files: z.number(),
  /** Other outputs of tools. */
  outputs: z.number(),
  /** Messages, reasoning, calls and summaries. */
  conversation: z.number(),
}));
export type ContextParts = z.infer<typeof contextPartsSchema>;

/** The remaining quota of one rate limit of the server, in requests or tokens. */
const rateLimitSchema = lazyObject(() => ({
  limit: z.number().optional(),
  remaining: z.number(),
  /** Milliseconds until the quota is fully available again. */
  resetsInMs: z.number().optional(),
}));
export type RateLimit = z.infer<typeof rateLimitSchema>;
export const rateLimitsSchema = lazyObject(() => ({
  requests: rateLimitSchema.optional(),
  tokens: rateLimitSchema.optional(),
}));
export type RateLimits = z.infer<typeof rateLimitsSchema>;

/** The settings a turn runs under. */
export const turnSettingsSchema = lazyObject(() => ({
  model: z.string(),
  /** The provider of the model, unless it is the one of `thread_started`. */
  provider: z.string().optional(),
  effort: reasoningEffortSchema.nullable(),
  summary: reasoningSummarySchema,
  cwd: z.string(),
  approvalPolicy: approvalPolicySchema,
  sandboxPolicy: sandboxPolicySchema,
  box: sandboxMechanismSchema,
  /** The reason why no sandbox is available although the policy requires one: one sentence with the remedy. */
  noSandboxCause: z.string().optional(),
  /** The model only reads and proposes a plan; absent otherwise. */
  planMode: z.literal(true).optional(),
}));
export type TurnSettings = z.infer<typeof turnSettingsSchema>;

/** The answers that the user can choose. `approvalDecisionSchema` is the form in which an answer is sent. */
export const approvalChoiceSchema = z.enum([
  'approved',
  'approved_for_thread',
  'approved_rule',
  'approved_tool',
  'approved_discarding',
  'approved_saving',
  'denied',
  'abort',
]);
export type ApprovalChoice = z.infer<typeof approvalChoiceSchema>;

/** The sub-agent that asks; absent if the root thread asks. */
const asking = { agent: z.object({ id: z.string(), role: z.string() }).optional() };

/** A model that answers for the user, with its reason as one sentence (docs/decisions/0079). */
export const reviewerVerdictSchema = lazyObject(() => ({ model: z.string(), text: z.string() }));
export type ReviewerVerdict = z.infer<typeof reviewerVerdictSchema>;

/** `asks`: it leaves the decision to the user. `failed`: it has not decided. */
const reviewStateSchema = lazyObject(() => ({
  model: z.string(),
  state: z.enum(['reviewing', 'asks', 'failed']),
  /** The reason for asking the user, as one sentence. */
  text: z.string().optional(),
}));

export const approvalRequestSchema = lazyObject(() => ({
  ...asking,
  approvalId: z.string(),
  itemId: z.string(),
  callId: z.string(),
  kind: z.enum(['command', 'patch', 'escalation', 'tool', 'network']),
  /** The command line as a user would type it. */
  command: z.string().optional(),
  cwd: z.string().optional(),
  /** The sandbox mechanism under which the command would run. */
  box: sandboxMechanismSchema.optional(),
  /**
   * True if the command would get a terminal. Later input of the model to that terminal only needs approval if it names
   * files with secrets.
   */
  tty: z.boolean().optional(),
  /** Each command of a script with its own verdict. */
  parts: z
    .array(
      z.object({
        command: z.string(),
        verdict: z.enum(['allow', 'prompt', 'forbidden']),
        reason: decisionReasonSchema,
      }),
    )
    .optional(),
  changes: z.array(fileChangeSummarySchema).optional(),
  /**
   * For a command: files that Tiller changed and that are unsaved in the editor; the command would see their old text.
   */
  unsaved: z.array(z.string()).optional(),
  /** For a patch: its diff in git format. */
  diff: z.string().optional(),
  /** For a patch that needs approval again because its files have changed: the earlier choices that still fit. */
  reviewed: proposalChoicesSchema.optional(),
  /**
   * For a patch: files that the user has moved since the model wrote the patch. They are changed at their new places.
   */
  moved: z.array(z.object({ from: z.string(), to: z.string() })).optional(),
  /** For a patch that needs approval again: folders that were removed since, and that the patch would create. */
  missingFolders: z.array(z.string()).optional(),
  /** For a tool of an MCP server: the server's description of it, which is not checked. */
  tool: z
    .object({
      server: z.string(),
      name: z.string(),
      description: z.string(),
      /** The changes of the tool's description since the user approved it, as a unified diff. */
      changes: z.string().optional(),
    })
    .optional(),
  /** For a page from the web: its address. */
  url: z.string().optional(),
  /** For `network`: the hosts that the command was refused and would reach in another attempt (hostPattern.ts). */
  hosts: z.array(z.string()).optional(),
  /** The reason for requesting approval. */
  reason: decisionReasonSchema,
  /** The purpose that the model gives. */
  justification: z.string().optional(),
  /** The rule that "always allow …" would add. */
  proposedRule: ruleSchema.optional(),
  /** True if a command in the request can destroy work that cannot be restored. */
  destructive: z.boolean().optional(),
  choices: z.array(approvalChoiceSchema),
  /** Commands that other threads currently run in the same place and that may change the same files. */
  elsewhere: z.array(z.object({ threadId: z.string(), command: z.string() })).optional(),
  /** Items of further identical calls, which wait for the same answer. */
  alsoItems: z.array(z.string()).optional(),
  /** A model reviews the request, or has reviewed it and leaves it to the user. The user may answer at any time. */
  reviewer: reviewStateSchema.optional(),
}));
export type ApprovalRequest = z.infer<typeof approvalRequestSchema>;

/** A question of the model (`request_user_input`) or of Tiller itself, or an elicitation of an MCP server. */
export const questionRequestSchema = z.discriminatedUnion('source', [
  lazyObject(() => ({
    ...asking,
    source: z.literal('model'),
    questionId: z.string(),
    questions: z.array(questionSchema),
    /** The call that asks. It runs again when the thread is resumed before an answer. */
    callId: z.string().optional(),
  })),
  /** A question of Tiller before it continues: the answer is one of the options. */
  lazyObject(() => ({
    ...asking,
    source: z.literal('tiller'),
    questionId: z.string(),
    questions: z.array(questionSchema),
  })),
  lazyObject(() => ({
    ...asking,
    source: z.literal('mcp'),
    questionId: z.string(),
    server: z.string(),
    message: z.string(),
    requestedSchema: z.record(z.string(), z.unknown()),
    /** A page that the user should open. The form is empty then. */
    url: z.string().optional(),
  })),
]);
export type QuestionRequest = z.infer<typeof questionRequestSchema>;

/**
 * The source of a decision about a request: the user, a model that answers for the user, a remembered approval, a rule,
 * the policy, the absence of a user, or the end of the turn.
 */
export const resolvedBySchema = z.enum([
  'user',
  'reviewer',
  'memory',
  'rule',
  'policy',
  'non_interactive',
  'turn_ended',
]);
export type ResolvedBy = z.infer<typeof resolvedBySchema>;

export const turnAbortReasonSchema = z.enum(['interrupted', 'replaced', 'failed', 'crashed']);
export type TurnAbortReason = z.infer<typeof turnAbortReasonSchema>;

export const eventMsgSchema = z.discriminatedUnion('type', [
  lazyVariant('thread_started', () => ({
    cwd: z.string(),
    model: z.string(),
    approvalPolicy: approvalPolicySchema,
    sandbox: sandboxModeSchema,
    box: sandboxMechanismSchema,
    noSandboxCause: z.string().optional(),
    rolloutPath: z.string().nullable(),
    /** True when the thread existed before this process. */
    resumed: z.boolean().optional(),
    forkedFrom: z.string().optional(),
    /** The parent thread of a sub-agent. */
    parentId: z.string().optional(),
    /** The agent of a file as which a root thread works. */
    agent: z.string().optional(),
    provider: z.string().optional(),
  })),
  lazyVariant('turn_context_changed', () => ({ settings: turnSettingsSchema })),
  lazyVariant('title_changed', () => ({ title: z.string() })),
  lazyVariant('turn_started', () => ({
    settings: turnSettingsSchema,
    contextWindow: z.number().nullable(),
  })),
  /** A message was queued. Emitted again with the same id when the message is changed, held or released. */
  lazyVariant('input_queued', () => ({
    id: z.string(),
    input: z.array(userInputSchema),
    /** True while the user edits the queued message: no turn takes it. */
    held: z.boolean().optional(),
  })),
  lazyVariant('input_dequeued', () => ({
    id: z.string(),
    reason: z.enum(['joined', 'withdrawn', 'dropped']),
  })),
  lazyVariant('item_started', () => ({ item: turnItemSchema })),
  lazyVariant('item_delta', () => ({
    itemId: z.string(),
    kind: deltaKindSchema,
    text: z.string(),
    /** For `output`: the stream of the process. */
    stream: z.enum(['stdout', 'stderr']).optional(),
  })),
  lazyVariant('item_completed', () => ({ item: turnItemSchema })),
  lazyVariant('approval_requested', () => ({ ...approvalRequestSchema.shape })),
  /** Another identical call waits for the same answer. */
  lazyVariant('approval_joined', () => ({
    approvalId: z.string(),
    itemId: z.string(),
    callId: z.string(),
  })),
  /** A model has reviewed the request and leaves it to the user. */
  lazyVariant('approval_reviewed', () => ({
    approvalId: z.string(),
    model: z.string(),
    outcome: z.enum(['asks', 'failed']),
    text: z.string(),
  })),
  lazyVariant('approval_resolved', () => ({
    approvalId: z.string(),
    decision: approvalDecisionSchema,
    by: resolvedBySchema,
    /** Set with `by: reviewer`. */
    reviewer: reviewerVerdictSchema.optional(),
    /** With `approved_for_thread`: the keys that are remembered from now on. */
    keys: z.array(z.string()).optional(),
  })),
  /** The user has changed what the thread remembers: all approvals and rules that hold from now on. */
  lazyVariant('memory_changed', () => ({ keys: z.array(z.string()), rules: z.array(ruleSchema) })),
  lazyVariant('question_requested', () => ({ request: questionRequestSchema })),
  lazyVariant('question_resolved', () => ({ questionId: z.string(), by: resolvedBySchema })),
  lazyVariant('dynamic_tool_requested', () => ({
    callId: z.string(),
    turnId: z.string(),
    tool: z.string(),
    arguments: z.unknown(),
  })),
  lazyVariant('dynamic_tool_resolved', () => ({ callId: z.string(), success: z.boolean() })),
  lazyVariant('plan_updated', () => ({
    explanation: z.string().optional(),
    steps: z.array(planStepSchema),
  })),
  /** All changes of the turn so far, in git format, with paths relative to the working directory. */
  lazyVariant('turn_diff', () => ({ unifiedDiff: z.string() })),
  lazyVariant('token_count', () => ({
    /** The usage of the last request; the context meter shows it. */
    last: tokenUsageSchema,
    /** Sum over all requests of the thread. */
    total: tokenUsageSchema,
    contextWindow: z.number().nullable(),
    estimated: z.boolean(),
    /** Estimates that add up to `last.input` and `last.output`. */
    parts: contextPartsSchema.optional(),
    /** Tokens of `last.total` from which the thread is compacted automatically. */
    compactsAt: z.number().optional(),
    /** The ratio for estimates, once the server has counted tokens. It is recorded for resuming the thread. */
    bytesPerToken: z.number().optional(),
    /**
     * Set if the settings have prices for the model (then in their currency) or the server reports the cost. `total` counts
     * the requests whose cost was known.
     */
    cost: z.object({ last: z.number(), total: z.number() }).optional(),
    /** The rate limits that the server reported with its last response. */
    rateLimits: rateLimitsSchema.optional(),
  })),
  lazyVariant('stream_error', () => ({
    kind: errorKindSchema,
    message: z.string(),
    /** The number of the failed attempt, from 1. */
    attempt: z.number(),
    of: z.number(),
    retryInMs: z.number(),
  })),
  lazyVariant('warning', () => ({
    message: z.string(),
    /** Identifies quarantined files, which can be restored. */
    quarantineId: z.string().optional(),
    /** Images that are no longer sent to the model, by the SHA-256 of their URL. */
    imagesLeftOut: z.array(z.object({ sha256: z.string(), reason: z.string() })).optional(),
  })),
  lazyVariant('error', () => ({
    kind: errorKindSchema,
    /** The message: one plain sentence. */
    message: z.string(),
    /** The original message of the server or the system. */
    detail: z.string().optional(),
    action: errorActionSchema.optional(),
  })),
  lazyVariant('turn_completed', () => ({ lastMessage: z.string().nullable() })),
  lazyVariant('turn_aborted', () => ({ reason: turnAbortReasonSchema })),
  lazyVariant('process_started', () => ({
    processId: z.string(),
    itemId: z.string(),
    command: z.string(),
    cwd: z.string(),
    box: sandboxMechanismSchema,
    /** True if the process has a terminal and accepts input. */
    tty: z.boolean().optional(),
  })),
  lazyVariant('process_output', () => ({
    processId: z.string(),
    text: z.string(),
    stream: z.enum(['stdout', 'stderr']),
  })),
  lazyVariant('process_exited', () => ({ processId: z.string(), exitCode: z.number().nullable() })),
  lazyVariant('mcp_status', () => ({
    server: z.string(),
    status: mcpStatusSchema,
    error: z.string().optional(),
    /** The number of tools that are offered. */
    toolCount: z.number().optional(),
    /** The tools that are not offered and the reason, in one sentence. */
    leftOut: z.string().optional(),
  })),
  lazyVariant('agent_status', () => ({
    agentId: z.string(),
    role: z.string(),
    state: agentStateSchema,
    /** The last message of the agent, or the reason why it failed. */
    lastMessage: z.string().optional(),
    /** The task of the agent, in a few words. */
    description: z.string().optional(),
    /** The colour of the agent's role, as a CSS colour name. */
    color: z.string().optional(),
    /** The tokens that the agent's requests have used so far. */
    tokens: z.number().optional(),
    /** True if a call of `task` waits for the agent. */
    isTask: z.boolean().optional(),
    /** True if the agent works in a side copy. The user brings its changes home. */
    inSideCopy: z.boolean().optional(),
    /** Set if the agent works in the same folder as other agents that write: the reason why it has no side copy. */
    noSideCopy: noSideCopySchema.optional(),
  })),
  lazyVariant('compaction_undone', () => ({ itemId: z.string() })),
  /** The user has sent a finding of a `code_review` to the thread, dismissed it, or taken that back. */
  lazyVariant('finding_marked', () => ({
    itemId: z.string(),
    findingId: z.string(),
    state: findingStateSchema,
  })),
  /** The changes of a command: emitted after its item, for a background command possibly after its turn. */
  lazyVariant('files_changed', () => ({
    turnId: z.string(),
    itemId: z.string(),
    changed: commandChangesSchema,
  })),
  /** A preview of an undo or redo; no file was changed. */
  lazyVariant('revert_planned', () => ({
    turnIds: z.array(z.string()),
    direction: z.enum(['undo', 'redo']),
    files: z.array(revertFileSchema),
    /** The names of sub-agents of these turns that have worked in a side copy. The side copies are not changed. */
    inSideCopies: z.array(z.string()).optional(),
    /**
     * The folders that would be created, or removed if they are empty; absent if there are none. Paths have the same
     * form as those of files.
     */
    folders: z.array(z.string()).optional(),
    /** The diff of the files that can be reverted, in git format, with paths relative to the working directory. */
    unifiedDiff: z.string(),
  })),
  lazyVariant('files_reverted', () => ({
    turnId: z.string(),
    direction: z.enum(['undo', 'redo']),
    paths: z.array(z.string()),
    /** The files that were not reverted, because another program or thread has changed them since. */
    skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
  })),
  lazyVariant('turns_rolled_back', () => ({
    toItemId: z.string(),
    /** Removed from the conversation, oldest first. */
    turnIds: z.array(z.string()),
    files: z.boolean(),
    conversation: z.boolean(),
  })),
  /** The command's output was removed from the thread and the disk. */
  lazyVariant('output_purged', () => ({ itemId: z.string() })),
  lazyVariant('thread_closed', () => ({})),
]);
export type EventMsg = z.infer<typeof eventMsgSchema>;
export type EventMsgType = EventMsg['type'];
export type EventMsgOf<Type extends EventMsgType> = Extract<EventMsg, { type: Type }>;

export const eventSchema = lazyObject(() => ({
  v: z.literal(1),
  /** The number of the event in its process, over all threads: from 1, without gaps. */
  seq: z.number().int().positive(),
  /** ISO 8601, milliseconds, UTC. */
  at: z.string(),
  threadId: z.string(),
  turnId: z.string().nullable(),
  /** The submission that caused the event. */
  submissionId: z.string().nullable(),
  msg: eventMsgSchema,
}));
export type Event = z.infer<typeof eventSchema>;

/**
 * Returns true if an event is recorded in the rollout. The other events can be derived: a delta is part of the
 * completed item, a retry ends within its turn, a preview can be requested again, and the state of MCP servers is that
 * of the process.
 */
export function isPersisted(msg: EventMsg): boolean {
  return !['item_delta', 'process_output', 'stream_error', 'revert_planned', 'mcp_status'].includes(msg.type);
}
