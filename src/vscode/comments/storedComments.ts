import type * as vscode from 'vscode';
import * as z from 'zod';
import { lineRangeSchema } from '../../protocol/lineRange.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

const KEY = 'tiller.comments';

/** Answered comments are dropped first. */
const MAX_KEPT = 200;

/** `pending`: not sent yet. `sent`: the model has it. `answered`: a patch after it has changed its lines. */
const stateSchema = z.enum(['pending', 'sent', 'answered']);

const commentSchema = lazyObject(() => ({
  id: z.string(),
  uri: z.string(),
  lines: lineRangeSchema,
  quote: z.string(),
  texts: z.array(z.string()).min(1),
  state: stateSchema,
  /** The thread of Tiller that got it. */
  threadId: z.string().optional(),
}));

/** Comments of the user on the same lines. */
export type StoredComment = z.infer<typeof commentSchema>;

/** Returns the comments stored in this workspace; none if the entry is invalid. */
export function readComments(memento: Pick<vscode.Memento, 'get'>): readonly StoredComment[] {
  const parsed = z.array(commentSchema).safeParse(memento.get(KEY));
  return parsed.success ? parsed.data : [];
}

/** Keeps the comments in the workspace's state, at most as many as its limit. */
export async function writeComments(
  memento: Pick<vscode.Memento, 'update'>,
  comments: readonly StoredComment[],
): Promise<void> {
  const ordered = comments.toSorted((one, other) => rankOf(one) - rankOf(other));
  await memento.update(KEY, ordered.slice(0, MAX_KEPT));
}

function rankOf({ state }: StoredComment): number {
  return ['pending', 'sent', 'answered'].indexOf(state);
}
