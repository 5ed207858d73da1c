/**
 * Records of the files in a workspace. With them the changes of a command or a patch can be shown and undone (design
 * decision 7). The records on disk have the same schemas.
 */
import * as z from 'zod';
import { lazyObject, lazyVariant } from './lazyObject.ts';

/** The reason why the content of a path is not kept and its change cannot be undone. */
export const leftOutReasonSchema = z.enum([
  /** An ignore file of the workspace excludes it, or it is in a folder of packages. */
  'ignored',
  /** It is larger than 1 MiB. */
  'too_large',
  /** It is a symbolic link whose target is not UTF-8, or the record is older than the support for links. */
  'link',
  /** It is a socket, a pipe or a device. */
  'special',
  'unreadable',
  /** Its name is not UTF-8. In its path, bytes that are not UTF-8 are written as `\xE9`. */
  'name',
  /** The limit for kept content was reached, or the disk is full. */
  'no_room',
  /** It changed before it was recorded. */
  'late',
]);
export type LeftOutReason = z.infer<typeof leftOutReasonSchema>;

export const fileStateSchema = z.discriminatedUnion('type', [
  lazyVariant('absent', () => ({})),
  lazyVariant('file', () => ({
    /** The SHA-256 hash of the bytes, in hexadecimal digits. It is the name of the kept content. */
    hash: z.string().regex(/^[0-9a-f]{64}$/),
    /** The size in bytes. */
    size: z.number(),
    /** Permission bits. */
    mode: z.number(),
  })),
  lazyVariant('link', () => ({
    /** The target as the link contains it. */
    target: z.string(),
    /** The hash of the target in UTF-8. The target is kept like the content of a file, so that it can be shown. */
    hash: z.string().regex(/^[0-9a-f]{64}$/),
  })),
  lazyVariant('left_out', () => ({
    reason: leftOutReasonSchema,
    /** A value that differs whenever the file differs. */
    stamp: z.string(),
  })),
]);
/** The content of one path. */
export type FileState = z.infer<typeof fileStateSchema>;

/** The author of a change, as far as file times and known writers identify it. */
export const changedBySchema = z.enum(['this', 'uncertain']);

export const recordedChangeSchema = lazyObject(() => ({
  /** Absolute. */
  path: z.string(),
  before: fileStateSchema,
  after: fileStateSchema,
  /** `uncertain`: another program or thread may have written it. */
  by: changedBySchema,
  /**
   * The file was moved here from a place whose content is not kept, such as an ignored folder. Undoing would delete its
   * only copy, so this is only done on request.
   */
  isOnlyCopy: z.literal(true).optional(),
}));
export type RecordedChange = z.infer<typeof recordedChangeSchema>;

/** Turns of one sub-agent. */
const agentTurnsSchema = lazyObject(() => ({ agentId: z.string(), turnIds: z.array(z.string()) }));

const keptFolderSchema = lazyObject(() => ({
  /** Absolute. */
  path: z.string(),
  /** Permission bits. */
  mode: z.number().optional(),
}));

