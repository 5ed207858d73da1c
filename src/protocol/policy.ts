/**
 * The types of permissions: when the user is asked, which files a command may change, and why a decision was made.
 * Names and semantics follow codex-behaviour.md §6 (SEED era): `AskForApproval` and `SandboxPolicy`.
 */
import * as z from 'zod';
import { MAX_HUNK_REASON } from './reviewLimits.ts';
import { lazyObject, lazyStrictObject, lazyVariant } from './lazyObject.ts';

/** The conditions for requesting approval before an execution or a write (codex-behaviour.md §6.1). */
export const approvalPolicySchema = z.enum(['untrusted', 'on-failure', 'on-request', 'never']);
export type ApprovalPolicy = z.infer<typeof approvalPolicySchema>;

/** The source of answers to the approval requests that a model may answer (docs/decisions/0079). */
export const approvalReviewerSchema = z.enum(['user', 'model']);
export type ApprovalReviewerSetting = z.infer<typeof approvalReviewerSchema>;

export const sandboxModeSchema = z.enum(['read-only', 'workspace-write', 'danger-full-access', 'external-sandbox']);
export type SandboxMode = z.infer<typeof sandboxModeSchema>;

/** The resources that a command may access (codex-behaviour.md §6.2). Paths are absolute. */
export const sandboxPolicySchema = z.discriminatedUnion('type', [
  lazyVariant('read-only', () => ({ networkAccess: z.boolean().default(false) })),
  lazyVariant('workspace-write', () => ({
    /** Folders that are writable in addition to the working directory. */
    writableRoots: z.array(z.string()).default([]),
    networkAccess: z.boolean().default(false),
    excludeTmpdirEnvVar: z.boolean().default(false),
    excludeSlashTmp: z.boolean().default(false),
  })),
  lazyVariant('danger-full-access', () => ({})),
  /**
   * This process already runs in the sandbox of another program: commands run without Tiller's sandbox, and the model
   * is informed whether they have network access.
   */
  lazyVariant('external-sandbox', () => ({ networkAccess: z.boolean().default(false) })),
]);
export type SandboxPolicy = z.infer<typeof sandboxPolicySchema>;

/** Returns true if the policy has a network setting that allows the network. */
export function allowsNetwork(policy: SandboxPolicy): boolean {
  return 'networkAccess' in policy && policy.networkAccess;
}

/** Returns true if commands may use the network: the policy allows it, or has no sandbox. */
export function commandsMayConnect(policy: SandboxPolicy): boolean {
  return policy.type === 'danger-full-access' || allowsNetwork(policy);
}

/** A sandbox policy, or only its mode, which selects that mode with its defaults. */
export const sandboxPolicyInputSchema = z.union([
  sandboxModeSchema.transform((type): SandboxPolicy => sandboxPolicySchema.parse({ type })),
  sandboxPolicySchema,
]);

/** The mechanism that actually confines a command; `none` if it is not confined. */
export const sandboxMechanismSchema = z.enum(['bubblewrap', 'seatbelt', 'external', 'none']);
export type SandboxMechanism = z.infer<typeof sandboxMechanismSchema>;

/**
 * When the user reviews a patch inside the writable roots. `before`: the patch needs a decision before it is applied;
 * `after`: it is applied at once and reviewed later.
 */
export const reviewSettingSchema = z.enum(['before', 'after']);
export type ReviewSetting = z.infer<typeof reviewSettingSchema>;

/** A chat mode is only a named combination of policy, sandbox and review (design decision 6). */
export const chatModeSchema = z.enum(['chat', 'agent', 'plan', 'full-access']);
export type ChatMode = z.infer<typeof chatModeSchema>;

export const ruleDecisionSchema = z.enum(['allow', 'prompt', 'forbidden']);
export type RuleDecision = z.infer<typeof ruleDecisionSchema>;

/** Each element is one word, or the list of words allowed in that place. */
const rulePatternSchema = z
  .array(z.union([z.string(), z.array(z.string()).min(1)], { error: 'must be a word, or a list of at least one' }))
  .min(1);

