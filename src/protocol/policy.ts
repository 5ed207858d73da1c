/**
 * The words of permission: who is asked, what a command may touch, and why a decision fell the way it did.
 *
 * Names and semantics follow codex-behaviour.md §6 (SEED era): `AskForApproval` and `SandboxPolicy`.
 */
import * as z from 'zod';

/** When a person is asked before something runs or is written (codex-behaviour.md §6.1). */
export const approvalPolicySchema = z.enum(['untrusted', 'on-failure', 'on-request', 'never']);
export type ApprovalPolicy = z.infer<typeof approvalPolicySchema>;

export const sandboxModeSchema = z.enum(['read-only', 'workspace-write', 'danger-full-access', 'external-sandbox']);
export type SandboxMode = z.infer<typeof sandboxModeSchema>;

/** What a command may touch (codex-behaviour.md §6.2). The paths are absolute. */
export const sandboxPolicySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('read-only'), networkAccess: z.boolean().default(false) }),
  z.object({
    type: z.literal('workspace-write'),
    /** Writable besides the working directory. */
    writableRoots: z.array(z.string()).default([]),
    networkAccess: z.boolean().default(false),
    excludeTmpdirEnvVar: z.boolean().default(false),
    excludeSlashTmp: z.boolean().default(false),
  }),
  z.object({ type: z.literal('danger-full-access') }),
  /** Somebody else's sandbox surrounds this process: commands run plain, the model is told about the network. */
  z.object({ type: z.literal('external-sandbox'), networkAccess: z.boolean().default(false) }),
]);
export type SandboxPolicy = z.infer<typeof sandboxPolicySchema>;

/** Whether the policy itself speaks of the network and allows it. */
export function allowsNetwork(policy: SandboxPolicy): boolean {
  return 'networkAccess' in policy && policy.networkAccess;
}

/** A sandbox policy, or just its mode, which stands for that mode with its defaults. */
export const sandboxPolicyInputSchema = z.union([
  sandboxModeSchema.transform((type): SandboxPolicy => sandboxPolicySchema.parse({ type })),
  sandboxPolicySchema,
]);

/** The mechanism that really surrounds a command; `none` says honestly that nothing does. */
export const sandboxMechanismSchema = z.enum(['bubblewrap', 'seatbelt', 'external', 'none']);
export type SandboxMechanism = z.infer<typeof sandboxMechanismSchema>;

/** Whether a patch inside the writable roots waits for a decision (`before`) or lands and is reviewed `after`. */
export const reviewSettingSchema = z.enum(['before', 'after']);
export type ReviewSetting = z.infer<typeof reviewSettingSchema>;

/** A chat mode is nothing but a named bundle of policy, box and review (design decision 6). */
export const chatModeSchema = z.enum(['chat', 'agent', 'plan', 'full-access']);
export type ChatMode = z.infer<typeof chatModeSchema>;

export const ruleDecisionSchema = z.enum(['allow', 'prompt', 'forbidden']);
export type RuleDecision = z.infer<typeof ruleDecisionSchema>;

/** Each element is one word, or the list of words allowed in that place. */
const rulePatternSchema = z
  .array(z.union([z.string(), z.array(z.string()).min(1)], { error: 'must be a word, or a list of at least one' }))
  .min(1);

/** The rule or heuristic that made a decision, in a form a person can look up. */
export const decisionReasonSchema = z.object({
  source: z.enum(['rule', 'heuristic', 'policy', 'sandbox', 'hint']),
  /** Stable name, e.g. `known-safe`, `dangerous`, `untrusted`, or the rule's own place. */
  id: z.string(),
  /** One plain sentence. */
  text: z.string(),
  /** Of a rule: what it says itself, for by tomorrow another one may stand in its place. */
  rule: z.object({ pattern: rulePatternSchema, decision: ruleDecisionSchema }).optional(),
});
export type DecisionReason = z.infer<typeof decisionReasonSchema>;

/** One prefix rule of `rules.json` (contract.md): matches an argv that starts with the pattern, token by token. */
export const ruleSchema = z
  .strictObject({
    pattern: rulePatternSchema,
    decision: ruleDecisionSchema.default('allow'),
    /** What it allows also leaves the sandbox. Without it the sandbox stays around it (docs/decisions/0009). */
    bypassSandbox: z.boolean().optional(),
    justification: z.string().trim().min(1).optional(),
    /** Examples checked when the file is loaded; a string is split into words as a shell would. */
    match: z.array(z.union([z.string(), z.array(z.string())])).optional(),
    not_match: z.array(z.union([z.string(), z.array(z.string())])).optional(),
  })
  .refine(({ decision, bypassSandbox }) => decision === 'allow' || bypassSandbox !== true, {
    path: ['bypassSandbox'],
    message: 'only a rule that allows can leave the sandbox',
  });
export type Rule = z.infer<typeof ruleSchema>;

