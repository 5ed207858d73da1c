import type { Clock } from '../ports.ts';
import { abortable, deadline } from '../util/abort.ts';
import { append } from '../util/append.ts';
import { messageOf } from '../util/fileErrors.ts';
import type { McpConnection, McpPage, McpPrompt } from './connection.ts';
import type { ServerLog } from './serverLog.ts';

/** A resource as its server lists it. */
export interface McpResource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
}

/** Maximum pages of a list of resources: a server may send pages without end. */
const MAX_PAGES = 20;
/** Time limit of one list, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** All entries of a list that comes in pages; those of the first `most` pages, and `onMore` is called, where there are more. */
export async function allPages(
  page: (cursor: string | undefined) => Promise<McpPage>,
  { most = MAX_PAGES, onMore = () => {} }: { readonly most?: number; readonly onMore?: () => void } = {},
): Promise<readonly McpPage['entries'][number][]> {
  const entries: McpPage['entries'][number][] = [];
  let cursor: string | undefined;
  for (let at = 0; at < most; at++) {
    const { entries: some, nextCursor } = await page(cursor);
    append(entries, some);
    if (nextCursor === undefined) return entries;
    cursor = nextCursor;
  }
  onMore();
  return entries;
}

/**
 * The prompts and resources of one server that the user can choose, requested once and again when the server reports a
 * change. A list that cannot be read is empty; the log of the server has the reason.
 */
export class ServerLists {
  readonly #clock: Clock;
  readonly #log: ServerLog;
  #of: McpConnection | undefined;
  #prompts: Promise<readonly McpPrompt[]> | undefined;
  #resources: Promise<readonly McpResource[]> | undefined;

  constructor(clock: Clock, log: ServerLog) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Rejects only with the signal's reason. */
  prompts(connection: McpConnection, signal: AbortSignal): Promise<readonly McpPrompt[]> {
    this.#belongTo(connection);
    this.#prompts ??= this.#read('prompts', (limit) => connection.listPrompts(limit));
    return abortable(this.#prompts, signal);
  }

  /** Rejects only with the signal's reason. */
  resources(connection: McpConnection, signal: AbortSignal): Promise<readonly McpResource[]> {
    this.#belongTo(connection);
    this.#resources ??= this.#read('resources', async (limit) => {
      if (!connection.info.hasResources) return [];
      return (await allPages((cursor) => connection.listResources(cursor, limit))).flatMap(resourceIn);
    });
    return abortable(this.#resources, signal);
  }

  forget(kind: 'prompts' | 'resources'): void {
    if (kind === 'prompts') this.#prompts = undefined;
    else this.#resources = undefined;
  }

  #belongTo(connection: McpConnection): void {
    if (this.#of === connection) return;
    this.#of = connection;
    this.#prompts = undefined;
    this.#resources = undefined;
  }

  async #read<Entry>(
    kind: string,
    list: (signal: AbortSignal) => Promise<readonly Entry[]>,
  ): Promise<readonly Entry[]> {
    const limit = deadline(this.#clock, TIMEOUT_MS, new Error(`there was no answer within ${TIMEOUT_MS} ms.`));
    try {
      return await abortable(list(limit.signal), limit.signal);
    } catch (error) {
      this.#log.add(`Its ${kind} cannot be listed: ${messageOf(error)}`);
      return [];
    } finally {
      limit.end();
    }
  }
}

function resourceIn({ uri, name, title, description }: McpPage['entries'][number]): readonly McpResource[] {
  if (typeof uri !== 'string' || uri === '') return [];
  const shown = [title, name].find((candidate) => typeof candidate === 'string' && candidate.trim() !== '');
  return [
    {
      uri,
      name: typeof shown === 'string' ? shown : uri,
      description: typeof description === 'string' ? description : '',
    },
  ];
}
