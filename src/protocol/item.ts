/**
 * The items of a turn, which the user sees: one model for core, disk and view (design decision 1).
 *
 * The fields are documented in docs/cli.md. An item lives from `item_started` (texts empty) through `item_delta`s,
 * whose texts concatenate exactly to the final one, to `item_completed`, which has the whole item.
 */
import * as z from 'zod';
import { commandChangesSchema } from './baseline.ts';
import { findingSchema, reviewTargetSchema } from './codeReview.ts';
import { hookEffectSchema, hookEventSchema } from './hooks.ts';
import { lineRangeSchema } from './lineRange.ts';
import { sandboxMechanismSchema, decisionReasonSchema } from './policy.ts';
import { citationSchema } from './responseItem.ts';
import { answersSchema, questionSchema } from './question.ts';
import { lazyObject, lazyVariant } from './lazyObject.ts';

/**
 * The kind of thing that a mention names. `file`, `folder`, `symbol`, `selection`, `skill` and `prompt` have a path,
 * the others only a text. The session adds a `skill` or a `prompt` when a message runs one.
 */
export const mentionKindSchema = z.enum([
  'file',
  'folder',
  'symbol',
  'selection',
  'problems',
  'terminal',
  'changes',
  'thread',
  'resource',
  'skill',
  'prompt',
]);
export type MentionKind = z.infer<typeof mentionKindSchema>;

/** The content of a mention as sent to the model. `of`: lines of the whole, if it was cut. `tokens`: an estimate. */
const sentMentionSchema = z.discriminatedUnion('type', [
  lazyVariant('text', () => ({ lines: z.number(), of: z.number().optional(), tokens: z.number() })),
  /** `reason` is a clause: why the model got only the name. */
  lazyVariant('refused', () => ({ reason: z.string() })),
]);

/** The input of a turn, from the user or a client. */
export const userInputSchema = z.discriminatedUnion('type', [
  lazyVariant('text', () => ({ text: z.string() })),
  /** An image as a data URL or an https URL. */
  lazyVariant('image', () => ({
    imageUrl: z.string(),
    /** A hash of the URL, set by the panel; identifies the image where only its thumbnail is available. */
    id: z.string().optional(),
    /** For display: the name of its file, a small copy as a data URL, and its size in pixels and bytes. */
    name: z.string().optional(),
    thumbnail: z.string().optional(),
    width: z.int().positive().optional(),
    height: z.int().positive().optional(),
    bytes: z.int().positive().optional(),
  })),
  lazyVariant('local_image', () => ({ path: z.string() })),
  /**
   * A reference to a file or another source. With a `kind` it is attached to the message: its `text`, or else the
   * content of `path` when the message is recorded. Without a `kind`, its `text` or a link is sent as it is.
   */
  lazyVariant('mention', () => ({
    /** The name, which the message text contains as `@name`. */
    name: z.string(),
    /** The path, absolute or relative to the working directory; empty if the source is not a file. */
    path: z.string(),
    kind: mentionKindSchema.optional(),
    lines: lineRangeSchema.optional(),
    /**
     * The first of these lines with their text when the mention was made. When the message is recorded, the present
     * place of the lines is looked up with it.
     */
    quote: z.string().optional(),
    /**
     * The id of a thread, or of a terminal while it is open; for a copied text `copy:` and a hash; for a symbol its
     * name in the source; for a resource server and URI as a JSON array; for a dropped file a hash.
     */
    id: z.string().optional(),
    text: z.string().optional(),
    /**
     * For a `skill` or `prompt`: its `allowed-tools`, which limit the turn; `null` where it has none. Absent in older
     * rollouts.
     */
    allowedTools: z.array(z.string()).nullable().optional(),
    /** Set when the message is recorded. */
    sent: sentMentionSchema.optional(),
  })),
]);
export type UserInput = z.infer<typeof userInputSchema>;
export type Mention = Extract<UserInput, { type: 'mention' }>;
export type UserImage = Extract<UserInput, { type: 'image' }>;

export const itemStatusSchema = z.enum(['in_progress', 'completed', 'failed', 'declined', 'aborted']);
export type ItemStatus = z.infer<typeof itemStatusSchema>;

export const planStepSchema = lazyObject(() => ({
  step: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']),
}));
export type PlanStep = z.infer<typeof planStepSchema>;

