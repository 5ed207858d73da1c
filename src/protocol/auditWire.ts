/** The wire between the extension host and the page "Audit Log"; as `rulesWire.ts`. */
import * as z from 'zod';
import type { AuditDecision } from './audit.ts';
import type { ItemStatus } from './item.ts';
import type { SandboxMechanism, DecisionReason } from './policy.ts';

/** A decision and what came of it, as one line of a table. */
export interface AuditLine {
  readonly at: string;
  readonly threadId: string;
  /** `null` for one that is gone. */
  readonly threadTitle: string | null;
  readonly agentId: string | null;
  readonly kind: AuditDecision['act']['type'];
  /** The command as a person would type it, the files, or the tool; cut where it is very long. */
  readonly what: string;
  readonly cwd: string | null;
  readonly outcome: AuditDecision['outcome'];
  readonly by: AuditDecision['by'];
  readonly reason: DecisionReason;
  readonly word: string | null;
  /** `none` when it ran outside. */
  readonly box: SandboxMechanism;
  readonly escalated: boolean;
  /** `null` for what did not run, and for what runs still or was cut by a crash. */
  readonly end: { readonly status: ItemStatus; readonly exit: number | null; readonly durationMs: number } | null;
}

/** Sent by the host; trusted by the page. */
export interface AuditHostMessage {
  readonly type: 'audit';
  /** Newest first. */
  readonly lines: readonly AuditLine[];
  /** Whether the log holds older ones. */
  readonly hasMore: boolean;
  /** Translated texts by their English original. */
  readonly texts: Readonly<Record<string, string>>;
}

/** Sent by the page; parsed by the host before anything is done with it. */
export const auditPageMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  /** Read again, older ones too. */
  z.object({ type: z.literal('more') }),
  z.object({ type: z.literal('open_thread'), threadId: z.string() }),
  z.object({ type: z.literal('show_rules') }),
  z.object({ type: z.literal('open_log') }),
]);
export type AuditPageMessage = z.infer<typeof auditPageMessageSchema>;
