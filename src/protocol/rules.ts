/** Rules and remembered approvals as a person sees them, tries them and changes them (issue 7 point 2). */
import * as z from 'zod';
import {
  type DecisionReason,
  type Rule,
  type RuleDecision,
  type RuleLayer,
  ruleSchema,
  ruleScopeSchema,
} from './policy.ts';

/** How often something has decided, over all processes. */
export interface Uses {
  readonly count: number;
  /** ISO 8601; `null` when it never has. */
  readonly lastUsedAt: string | null;
}

/** A rule that is in force. */
export interface RuleEntry {
  /** Its name in an edit. Another one as soon as the rule does something else. */
  readonly id: string;
  readonly layer: RuleLayer;
  readonly rule: Rule;
  /** The file it stands in, absolute; `null` for a rule of a thread. */
  readonly file: string | null;
  /** Place among the rules of its layer, from 0. */
  readonly index: number;
  readonly uses: Uses;
}

/** One exact thing that was approved for the thread. */
export interface RememberedApproval {
  readonly key: string;
  readonly kind: 'command' | 'patch';
  /** The command as a person would type it, or the file. */
  readonly text: string;
  /** Of a command. */
  readonly cwd: string | null;
  readonly uses: Uses;
}

/** A workspace asks that something be allowed (design decision 12). Nothing comes of it until the person says so. */
export interface RuleProposal {
  /** Of the definition: another text is another proposal. */
  readonly hash: string;
  readonly rule: Rule;
  readonly file: string;
  readonly state: 'new' | 'refused';
}

export interface RulesOverview {
  readonly rules: readonly RuleEntry[];
  readonly approvals: readonly RememberedApproval[];
  readonly proposals: readonly RuleProposal[];
  /** Files of which no rule is used, each with the place of its fault. */
  readonly problems: readonly { readonly file: string; readonly message: string }[];
}

/** What would happen to a command and why: the answer of `tiller execpolicy check` and of the view's test box. */
export interface CommandExplanation {
  readonly decision: RuleDecision;
  readonly bypassSandbox: boolean;
  readonly reason: DecisionReason;
  readonly matchedRules: readonly {
    readonly file: string;
    readonly index: number;
    readonly pattern: Rule['pattern'];
    readonly decision: RuleDecision;
    readonly justification: string | null;
  }[];
  /** `null` for a script that could not be read. */
  readonly commands: readonly (readonly string[])[] | null;
}

/** What became of rules that were written for another tool. Nothing of it is in force before the person adds it. */
export interface ImportedRules {
  readonly rules: readonly Rule[];
  /** Left out, each with one plain sentence. */
  readonly skipped: readonly { readonly what: string; readonly why: string }[];
}

/** What "always allow …" would mean for one command that waits. */
export interface RulePreview {
  /** The command that it is about, whole; empty when it covers none of them. */
  readonly words: readonly string[];
  /** Why such a rule cannot be made. */
  readonly problem: string | null;
  /** Commands of the script, as a person would type them. */
  readonly covered: readonly string[];
  /** Of those that would not be covered, the ones not known to be harmless. */
  readonly stillAsked: readonly string[];
}

/** What a person does in the view. */
export const ruleEditSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('add'), scope: ruleScopeSchema, rule: ruleSchema }),
  z.strictObject({ type: z.literal('replace'), id: z.string(), rule: ruleSchema }),
  z.strictObject({ type: z.literal('remove'), id: z.string() }),
  /** A remembered approval. */
  z.strictObject({ type: z.literal('forget'), key: z.string() }),
  /** A proposal of the workspace; one that was refused may still be accepted. */
  z.strictObject({ type: z.literal('settle_proposal'), hash: z.string(), accept: z.boolean() }),
]);
export type RuleEdit = z.infer<typeof ruleEditSchema>;

export type RuleEditResult =
  | { readonly type: 'done' }
  /** Nothing was changed; one plain sentence. */
  | { readonly type: 'refused'; readonly message: string };
