/**
 * What a person sees: the items of a turn, one model for core, disk and view (design decision 1).
 *
 * Fields are the contract's (docs/cli.md). An item lives from `item_started` (texts empty) through `item_delta`s, whose
 * texts concatenate exactly to the final one, to `item_completed`, which carries the whole item.
 */
import * as z from 'zod';
import { commandChangesSchema } from './baseline.ts';
import { sandboxMechanismSchema, decisionReasonSchema } from './policy.ts';

/** What a person (or a client) puts into a turn. */
export const userInputSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  /** A data or https URL. */
  z.object({ type: z.literal('image'), imageUrl: z.string() }),
  z.object({ type: z.literal('local_image'), path: z.string() }),
  /** A file, folder or symbol the person pointed at; `text` is what is sent for it. */
  z.object({ type: z.literal('mention'), name: z.string(), path: z.string(), text: z.string().optional() }),
]);
export type UserInput = z.infer<typeof userInputSchema>;

export const itemStatusSchema = z.enum(['in_progress', 'completed', 'failed', 'declined', 'aborted']);
export type ItemStatus = z.infer<typeof itemStatusSchema>;

export const planStepSchema = z.object({
  step: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']),
});
export type PlanStep = z.infer<typeof planStepSchema>;

export const changeDecisionSchema = z.enum(['accepted', 'declined', 'edited', 'partial']);
export type ChangeDecision = z.infer<typeof changeDecisionSchema>;

/** One file of a patch. Paths are as a person reads them: relative to the working directory where they can be. */
export const fileChangeSummarySchema = z.object({
  path: z.string(),
  kind: z.enum(['add', 'update', 'delete']),
  movedTo: z.string().optional(),
  /** Lines. */
  added: z.number(),
  removed: z.number(),
  /** Of a proposal: the file holds edits the person has not saved, and they would go. */
  discardsUnsaved: z.boolean().optional(),
  /** Landed in the buffer and not saved: it holds edits the person has not saved, or could not be saved. */
  unsaved: z.boolean().optional(),
  /** Absent while nobody has decided. */
  decision: changeDecisionSchema.optional(),
});
export type FileChangeSummary = z.infer<typeof fileChangeSummarySchema>;

/** What a tool that is not ours hands back, for the eye and for the model. */
export const toolContentItemSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input_text'), text: z.string() }),
  z.object({ type: z.literal('input_image'), imageUrl: z.string() }),
]);
export type ToolContentItem = z.infer<typeof toolContentItemSchema>;

/** Life of a sub-agent (codex-behaviour.md §11). */
export const agentStateSchema = z.enum(['pending_init', 'running', 'interrupted', 'completed', 'errored', 'shutdown']);
export type AgentState = z.infer<typeof agentStateSchema>;

const base = { id: z.string(), status: itemStatusSchema };
/** What a person wants to do something about, and so has to know why it was not done. */
const why = {
  /** Why it failed or was refused, where nobody but a tool or a rule says so. */
  why: z.string().optional(),
};

export const turnItemSchema = z.discriminatedUnion('type', [
  z.object({ ...base, type: z.literal('user_message'), content: z.array(userInputSchema) }),
  z.object({ ...base, type: z.literal('agent_message'), text: z.string() }),
  z.object({ ...base, type: z.literal('reasoning'), summary: z.array(z.string()), raw: z.string().optional() }),
  z.object({
    ...base,
    type: z.literal('plan'),
    explanation: z.string().optional(),
    steps: z.array(planStepSchema),
  }),
  z.object({
    ...base,
    ...why,
    type: z.literal('command_execution'),
    callId: z.string(),
    /** As a person would type it. */
    command: z.string(),
    argv: z.array(z.string()),
    cwd: z.string(),
    box: sandboxMechanismSchema,
    exitCode: z.number().nullable(),
    durationMs: z.number(),
    /** The rule that let it run unasked. */
    allowedBy: decisionReasonSchema.optional(),
    /** The rule that forbade it. */
    forbiddenBy: decisionReasonSchema.optional(),
    /** Set while the process outlives its call. */
    processId: z.string().optional(),
    /** What the model got of the output: the whole, or head and tail within its budget. */
    output: z.string(),
    /** The whole output on disk, where that is more; absolute. */
    logPath: z.string().optional(),
    /** What it changed in the workspace; from `files_changed`, after its end. */
    changed: commandChangesSchema.optional(),
  }),
  /** The model looked in on a process in the background, or typed into it. */
  z.object({
    ...base,
    type: z.literal('process_interaction'),
    callId: z.string(),
    processId: z.string(),
    /** Of the process. */
    command: z.string(),
    /** What was typed; empty when it was only looked at. */
    chars: z.string(),
  }),
  z.object({
    ...base,
    ...why,
    type: z.literal('file_change'),
    callId: z.string(),
    changes: z.array(fileChangeSummarySchema),
    /** Unified diff in git format. */
    diff: z.string(),
    /** The patch as far as the model has written it; only while it is being written. */
    patch: z.string().optional(),
  }),
  z.object({
    ...base,
    type: z.literal('mcp_tool_call'),
    callId: z.string(),
    server: z.string(),
    tool: z.string(),
    arguments: z.unknown(),
    result: z.unknown().optional(),
    error: z.string().optional(),
    durationMs: z.number(),
  }),
  z.object({
    ...base,
    type: z.literal('dynamic_tool_call'),
    callId: z.string(),
    tool: z.string(),
    arguments: z.unknown(),
    contentItems: z.array(toolContentItemSchema),
    success: z.boolean().nullable(),
  }),
  z.object({ ...base, type: z.literal('web_search'), query: z.string().optional() }),
  z.object({ ...base, type: z.literal('image_view'), path: z.string() }),
  z.object({
    ...base,
    type: z.literal('sub_agent'),
    agentId: z.string(),
    role: z.string(),
    agentState: agentStateSchema,
    lastMessage: z.string().optional(),
  }),
  z.object({
    ...base,
    type: z.literal('compaction'),
    /** Tokens. */
    beforeTokens: z.number(),
    afterTokens: z.number(),
    summary: z.string(),
  }),
]);
export type TurnItem = z.infer<typeof turnItemSchema>;
export type TurnItemType = TurnItem['type'];
export type TurnItemOf<Type extends TurnItemType> = Extract<TurnItem, { type: Type }>;

/** A delta's `kind` says which text of the item grows. */
export const deltaKindSchema = z.enum(['text', 'summary', 'raw', 'section_break', 'output', 'patch']);
