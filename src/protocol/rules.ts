/** Rules and remembered approvals, in the form in which the rules page shows, tests and edits them. */
import * as z from 'zod';
import {
  type DecisionReason,
  type Rule,
  type RuleDecision,
  type RuleLayer,
  ruleSchema,
  ruleScopeSchema,
} from './policy.ts';
import { lazyStrictVariant } from './lazyObject.ts';

/** The number of decisions of a rule or an approval, over all processes. */
export interface Uses {
  readonly count: number;
  /** ISO 8601; `null` if never. */
  readonly lastUsedAt: string | null;
}

/** A rule that applies. */
export interface RuleEntry {
  /** The id of the rule for edits. It changes whenever the effect of the rule changes. */
  readonly id: string;
  readonly layer: RuleLayer;
  readonly rule: Rule;
  /** The absolute path of its file; `null` for a rule of a thread. */
  readonly file: string | null;
  /** The position among the rules of its layer, from 0. */
  readonly index: number;
  readonly uses: Uses;
}

/** One command, file, tool or host that was approved for the thread. */
export interface RememberedApproval {
  readonly key: string;
  readonly kind: 'command' | 'patch' | 'tool' | 'fetch';
  /** The command line as a user would type it, the file, `server/tool` of an MCP server, or the origin of pages. */
  readonly text: string;
  /** The working directory; only set for a command. */
  readonly cwd: string | null;
  readonly uses: Uses;
}

/**
 * A rule of a workspace that would permit more than the user's policy (design decision 12). It has no effect until the
 * user accepts it.
 */
export interface RuleProposal {
  /** The hash of the definition: a rule with another text is another proposal. */
  readonly hash: string;
  readonly rule: Rule;
  readonly file: string;
  readonly state: 'new' | 'refused';
}

export interface RulesOverview {
  readonly rules: readonly RuleEntry[];
  readonly approvals: readonly RememberedApproval[];
  readonly proposals: readonly RuleProposal[];
  /** The files with an error, each with the place of the error. None of their rules are used. */
  readonly problems: readonly { readonly file: string; readonly message: string }[];
}

/**
 * The decision about a command, with its reason: the output of `tiller execpolicy check`, and of testing a command on
 * the rules page.
 */
export interface CommandExplanation {
  readonly decision: RuleDecision;
  readonly bypassSandbox: boolean;
  /** Present if the command may open files with secrets in the sandbox. */
  readonly readsSecrets?: true;
  readonly reason: DecisionReason;
  readonly matchedRules: readonly {
    readonly file: string;
    readonly index: number;
    readonly pattern: Rule['pattern'];
    readonly decision: RuleDecision;
    readonly justification: string | null;
  }[];
  /** `null` for a script that could not be parsed. */
  readonly commands: readonly (readonly string[])[] | null;
}

/** Rules converted from those of another tool. They do not apply until the user adds them. */
export interface ImportedRules {
  readonly rules: readonly Rule[];
  /** Entries that were left out, each with one plain sentence. */
  readonly skipped: readonly { readonly what: string; readonly why: string }[];
}

/** The effect of "always allow …" for one pending command. */
export interface RulePreview {
  /** All words of the covered command; empty if the rule covers none. */
  readonly words: readonly string[];
  /** The reason why such a rule is not allowed. */
  readonly problem: string | null;
  /** The commands that are neither covered nor known to be safe. */
  readonly stillAsked: readonly string[];
}

/** A rule that would have made earlier approvals unnecessary, according to the audit log. */
export interface RuleSuggestion {
  readonly rule: Rule;
  /** The number of approvals that the rule would have made unnecessary. */
  readonly approvals: number;
  /** The first few distinct commands of these approvals, newest first. */
  readonly commands: readonly string[];
  /** The time of the last of these approvals, in ISO 8601. */
  readonly lastAt: string;
}

/** An edit on the rules page. */
export const ruleEditSchema = z.discriminatedUnion('type', [
  lazyStrictVariant('add', () => ({ scope: ruleScopeSchema, rule: ruleSchema })),
  lazyStrictVariant('replace', () => ({ id: z.string(), rule: ruleSchema })),
  lazyStrictVariant('remove', () => ({ id: z.string() })),
  /** Removes a remembered approval. */
  lazyStrictVariant('forget', () => ({ key: z.string() })),
  /** Accepts or refuses a proposal of the workspace. A refused one may still be accepted later. */
  lazyStrictVariant('settle_proposal', () => ({ hash: z.string(), accept: z.boolean() })),
]);
export type RuleEdit = z.infer<typeof ruleEditSchema>;

export type RuleEditResult =
  | { readonly type: 'done' }
  /** The edit was refused and nothing was changed. The message is one plain sentence. */
  | { readonly type: 'refused'; readonly message: string };