/** Whether two rules do the same, whatever they say of themselves. */
export function isSameRule(one: Rule, other: Rule): boolean {
  return ruleMeaning(one) === ruleMeaning(other);
}

/** What a rule does, as a text that is the same for every rule that does it. */
export function ruleMeaning({ pattern, decision, bypassSandbox }: Rule): string {
  const words = pattern.map((word) => (typeof word === 'string' ? [word] : [...new Set(word)].toSorted()));
  return JSON.stringify([words, decision, bypassSandbox === true]);
}

export const rulesFileSchema = z.strictObject({ version: z.literal(1), rules: z.array(ruleSchema) });

/** How far an approval is remembered (design §2). */
export const ruleScopeSchema = z.enum(['thread', 'workspace', 'user']);
export type RuleScope = z.infer<typeof ruleScopeSchema>;

/** Where a rule stands: with the person (`user`, `workspace`, `thread`), or in a file that a workspace brought. */
export const ruleLayerSchema = z.enum(['user', 'workspace', 'thread', 'workspace_file']);
export type RuleLayer = z.infer<typeof ruleLayerSchema>;

/**
 * What a person made of one file of a patch before it landed: `path` as the question names it. Hunks are the `@@` of that
 * file in the question's diff, counted from 0.
 */
export const fileReviewSchema = z.union([
  /** The file stays as it is. */
  z.strictObject({ path: z.string(), leftOut: z.literal('file') }),
  z.strictObject({ path: z.string(), leftOut: z.array(z.int().nonnegative()).min(1) }),
  /** The text that lands in place of the proposed one. */
  z.strictObject({ path: z.string(), text: z.string() }),
]);
export type FileReview = z.infer<typeof fileReviewSchema>;

/** Files that are not named land as proposed. */
export const proposalChoicesSchema = z.array(fileReviewSchema).min(1);
export type ProposalChoices = z.infer<typeof proposalChoicesSchema>;

/**
 * What a person answered. `"denied"` alone is read as a denial without a word.
 * `abort` denies and stops the turn, as an interrupt does.
 */
export const approvalDecisionSchema = z.union([
  z.literal('approved'),
  z.literal('approved_for_thread'),
  z.strictObject({ approved_rule: z.strictObject({ rule: ruleSchema, scope: ruleScopeSchema }) }),
  /** Yes, and the unsaved edits in these files may go: paths as the question names them. */
  z.strictObject({ approved_discarding: z.strictObject({ paths: z.array(z.string()).min(1) }) }),
  /** Yes to a patch in part, or as the person rewrote it; `discarding` as above. */
  z.strictObject({
    approved_reviewed: z.strictObject({
      files: proposalChoicesSchema,
      discarding: z.array(z.string()).min(1).optional(),
    }),
  }),
  /** Save the unsaved files that the question names, then run. */
  z.literal('approved_saving'),
  z.strictObject({ denied: z.strictObject({ message: z.string().optional() }) }),
  z.literal('denied').transform((): { denied: { message?: string } } => ({ denied: {} })),
  z.literal('abort'),
]);
export type ApprovalDecision = z.infer<typeof approvalDecisionSchema>;

/** What the answer makes of a patch; `undefined` when it takes the patch as it is, or not at all. */
export function reviewIn(decision: ApprovalDecision | null): ProposalChoices | undefined {
  if (decision === null || typeof decision === 'string' || !('approved_reviewed' in decision)) return undefined;
  return decision.approved_reviewed.files;
}

/** What was said with a no; `undefined` when it was none. */
export function denialIn(decision: ApprovalDecision): { readonly message?: string | undefined } | undefined {
  return typeof decision === 'object' && 'denied' in decision ? decision.denied : undefined;
}

/** What a call asks of the sandbox (codex-behaviour.md §6.2). */
export const sandboxPermissionsSchema = z.enum(['use_default', 'require_escalated']);
export type SandboxPermissions = z.infer<typeof sandboxPermissionsSchema>;

/** Every kind of failure a person may meet (design decision 18). Each has a sentence, a cause and an action. */
export const errorKindSchema = z.enum([
  /** The server wants a key and none was entered for it. */
  'no_key',
  /** The key was rejected. */
  'auth',
  'quota',
  'rate_limited',
  'overloaded',
  'context_exceeded',
  'invalid_request',
  'model_not_found',
  'content_filter',
  'network',
  'tls',
  'proxy',
  'timeout',
  'stream_closed',
  'bad_response',
  'config',
  'storage',
  'sandbox',
  /** Too many rounds of tool calls: the user decides whether the turn goes on. */
  'paused',
  'internal',
]);
export type ErrorKind = z.infer<typeof errorKindSchema>;

/** The one thing a person can do about an error; the front door knows how to offer it. */
export const errorActionSchema = z.enum([
  'set_api_key',
  'select_model',
  'check_settings',
  'check_network',
  'retry',
  'compact',
  'new_thread',
  'show_log',
]);
export type ErrorAction = z.infer<typeof errorActionSchema>;