const changeDecisionSchema = z.enum(['accepted', 'declined', 'edited', 'partial']);

/** The changes of a patch to one file. Paths are for display: relative to the working directory if possible. */
export const fileChangeSummarySchema = lazyObject(() => ({
  path: z.string(),
  kind: z.enum(['add', 'update', 'delete']),
  movedTo: z.string().optional(),
  /** Number of added lines. */
  added: z.number(),
  removed: z.number(),
  /** For a proposal: the file has unsaved edits of the user, which would be lost. */
  discardsUnsaved: z.boolean().optional(),
  /** Applied to the buffer and not saved: the file has unsaved edits of the user, or could not be saved. */
  unsaved: z.boolean().optional(),
  /** The user's decision; absent until there is one. */
  decision: changeDecisionSchema.optional(),
  /** The number of proposed hunks that the user left out of an applied patch. */
  leftOut: z.number().optional(),
  /** The user's reasons for rejecting this file or hunks of it; set once the user has answered. */
  reasons: z.array(z.string()).optional(),
}));
export type FileChangeSummary = z.infer<typeof fileChangeSummarySchema>;

/**
 * The effect of a patch on the problems that the editor reports, in the patched files and in other open files. Paths
 * are for display. The numbers do not include the files in the lists `checking` and `unchecked`.
 */
export const patchProblemsSchema = lazyObject(() => ({
  errors: z.number(),
  warnings: z.number(),
  fixed: z.number(),
  /** Patched files that were not checked within the wait. */
  checking: z.array(z.string()),
  /** Patched files whose problems are unknown: not open in a tab, of a language without checks, or not readable. */
  unchecked: z.array(z.string()),
}));
export type PatchProblems = z.infer<typeof patchProblemsSchema>;

/** A test that has failed, or a file of tests that could not be loaded. */
export const testFailureSchema = lazyObject(() => ({
  /** With the names of its suites, as the runner prints it. */
  name: z.string(),
  /** Relative to the working directory of the thread where it lies below it, else absolute; line from 1. */
  path: z.string().optional(),
  line: z.number().optional(),
  message: z.string(),
}));
export type TestFailure = z.infer<typeof testFailureSchema>;

/** The results that a test runner printed at its end. Test files that could not be loaded count as failed. */
export const testResultsSchema = lazyObject(() => ({
  passed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  failures: z.array(testFailureSchema),
}));
export type TestResults = z.infer<typeof testResultsSchema>;

/** The output of a tool that is not built in, for the user and the model. */
export const toolContentItemSchema = z.discriminatedUnion('type', [
  lazyVariant('input_text', () => ({ text: z.string() })),
  lazyVariant('input_image', () => ({ imageUrl: z.string() })),
]);
export type ToolContentItem = z.infer<typeof toolContentItemSchema>;

/** The states of a sub-agent (codex-behaviour.md §11). */
export const agentStateSchema = z.enum(['pending_init', 'running', 'interrupted', 'completed', 'errored', 'shutdown']);
export type AgentState = z.infer<typeof agentStateSchema>;

/**
 * The reason why an agent that may write at the same time as others has no side copy: its working directory is in none
 * of the open folders, the workspace is not trusted, or the copy could not be created.
 */
export const noSideCopySchema = z.enum(['other_folder', 'untrusted', 'not_made']);
export type NoSideCopy = z.infer<typeof noSideCopySchema>;

const base = { id: z.string(), status: itemStatusSchema };
/** A field for items on whose failure the user may want to act. */
const why = {
  /** The reason why the call failed or was refused; set only if no other field gives it. */
  why: z.string().optional(),
};

