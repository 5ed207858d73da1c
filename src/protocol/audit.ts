/** The audit log (issue 7 point 5): one line for each decision, and one for the end of whatever ran. */
import * as z from 'zod';
import { itemStatusSchema } from './item.ts';
import { sandboxMechanismSchema, decisionReasonSchema } from './policy.ts';

export const auditActSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('command'), command: z.string(), argv: z.array(z.string()), cwd: z.string() }),
  z.object({
    type: z.literal('patch'),
    /** Relative to the working directory where they lie inside. */
    files: z.array(
      z.object({ path: z.string(), kind: z.enum(['add', 'update', 'delete']), movedTo: z.string().optional() }),
    ),
    cwd: z.string(),
  }),
  /** What was typed into a command that runs. */
  z.object({ type: z.literal('input'), processId: z.string(), command: z.string(), chars: z.string() }),
  z.object({ type: z.literal('tool'), tool: z.string(), cwd: z.string() }),
]);
export type AuditAct = z.infer<typeof auditActSchema>;

const whoseSchema = z.object({
  v: z.literal(1),
  /** ISO 8601, milliseconds, UTC. */
  at: z.string(),
  threadId: z.string(),
  /** `null` for the person's own thread. */
  agentId: z.string().nullable(),
  turnId: z.string(),
  itemId: z.string(),
  callId: z.string(),
});

export const auditEntrySchema = z.discriminatedUnion('type', [
  z.object({
    ...whoseSchema.shape,
    type: z.literal('decision'),
    act: auditActSchema,
    outcome: z.enum(['allowed', 'denied', 'forbidden']),
    /** The person, what the person said before, nobody being there; or what decided without asking. */
    by: z.enum(['user', 'memory', 'non_interactive', 'turn_ended', 'rule', 'heuristic', 'policy', 'sandbox', 'hint']),
    /** Why it was decided so, or why it was asked about. Of a rule, `id` is its place. */
    reason: decisionReasonSchema,
    /** What the person said with it. */
    word: z.string().optional(),
    box: sandboxMechanismSchema,
    escalated: z.boolean(),
  }),
  z.object({
    ...whoseSchema.shape,
    type: z.literal('end'),
    status: itemStatusSchema,
    /** Of a command that ended by itself. */
    exit: z.number().nullable(),
    durationMs: z.number(),
  }),
]);
export type AuditEntry = z.infer<typeof auditEntrySchema>;
export type AuditDecision = Extract<AuditEntry, { type: 'decision' }>;
export type AuditEnd = Extract<AuditEntry, { type: 'end' }>;

/** A decision and what came of it. */
export interface AuditRow {
  readonly decision: AuditDecision;
  /** `null` for what did not run, and for what runs still or was cut by a crash. */
  readonly end: AuditEnd | null;
}

/** As a table shows them, newest first. */
export function auditRows(entries: readonly AuditEntry[]): readonly AuditRow[] {
  const rows: { decision: AuditDecision; end: AuditEnd | null }[] = [];
  const open = new Map<string, { end: AuditEnd | null }>();
  for (const entry of entries) {
    const name = `${entry.threadId} ${entry.turnId} ${entry.callId}`;
    if (entry.type === 'decision') {
      const row = { decision: entry, end: null };
      rows.push(row);
      open.set(name, row);
    } else {
      const row = open.get(name);
      if (row) row.end = entry;
      open.delete(name);
    }
  }
  return rows.toReversed();
}
