/** The audit log: one line for each decision, and one for the end of each call that ran. */
import * as z from 'zod';
import { hookEventSchema } from './hooks.ts';
import { itemStatusSchema } from './item.ts';
import { sandboxMechanismSchema, decisionReasonSchema } from './policy.ts';
import { lazyObject, lazyVariant } from './lazyObject.ts';

export const auditActSchema = z.discriminatedUnion('type', [
  lazyVariant('command', () => ({ command: z.string(), argv: z.array(z.string()), cwd: z.string() })),
  lazyVariant('patch', () => ({
    /** The files; paths inside the working directory are relative to it. */
    files: z.array(
      z.object({ path: z.string(), kind: z.enum(['add', 'update', 'delete']), movedTo: z.string().optional() }),
    ),
    cwd: z.string(),
  })),
  /** Input that was typed into a running command. */
  lazyVariant('input', () => ({ processId: z.string(), command: z.string(), chars: z.string() })),
  lazyVariant('tool', () => ({ tool: z.string(), cwd: z.string() })),
  lazyVariant('hook', () => ({ event: hookEventSchema, command: z.string(), cwd: z.string() })),
]);
export type AuditAct = z.infer<typeof auditActSchema>;

const whoseSchema = lazyObject(() => ({
  v: z.literal(1),
  /** ISO 8601, milliseconds, UTC. */
  at: z.string(),
  threadId: z.string(),
  /** The sub-agent; `null` for the root thread. */
  agentId: z.string().nullable(),
  turnId: z.string(),
  itemId: z.string(),
  callId: z.string(),
}));

export const auditEntrySchema = z.discriminatedUnion('type', [
  lazyObject(() => ({
    ...whoseSchema.shape,
    type: z.literal('decision'),
    act: auditActSchema,
    outcome: z.enum(['allowed', 'denied', 'forbidden']),
    /**
     * The source of the decision: the user, a model that answers for the user, a remembered approval, the absence of a
     * user, the end of the turn, or the rule or policy that decided without asking.
     */
    by: z.enum([
      'user',
      'reviewer',
      'memory',
      'non_interactive',
      'turn_ended',
      'rule',
      'heuristic',
      'policy',
      'sandbox',
      'hint',
      'hook',
    ]),
    /** The reason for the decision, or for the question to the user. For a rule, `id` is its place. */
    reason: decisionReasonSchema,
    /** The user's message with the decision. */
    word: z.string().optional(),
    /** The model that has decided for the user, with its sentence. */
    reviewer: z.object({ model: z.string(), text: z.string() }).optional(),
    box: sandboxMechanismSchema,
    escalated: z.boolean(),
  })),
  lazyObject(() => ({
    ...whoseSchema.shape,
    type: z.literal('end'),
    status: itemStatusSchema,
    /** The exit code of a command that ended by itself. */
    exit: z.number().nullable(),
    durationMs: z.number(),
  })),
]);
export type AuditEntry = z.infer<typeof auditEntrySchema>;
export type AuditDecision = Extract<AuditEntry, { type: 'decision' }>;
export type AuditEnd = Extract<AuditEntry, { type: 'end' }>;

/** A decision and its result. */
export interface AuditRow {
  readonly decision: AuditDecision;
  /** `null` if the call did not run, still runs, or was cut off by a crash. */
  readonly end: AuditEnd | null;
}

/** Returns the entries as table rows, newest first. */
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