export const turnItemSchema = z.discriminatedUnion('type', [
  lazyObject(() => ({ ...base, type: z.literal('user_message'), content: z.array(userInputSchema) })),
  lazyObject(() => ({
    ...base,
    type: z.literal('agent_message'),
    text: z.string(),
    /** Pages that the server names as sources of the text. */
    citations: z.array(citationSchema).optional(),
  })),
  lazyObject(() => ({
    ...base,
    type: z.literal('reasoning'),
    summary: z.array(z.string()),
    raw: z.string().optional(),
  })),
  lazyObject(() => ({
    ...base,
    type: z.literal('plan'),
    explanation: z.string().optional(),
    steps: z.array(planStepSchema),
  })),
  lazyObject(() => ({
    ...base,
    ...why,
    type: z.literal('command_execution'),
    callId: z.string(),
    /** The command line as a user would type it. */
    command: z.string(),
    argv: z.array(z.string()),
    cwd: z.string(),
    box: sandboxMechanismSchema,
    exitCode: z.number().nullable(),
    durationMs: z.number(),
    /** The rule that allowed it to run without approval. */
    allowedBy: decisionReasonSchema.optional(),
    /** The rule that forbade it. */
    forbiddenBy: decisionReasonSchema.optional(),
    /** Set while the process outlives its call. */
    processId: z.string().optional(),
    /** The output that the model got: all of it, or head and tail within its budget. */
    output: z.string(),
    /** The absolute path of the whole output, if it is longer. */
    logPath: z.string().optional(),
    /** Parsed results of `run_tests`, which the model gets in place of the output; absent if parsing failed. */
    tests: testResultsSchema.optional(),
    /** The changes of the command to the workspace, taken from `files_changed` after its end. */
    changed: commandChangesSchema.optional(),
  })),
  /** The model has read the output of a background process, or has sent input to it. */
  lazyObject(() => ({
    ...base,
    type: z.literal('process_interaction'),
    callId: z.string(),
    processId: z.string(),
    /** The command of the process. */
    command: z.string(),
    /** The typed input; empty for reading only. */
    chars: z.string(),
  })),
  lazyObject(() => ({
    ...base,
    ...why,
    type: z.literal('file_change'),
    callId: z.string(),
    changes: z.array(fileChangeSummarySchema),
    /** Unified diff in git format. */
    diff: z.string(),
    /** The part of the patch that the model has written; only while it is being written. */
    patch: z.string().optional(),
    /** The changes of the editor's problems by an applied patch; absent if the editor was not queried. */
    problems: patchProblemsSchema.optional(),
  })),
  lazyObject(() => ({
    ...base,
    type: z.literal('mcp_tool_call'),
    callId: z.string(),
    server: z.string(),
    tool: z.string(),
    arguments: z.unknown(),
    /** The result as the model gets it: texts within its budget, and images. */
    result: z.array(toolContentItemSchema).optional(),
    error: z.string().optional(),
    durationMs: z.number(),
    /** The progress messages of the server so far, one for each line. */
    progress: z.string().optional(),
    /** The absolute path of the whole result, if it is longer. */
    logPath: z.string().optional(),
  })),
  lazyObject(() => ({
    ...base,
    type: z.literal('dynamic_tool_call'),
    callId: z.string(),
    tool: z.string(),
    /** Display name of the provider of the tool; absent for a tool of the client. */
    source: z.string().optional(),
    arguments: z.unknown(),
    contentItems: z.array(toolContentItemSchema),
    success: z.boolean().nullable(),
  })),
  /** The model's server has searched the web. */
  lazyObject(() => ({
    ...base,
    type: z.literal('web_search'),
    query: z.string().optional(),
    /** The action on the server; absent until it is known. */
    action: z
      .discriminatedUnion('type', [
        z.object({ type: z.literal('search'), queries: z.array(z.string()) }),
        z.object({ type: z.literal('open_page'), url: z.string().optional() }),
        z.object({ type: z.literal('find_in_page'), url: z.string().optional(), pattern: z.string().optional() }),
      ])
      .optional(),
  })),
  /** The model has seen an image file (`view_image`). */
  lazyObject(() => ({
    ...base,
    ...why,
    type: z.literal('image_view'),
    /** Relative to the working directory if possible. */
    path: z.string(),
    /** Width and height of the sent image, in pixels; absent until it is sent. */
    width: z.number().optional(),
    height: z.number().optional(),
  })),
  /** The model has read a file or a memory, listed a folder or searched files, without a command. */
  lazyObject(() => ({
    ...base,
    ...why,
    type: z.literal('file_lookup'),
    callId: z.string(),
    /** `memory`: Tiller's memory of an earlier thread. */
    action: z.enum(['read', 'list', 'search', 'memory']),
    /** Relative to the working directory if possible; of `memory` the title of the thread, or its id. */
    path: z.string(),
    /** The expression that is searched for. */
    pattern: z.string().optional(),
  })),
  /** The model has asked the language extensions of the editor. A rename that is done is a `file_change` instead. */
  lazyObject(() => ({
    ...base,
    ...why,
    type: z.literal('code_navigation'),
    callId: z.string(),
    op: z.enum(['definition', 'references', 'implementations', 'symbols', 'hover', 'rename', 'diagnostics']),
    /** The symbol and the path as the model wrote them. */
    symbol: z.string().optional(),
    path: z.string().optional(),
    line: z.number().optional(),
    /** The number of places, symbols or problems found; absent until the call ends. */
    found: z.number().optional(),
    /** The text that the model gets. */
    text: z.string().optional(),
  })),
  /** The model has got a text from the web (`fetch_url`). */
  lazyObject(() => ({
    ...base,
    ...why,
    type: z.literal('web_fetch'),
    callId: z.string(),
    url: z.string(),
    httpStatus: z.number().optional(),
    contentType: z.string().optional(),
    /** Size of the response body after decompression. */
    bytes: z.number().optional(),
    /** The address on another host that the response redirects to. It was not followed. */
    redirect: z.string().optional(),
    /** The text of the page that the model gets. */
    text: z.string().optional(),
  })),
  /** A hook has run. It is shown in the transcript when it had an effect, failed, or took longer than a second. */
  lazyObject(() => ({
    ...base,
    type: z.literal('hook_run'),
    event: hookEventSchema,
    /** The command of the hook, in one line. */
    command: z.string(),
    /** `tiller.hooks`, or the file that names it. */
    source: z.string(),
    /** The name under which the hook got the call. */
    tool: z.string().optional(),
    effect: hookEffectSchema,
    /** The output of the hook: a reason, a message, the context for the model, or the error. */
    text: z.string().optional(),
    durationMs: z.number(),
  })),
  /** The model has asked the user (`request_user_input`). */
  lazyObject(() => ({
    ...base,
    ...why,
    type: z.literal('user_question'),
    callId: z.string(),
    questions: z.array(questionSchema),
    /** Absent until the user answers, and if the question ends without an answer. */
    answers: answersSchema.optional(),
  })),
  lazyObject(() => ({
    ...base,
    type: z.literal('sub_agent'),
    callId: z.string().optional(),
    /** The operation that the call performs on the agent. */
    action: z.enum(['task', 'spawn', 'message', 'wait', 'resume', 'close']).optional(),
    /** The thread of the agent; empty if none was started. */
    agentId: z.string(),
    /** The role of the agent; of a call about several agents, all of their roles. */
    role: z.string(),
    /** The task of the agent, in a few words. */
    description: z.string().optional(),
    /** The state of the agent at the end of the call. */
    agentState: agentStateSchema,
    /** The last message of the agent; for `message`, the text sent to it; for a failed call, the error. */
    lastMessage: z.string().optional(),
  })),
  /** The agent `reviewer` has searched changes for faults (the op `review`). */
  lazyObject(() => ({
    ...base,
    ...why,
    type: z.literal('code_review'),
    target: reviewTargetSchema,
    /** The thread of the agent; empty if none was started. */
    agentId: z.string(),
    /** The findings, the most severe first; empty unless the review is completed. */
    findings: z.array(findingSchema),
    /** The reviewer's overall verdict: true if the changes have no serious fault. */
    isCorrect: z.boolean().optional(),
    /** The reason for the verdict, or the whole answer of the reviewer if it does not follow the requested format. */
    text: z.string(),
  })),
  lazyObject(() => ({
    ...base,
    ...why,
    type: z.literal('compaction'),
    /** The estimated tokens of a request before and after the compaction. */
    beforeTokens: z.number(),
    /** 0 unless the compaction is completed. */
    afterTokens: z.number(),
    /** Empty unless the compaction is completed. */
    summary: z.string(),
    /** `limit`: the thread had reached its limit. `context_exceeded`: the server refused a request as too long. */
    trigger: z.enum(['manual', 'limit', 'context_exceeded']).optional(),
    /** True if the compaction was undone: the model gets the replaced items again. */
    undone: z.boolean().optional(),
  })),
]);
export type TurnItem = z.infer<typeof turnItemSchema>;
export type TurnItemType = TurnItem['type'];
export type TurnItemOf<Type extends TurnItemType> = Extract<TurnItem, { type: Type }>;

/** The kind of a delta: selects the text of the item to which it is appended. */
export const deltaKindSchema = z.enum(['text', 'summary', 'raw', 'section_break', 'output', 'patch']);
export type DeltaKind = z.infer<typeof deltaKindSchema>;