/** One line of a thread's record of changes, in the order in which they were made. */
export const changeRecordSchema = z.discriminatedUnion('type', [
  lazyVariant('step', () => ({
    turnId: z.string(),
    /** The command or the patch. */
    itemId: z.string(),
    source: z.enum(['command', 'patch']),
    /** ISO 8601. */
    at: z.string(),
    changes: z.array(recordedChangeSchema),
    /** Absolute paths of the folders that the step created. */
    newFolders: z.array(z.string()),
    /** The folders that the step removed or moved away. */
    goneFolders: z.array(keptFolderSchema).optional(),
  })),
  lazyVariant('reverted', () => ({
    turnIds: z.array(z.string()),
    direction: z.enum(['undo', 'redo']),
    at: z.string(),
    /** The changes of the undo or redo. */
    changes: z.array(recordedChangeSchema),
    /** The folders as in the steps that are reverted. */
    newFolders: z.array(z.string()),
    goneFolders: z.array(keptFolderSchema).optional(),
    /** The turns of sub-agents that the undo or redo covers besides those of its own thread. */
    agents: z.array(agentTurnsSchema).optional(),
    /** The thread whose undo or redo has covered these turns of a sub-agent. It can only be redone in that thread. */
    partOf: z.string().optional(),
  })),
  /** A turn of this thread has started a turn of a sub-agent that may change files. */
  lazyVariant('agent_turn', () => ({
    turnId: z.string(),
    at: z.string(),
    agentId: z.string(),
    agentTurnId: z.string(),
    /** The task of the agent in a few words, or its role. */
    name: z.string(),
    /** The agent works in a side copy: its changes are not in the workspace. */
    inSideCopy: z.literal(true).optional(),
  })),
]);
export type ChangeRecord = z.infer<typeof changeRecordSchema>;
export type ChangeStep = Extract<ChangeRecord, { type: 'step' }>;
export type AgentTurn = Extract<ChangeRecord, { type: 'agent_turn' }>;

/** One file that a command changed, for the row of the command. Paths as in `fileChangeSummarySchema`. */
export const changedFileSchema = lazyObject(() => ({
  path: z.string(),
  kind: z.enum(['add', 'update', 'delete']),
  /** The number of added and removed lines; absent for a file that is not text, is too large, or was not compared. */
  added: z.number().optional(),
  removed: z.number().optional(),
  /** Another program or thread may have written it. */
  uncertain: z.boolean().optional(),
  /** The reason why the change cannot be undone; absent if it can. */
  cannotUndo: leftOutReasonSchema.optional(),
}));
export type ChangedFile = z.infer<typeof changedFileSchema>;

export const commandChangesSchema = lazyObject(() => ({
  /** The first changed files by path, at most `MAX_SHOWN_FILES`. */
  files: z.array(changedFileSchema),
  /** The number of all changed files. */
  total: z.number(),
  /** The number of all files whose changes cannot be undone. */
  cannotUndo: z.number(),
}));
export type CommandChanges = z.infer<typeof commandChangesSchema>;

/**
 * Maximum number of changed files that are listed. Further files are only counted; the record on disk has all of them.
 */
export const MAX_SHOWN_FILES = 200;

export const revertStateSchema = z.enum([
  /** The file still has the content that the turn gave it. */
  'ready',
  /** Other lines of the file were changed since. These changes are kept. */
  'merged',
  /** The same lines were changed since, or the file is not text. */
  'conflict',
  /** The file already has the content that the undo would restore. */
  'done',
  /** The earlier content was not kept. */
  'impossible',
]);

/** The SHA-256 hash of the content, in hexadecimal digits; `null` if there is no file. */
const keptSchema = z.string().nullable();

/** The effect of an undo or redo on one file. */
export const revertFileSchema = lazyObject(() => ({
  path: z.string(),
  kind: z.enum(['add', 'update', 'delete']),
  state: revertStateSchema,
  /** True if another program or thread may have made the change: then it is only undone on request. */
  uncertain: z.boolean().optional(),
  /** One sentence for `conflict` and `impossible`. */
  reason: z.string().optional(),
  /** The names of the sub-agents that have changed the file. */
  agents: z.array(z.string()).optional(),
  /** The keys of the contents before and after; absent if the file would not change. */
  contents: z.object({ before: keptSchema, after: keptSchema }).optional(),
}));
export type RevertFile = z.infer<typeof revertFileSchema>;

/** Options of an undo, a redo or a rollback of files. */
export const revertOptionsSchema = lazyObject(() => ({
  /** True to change nothing: the event `revert_planned` describes the changes that would be made. */
  preview: z.boolean().optional(),
  /** True to include files that another program or thread may have changed. Otherwise they are left unchanged. */
  includeUncertain: z.boolean().optional(),
  /** The files whose later changes may be overwritten, with the paths of `revert_planned`. */
  overwrite: z.array(z.string()).optional(),
  /** The files to leave unchanged. */
  exclude: z.array(z.string()).optional(),
}));
