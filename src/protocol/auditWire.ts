/** The messages between the extension host and the page "Audit Log"; see `rulesWire.ts`. */
import * as z from 'zod';
import type { AuditDecision } from './audit.ts';
import type { ItemStatus } from './item.ts';
import type { SandboxMechanism, DecisionReason } from './policy.ts';

/** A decision and its result, as one line of a table. */
export interface AuditLine {
  readonly at: string;
  readonly threadId: string;
  /** `null` for a thread that no longer exists. */
  readonly threadTitle: string | null;
  readonly agentId: string | null;
  readonly kind: AuditDecision['act']['type'];
  /** The command line as a user would type it, the files, or the tool; shortened if very long. */
  readonly what: string;
  /** The folder as the workspace names it; `null` for the only folder. */
  readonly cwd: string | null;
  readonly outcome: AuditDecision['outcome'];
  readonly by: AuditDecision['by'];
  readonly reason: DecisionReason;
  readonly word: string | null;
  /** The model that has decided for the user, with its sentence; `null` where none has. */
  readonly reviewer: AuditDecision['reviewer'] | null;
  /** `none` if the call ran outside the sandbox. */
  readonly box: SandboxMechanism;
  readonly escalated: boolean;
  /** `null` if the call did not run, still runs, or was cut off by a crash. */
  readonly end: { readonly status: ItemStatus; readonly exit: number | null; readonly durationMs: number } | null;
}

/** Sent by the host; trusted by the page. */
export interface AuditHostMessage {
  readonly type: 'audit';
  /** Newest first. */
  readonly lines: readonly AuditLine[];
  /** True when the log has older entries. */
  readonly hasMore: boolean;
  /** Translated texts by their English original. */
  readonly texts: Readonly<Record<string, string>>;
}

/** Sent by the page; the host validates it first. */
export const auditPageMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  /** Requests the list again, extended by older entries. */
  z.object({ type: z.literal('more') }),
  z.object({ type: z.literal('open_thread'), threadId: z.string() }),
  z.object({ type: z.literal('show_rules') }),
  z.object({ type: z.literal('open_log') }),
]);
export type AuditPageMessage = z.infer<typeof auditPageMessageSchema>;
