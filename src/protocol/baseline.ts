/**
 * Records of a workspace, by which the changes of a command or a patch can be shown and undone (design decision 7). The
 * same schemas read the records on disk.
 */
import * as z from 'zod';
import { lazyObject, lazyVariant } from './lazyObject.ts';

/** The reason why the content of a path is not kept and its change cannot be undone. */
export const leftOutReasonSchema = z.enum([
  /** By an ignore file of the workspace, or as a folder of packages. */
  'ignored',
  /** Over 1 MiB. */
  'too_large',
  /** A symbolic link whose target is not UTF-8, or of a record before links were kept. */
  'link',
  /** A socket, a pipe or a device. */
  'special',
  'unreadable',
  /** Its name is not UTF-8; bytes that are no text are written as `\xE9` in its path. */
  'name',
  /** The limit for kept content is reached, or the disk is full. */
  'no_room',
  /** It changed before it was recorded. */
  'late',
]);
export type LeftOutReason = z.infer<typeof leftOutReasonSchema>;

export const fileStateSchema = z.discriminatedUnion('type', [
  lazyVariant('absent', () => ({})),
  lazyVariant('file', () => ({
    /** SHA-256 of the bytes, hexadecimal: the name of the kept content. */
    hash: z.string().regex(/^[0-9a-f]{64}$/),
    /** Bytes. */
    size: z.number(),
    /** Permission bits. */
    mode: z.number(),
  })),
  lazyVariant('link', () => ({
    /** As the link holds it. */
    target: z.string(),
    /** The hash of the target in UTF-8, which is kept like the bytes of a file, to be shown. */
    hash: z.string().regex(/^[0-9a-f]{64}$/),
  })),
  lazyVariant('left_out', () => ({
    reason: leftOutReasonSchema,
    /** Differs whenever the file differs. */
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
  /** It was moved here from a place whose content is not kept, such as an ignored folder: undone only when asked for. */
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
    /** Absolute paths of folders that it made. */
    newFolders: z.array(z.string()),
    /** Folders that it removed or moved away. */
    goneFolders: z.array(keptFolderSchema).optional(),
  })),
  lazyVariant('reverted', () => ({
    turnIds: z.array(z.string()),
    direction: z.enum(['undo', 'redo']),
    at: z.string(),
    /** The changes of the undo or redo. */
    changes: z.array(recordedChangeSchema),
    /** As in the steps that are reverted. */
    newFolders: z.array(z.string()),
    goneFolders: z.array(keptFolderSchema).optional(),
    /** Turns of sub-agents that it covers besides its own. */
    agents: z.array(agentTurnsSchema).optional(),
    /** The thread whose undo or redo has covered these turns of a sub-agent: it is redone there. */
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
    /** It works in a side copy of its own: what it changes is not in the workspace. */
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
  /** Lines; absent for a file that is not text, too large or not compared. */
  added: z.number().optional(),
  removed: z.number().optional(),
  /** Another program or thread may have written it. */
  uncertain: z.boolean().optional(),
  /** The reason why the change cannot be undone; absent if it can. */
  cannotUndo: leftOutReasonSchema.optional(),
}));
export type ChangedFile = z.infer<typeof changedFileSchema>;

export const commandChangesSchema = lazyObject(() => ({
  /** The first of them by path, at most `MAX_SHOWN_FILES`. */
  files: z.array(changedFileSchema),
  /** The number of all changed files. */
  total: z.number(),
  /** The number of all files whose changes cannot be undone. */
  cannotUndo: z.number(),
}));
export type CommandChanges = z.infer<typeof commandChangesSchema>;

/** Thousands of changed files are a count; the record on disk has all of them. */
export const MAX_SHOWN_FILES = 200;

export const revertStateSchema = z.enum([
  /** The file has the content that the turn left. */
  'ready',
  /** It was changed since at other lines, which stay. */
  'merged',
  /** It was changed since at the same lines, or is not text. */
  'conflict',
  /** It is already as it would become. */
  'done',
  /** Its content was not kept. */
  'impossible',
]);

/** SHA-256, hexadecimal; `null`: there is no file. */
const keptSchema = z.string().nullable();

/** The effect of an undo or redo on one file. */
export const revertFileSchema = lazyObject(() => ({
  path: z.string(),
  kind: z.enum(['add', 'update', 'delete']),
  state: revertStateSchema,
  /** Another program or thread may have made the change: only undone when asked for. */
  uncertain: z.boolean().optional(),
  /** One sentence for `conflict` and `impossible`. */
  reason: z.string().optional(),
  /** Names of the sub-agents that have changed it. */
  agents: z.array(z.string()).optional(),
  /** The keys of the contents before and after; absent if the file would not change. */
  contents: z.object({ before: keptSchema, after: keptSchema }).optional(),
}));
export type RevertFile = z.infer<typeof revertFileSchema>;

/** Options of an undo, a redo or a rollback of files. */
export const revertOptionsSchema = lazyObject(() => ({
  /** Changes nothing: `revert_planned` has the changes that would be made. */
  preview: z.boolean().optional(),
  /** Includes files that another program or thread may have changed, which are left alone otherwise. */
  includeUncertain: z.boolean().optional(),
  /** Files whose later changes may be lost, as `revert_planned` names them. */
  overwrite: z.array(z.string()).optional(),
  /** Files that are left alone. */
  exclude: z.array(z.string()).optional(),
}));