/** The rule or heuristic that made a decision, in a form that the user can look up. */
export const decisionReasonSchema = lazyObject(() => ({
  source: z.enum(['rule', 'heuristic', 'policy', 'sandbox', 'hint', 'hook']),
  /** A stable name, e.g. `known-safe`, `dangerous`, `untrusted`, or the place of the rule. */
  id: z.string(),
  /** One plain sentence. */
  text: z.string(),
  /** The rule itself, because another one may be at its place later. */
  rule: z.object({ pattern: rulePatternSchema, decision: ruleDecisionSchema }).optional(),
}));
export type DecisionReason = z.infer<typeof decisionReasonSchema>;

/** One prefix rule of `rules.json` (docs/cli.md): matches an argv that starts with the pattern, word by word. */
export const ruleSchema = z.lazy(() =>
  z
    .strictObject({
      pattern: rulePatternSchema,
      decision: ruleDecisionSchema.default('allow'),
      /** True when matching commands run outside the sandbox. Otherwise they stay inside (docs/decisions/0009). */
      bypassSandbox: z.boolean().optional(),
      /**
       * True when matching commands may open files with secrets in the sandbox; their output is redacted
       * (docs/decisions/0037).
       */
      readsSecrets: z.boolean().optional(),
      justification: z.string().trim().min(1).optional(),
      /** Examples that are checked when the file is loaded; a string is split into words as a shell would. */
      match: z.array(z.union([z.string(), z.array(z.string())])).optional(),
      not_match: z.array(z.union([z.string(), z.array(z.string())])).optional(),
    })
    .refine(({ decision, bypassSandbox }) => decision === 'allow' || bypassSandbox !== true, {
      path: ['bypassSandbox'],
      message: 'only a rule that allows can leave the sandbox',
    })
    .refine(({ decision, readsSecrets }) => decision === 'allow' || readsSecrets !== true, {
      path: ['readsSecrets'],
      message: 'only a rule that allows can open files with secrets',
    }),
);
export type Rule = z.infer<typeof ruleSchema>;

/** Returns true if two rules have the same effect, whatever their justifications. */
export function isSameRule(one: Rule, other: Rule): boolean {
  return ruleMeaning(one) === ruleMeaning(other);
}

/** Returns a text that describes the effect of a rule. It is equal for rules with the same effect. */
export function ruleMeaning({ pattern, decision, bypassSandbox, readsSecrets }: Rule): string {
  const words = pattern.map((word) => (typeof word === 'string' ? [word] : [...new Set(word)].toSorted()));
  // A rule without the last field keeps the same text as before the field existed, because such texts are stored.
  return JSON.stringify([words, decision, bypassSandbox === true, ...(readsSecrets === true ? ['readsSecrets'] : [])]);
}

export const rulesFileSchema = lazyStrictObject(() => ({ version: z.literal(1), rules: z.array(ruleSchema) }));

/** The scope in which an approval is remembered (design §2). */
export const ruleScopeSchema = z.enum(['thread', 'workspace', 'user']);
export type RuleScope = z.infer<typeof ruleScopeSchema>;

/** The origin of a rule: the user (`user`, `workspace`, `thread`), or a file of the workspace. */
export const ruleLayerSchema = z.enum(['user', 'workspace', 'thread', 'workspace_file']);
export type RuleLayer = z.infer<typeof ruleLayerSchema>;

/** The user's reason for rejecting a hunk, for the model; `hunk` is `null` for the whole file. */
export const hunkReasonSchema = lazyStrictObject(() => ({
  hunk: z.int().nonnegative().nullable(),
  text: z.string().min(1).max(MAX_HUNK_REASON),
}));
export type HunkReason = z.infer<typeof hunkReasonSchema>;

const reviewedFile = { path: z.string(), reasons: z.array(hunkReasonSchema).min(1).optional() };

