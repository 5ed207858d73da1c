/**
 * Steps shared by the tools that read one place of the workspace: resolve the place, check that it may be read, report
 * a failure.
 */
import type { TurnItemOf } from '../../../protocol/item.ts';
import { WorkspaceError } from '../../ports.ts';
import type { Preparation, ToolContext, ToolResult } from '../handler.ts';
import { mayReadOnce } from './askToRead.ts';
import { findPlace, type FoundPlace, shownPath } from './filePaths.ts';
import { type ReadGuard, readGuard, readLimitsOf, whyUnreadable } from './readGuard.ts';

type ReadItem = TurnItemOf<'file_lookup'> | TurnItemOf<'image_view'>;

/** A read whose place is found. `guard` returns the reason why a path below the place may not be read. */
export interface GuardedRead<Args, Item extends ReadItem> {
  readonly args: Args;
  readonly found: FoundPlace;
  readonly guard: ReadGuard;
  readonly item: Item;
}

/** `itemOf` makes the row of the call from the path as it is shown. */
export async function prepareRead<Args, Item extends ReadItem>(
  args: Args,
  path: string,
  itemOf: (shown: string) => Item,
  context: ToolContext,
): Promise<Preparation<GuardedRead<Args, Item>>> {
  const found = await findPlace(path, context);
  if ('problem' in found) return { type: 'failure', output: found.problem };
  const item = itemOf(shownPath(found.path, context.settings.cwd));
  return {
    type: 'ready',
    plan: { args, found, guard: await readGuard(readLimitsOf(context), context), item },
    item,
    requirement: {
      type: 'skip',
      bypassSandbox: false,
      reason: { source: 'policy', id: 'reads-files', text: 'It only reads files that commands may read, too.' },
    },
    approvalKeys: [],
  };
}

/** Asks once for a place that may not be read, then reads. A WorkspaceError of `read` becomes a failed call. */
export async function runRead<Args, Item extends ReadItem>(
  { found, guard, item }: GuardedRead<Args, Item>,
  context: ToolContext,
  read: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const hidden = await whyUnreadable(found.path, found.place, guard, context);
  if (hidden !== undefined && !(await mayReadOnce(hidden, context))) {
    return failedRead(item, `${hidden}. Reading it was not allowed. Go on without it.`, 'declined');
  }
  try {
    return await read();
  } catch (error) {
    if (error instanceof WorkspaceError) return failedRead(item, error.message);
    throw error;
  }
}

/** Ends a read without content. `why`: for the model and the user. */
export function failedRead(item: ReadItem, why: string, status: 'failed' | 'declined' = 'failed'): ToolResult {
  return { output: why, success: false, item: { ...item, status, why } };
}