/**
 * The user's choices for one file of a patch before it is applied. `path` is that of the approval card. Hunks are the
 * `@@` sections of the file in the diff of the card, counted from 0.
 */
export const fileReviewSchema = z.union([
  /** The file is not changed. */
  lazyStrictObject(() => ({ ...reviewedFile, leftOut: z.literal('file') })),
  lazyStrictObject(() => ({ ...reviewedFile, leftOut: z.array(z.int().nonnegative()).min(1) })),
  /** The user's text, which is applied instead of the proposed one. */
  lazyStrictObject(() => ({ ...reviewedFile, text: z.string() })),
]);
export type FileReview = z.infer<typeof fileReviewSchema>;

/** Files that are not listed are applied as proposed. */
export const proposalChoicesSchema = z.array(fileReviewSchema).min(1);
export type ProposalChoices = z.infer<typeof proposalChoicesSchema>;

/**
 * The user's answer. `"denied"` alone is read as a denial without a message. `abort` denies and stops the turn, as an
 * interrupt does.
 */
export const approvalDecisionSchema = z.union([
  z.literal('approved'),
  z.literal('approved_for_thread'),
  lazyStrictObject(() => ({ approved_rule: z.strictObject({ rule: ruleSchema, scope: ruleScopeSchema }) })),
  /**
   * Approves, and lets a tool of an MCP server run without further questions in this scope, until its server describes
   * it differently.
   */
  lazyStrictObject(() => ({ approved_tool: z.strictObject({ scope: z.enum(['workspace', 'user']) }) })),
  /** Approves, even if the unsaved edits in these files are lost. The paths are those of the approval card. */
  lazyStrictObject(() => ({ approved_discarding: z.strictObject({ paths: z.array(z.string()).min(1) }) })),
  /**
   * Approves a part of the patch, or the text that the user rewrote. `discarding`: the files whose unsaved edits may be
   * lost.
   */
  lazyStrictObject(() => ({
    approved_reviewed: z.strictObject({
      files: proposalChoicesSchema,
      discarding: z.array(z.string()).min(1).optional(),
    }),
  })),
  /** Saves the unsaved files on the card, then runs. */
  z.literal('approved_saving'),
  lazyStrictObject(() => ({ denied: z.strictObject({ message: z.string().optional() }) })),
  z.literal('denied').transform((): { denied: { message?: string } } => ({ denied: {} })),
  z.literal('abort'),
]);
export type ApprovalDecision = z.infer<typeof approvalDecisionSchema>;

/** Returns the choices in an answer; `undefined` if it approves the patch as proposed, or does not approve it. */
export function reviewIn(decision: ApprovalDecision | null): ProposalChoices | undefined {
  if (decision === null || typeof decision === 'string' || !('approved_reviewed' in decision)) return undefined;
  return decision.approved_reviewed.files;
}

/** The id of the reason with which the policy asks about a file that the model may not read (sandbox.unreadable). */
export const UNREADABLE_FILE = 'unreadable-file';

/** Returns the denial in an answer, with its message; `undefined` if the answer is not a denial. */
export function denialIn(decision: ApprovalDecision): { readonly message?: string | undefined } | undefined {
  return typeof decision === 'object' && 'denied' in decision ? decision.denied : undefined;
}

/** The sandbox permissions that a call requests (codex-behaviour.md §6.2). */
export const sandboxPermissionsSchema = z.enum(['use_default', 'require_escalated']);
export type SandboxPermissions = z.infer<typeof sandboxPermissionsSchema>;

/**
 * All kinds of failures that are shown to the user (design decision 18). Each has a sentence, a cause and an action.
 */
export const errorKindSchema = z.enum([
  /** The server requires a key and none was entered for it. */
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
  /** The limit of tool-call rounds is reached: the user decides whether the turn continues. */
  'paused',
  'internal',
]);
export type ErrorKind = z.infer<typeof errorKindSchema>;

/** The action that the user can take on an error. VS Code and the command line offer it in different ways. */
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
