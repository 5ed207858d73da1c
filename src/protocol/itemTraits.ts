/**
 * Traits of each kind of item that several layers need, in one place: a new kind does not compile until redaction,
 * audit, search and the line over a finished turn are defined for it (src/README.md, "An item kind").
 *
 * The way a kind is drawn, exported or counted as tokens is not here: one file each, with an exhaustive `switch`.
 */
import type { AuditAct } from './audit.ts';
import type { DeltaKind, FileChangeSummary, TurnItem, TurnItemOf, TurnItemType } from './item.ts';
import { textOfInput } from './thread.ts';

/** A text of an item that grows by `item_delta`s of one kind, as `threadReducer` grows it. */
export interface GrowingText<Type extends TurnItemType = TurnItemType> {
  readonly kind: DeltaKind;
  /** The text that the next delta is appended to; `undefined` while there is none. */
  read(this: void, item: TurnItemOf<Type>): string | undefined;
  /** The item with another text in its place. */
  write(this: void, item: TurnItemOf<Type>, text: string): TurnItemOf<Type>;
}

/** The contribution of an item to the summary line of a finished turn ("Edited 3 files, ran 2 commands"). */
export type FoldCount =
  | { readonly type: 'patch'; readonly changes: readonly FileChangeSummary[] }
  | { readonly type: 'command'; readonly command: string }
  | { readonly type: 'call' }
  | { readonly type: 'lookup'; readonly action: TurnItemOf<'file_lookup'>['action'] }
  | { readonly type: 'search' };

/**
 * The place of an item in a turn. A `step` is grouped with its neighbours and folded away when the turn is done;
 * `speech` is shown alone and folded away too, unless it is the last of its turn; a `landmark` is shown alone and
 * stays.
 */
export type TurnPlace = 'step' | 'speech' | 'landmark';

/**
 * The traits of one kind of item. They are declared as methods, so that the trait of a kind can be called with the item
 * for which it was looked up.
 */
export interface ItemTraits<Type extends TurnItemType = TurnItemType> {
  /**
   * The texts of the item that grow, for redaction: a secret may arrive in pieces in them. All other texts arrive as a
   * whole.
   */
  readonly grows: readonly GrowingText<Type>[];
  /** True if the item has a field `why` with the reason for a failure or refusal. */
  readonly explained: Type extends TurnItemType ? ('why' extends keyof TurnItemOf<Type> ? true : false) : never;
  readonly place: TurnPlace;
  /**
   * Returns the act for the audit log; `undefined` if the item has no effect outside the thread. `cwd`: the working
   * directory of its turn.
   */
  act(item: TurnItemOf<Type>, cwd: string): AuditAct | undefined;
  /** Returns the texts in which a search through threads looks, most relevant first. */
  searched(item: TurnItemOf<Type>): readonly string[];
  /** Returns how the item is counted; `undefined` if it is only counted when it was declined. */
  counted(item: TurnItemOf<Type>): FoldCount | undefined;
}

/** Traits of messages and markers, which have no effect outside the thread. */
const NO_ACT = { act: () => undefined, counted: () => undefined };

/** The tool of each action of a `file_lookup`. */
const LOOKUP_TOOLS = { read: 'read_file', list: 'list_dir', search: 'grep_files', memory: 'get_memory' } as const;

/** Returns arguments as the model wrote them. */
function textIn(args: unknown): string {
  return typeof args === 'string' ? args : (JSON.stringify(args) ?? '');
}

export const ITEM_TRAITS = {
  user_message: {
    ...NO_ACT,
    grows: [],
    explained: false,
    place: 'landmark',
    searched: ({ content }) => [textOfInput(content)],
  },
  agent_message: {
    ...NO_ACT,
    grows: [{ kind: 'text', read: ({ text }) => text, write: (item, text) => ({ ...item, text }) }],
    explained: false,
    place: 'speech',
    searched: ({ text, citations = [] }) => [text, ...citations.map(({ title }) => title)],
  },
  reasoning: {
    ...NO_ACT,
    grows: [
      {
        kind: 'summary',
        read: ({ summary }) => summary.at(-1),
        write: (item, text) => ({ ...item, summary: [...item.summary.slice(0, -1), text] }),
      },
      { kind: 'raw', read: ({ raw }) => raw, write: (item, raw) => ({ ...item, raw }) },
    ],
    explained: false,
    place: 'step',
    searched: ({ summary }) => summary,
  },
  plan: {
    ...NO_ACT,
    grows: [],
    explained: false,
    place: 'step',
    searched: ({ explanation = '', steps }) => [explanation, ...steps.map(({ step }) => step)],
  },
  command_execution: {
    grows: [{ kind: 'output', read: ({ output }) => output, write: (item, output) => ({ ...item, output }) }],
    explained: true,
    place: 'step',
    act: ({ command, argv, cwd }) => ({ type: 'command', command, argv, cwd }),
    searched: ({ command, output }) => [command, output],
    counted: ({ command }) => ({ type: 'command', command }),
  },
  process_interaction: {
    grows: [],
    explained: false,
    place: 'step',
    act: ({ processId, command, chars }) => ({ type: 'input', processId, command, chars }),
    searched: ({ chars }) => [chars],
    counted: () => undefined,
  },
  file_change: {
    grows: [{ kind: 'patch', read: ({ patch }) => patch, write: (item, patch) => ({ ...item, patch }) }],
    explained: true,
    place: 'step',
    act: ({ changes }, cwd) => {
      const files = changes.map(({ path, kind, movedTo }) => ({ path, kind, ...(movedTo ? { movedTo } : {}) }));
      return { type: 'patch', files, cwd };
    },
    searched: ({ changes }) => changes.flatMap(({ path, movedTo }) => [path, movedTo ?? '']),
    counted: ({ changes }) => ({ type: 'patch', changes }),
  },
  mcp_tool_call: {
    grows: [{ kind: 'output', read: ({ progress }) => progress, write: (item, progress) => ({ ...item, progress }) }],
    explained: false,
    place: 'step',
    act: ({ server, tool }, cwd) => ({ type: 'tool', tool: `${server}/${tool}`, cwd }),
    searched: ({ server, tool, arguments: args, error = '' }) => [server, tool, textIn(args), error],
    counted: () => ({ type: 'call' }),
  },
  dynamic_tool_call: {
    grows: [],
    explained: false,
    place: 'step',
    act: ({ tool }, cwd) => ({ type: 'tool', tool, cwd }),
    searched: ({ tool, arguments: args }) => [tool, textIn(args)],
    counted: () => ({ type: 'call' }),
  },
  web_search: {
    grows: [],
    explained: false,
    place: 'step',
    act: (item, cwd) => ({ type: 'tool', tool: `web_search ${searchWords(item).join(' ')}`.trim(), cwd }),
    searched: searchWords,
    counted: () => ({ type: 'search' }),
  },
  image_view: {
    grows: [],
    explained: true,
    place: 'step',
    act: ({ path }, cwd) => ({ type: 'tool', tool: `view_image ${path}`, cwd }),
    searched: ({ path }) => [path],
    counted: () => undefined,
  },
  file_lookup: {
    grows: [],
    explained: true,
    place: 'step',
    act: ({ action, path }, cwd) => ({ type: 'tool', tool: `${LOOKUP_TOOLS[action]} ${path}`, cwd }),
    searched: ({ path, pattern = '' }) => [path, pattern],
    counted: ({ action }) => ({ type: 'lookup', action }),
  },
  code_navigation: {
    grows: [],
    explained: true,
    place: 'step',
    act: ({ op, symbol, path }, cwd) => {
      return { type: 'tool', tool: ['code_navigation', op, symbol, path].filter(Boolean).join(' '), cwd };
    },
    searched: ({ symbol = '', path = '', text = '' }) => [symbol, path, text],
    counted: () => ({ type: 'call' }),
  },
  web_fetch: {
    grows: [],
    explained: true,
    place: 'step',
    act: ({ url }, cwd) => ({ type: 'tool', tool: `fetch_url ${url}`, cwd }),
    searched: ({ url, text = '' }) => [url, text],
    counted: () => ({ type: 'call' }),
  },
  hook_run: {
    ...NO_ACT,
    grows: [],
    explained: false,
    place: 'step',
    searched: ({ command, text = '' }) => [command, text],
  },
  user_question: {
    grows: [],
    explained: true,
    place: 'step',
    act: ({ questions }, cwd) => {
      const asked = questions.map(({ question }) => question).join(' ');
      return { type: 'tool', tool: `request_user_input ${asked}`, cwd };
    },
    searched: ({ questions, answers = {} }) => [
      ...questions.map(({ question }) => question),
      ...Object.values(answers).flat(),
    ],
    counted: () => undefined,
  },
  sub_agent: {
    ...NO_ACT,
    grows: [],
    explained: false,
    place: 'step',
    searched: ({ role, lastMessage = '' }) => [role, lastMessage],
  },
  code_review: {
    ...NO_ACT,
    grows: [],
    explained: true,
    place: 'landmark',
    searched: ({ text, findings }) => [...findings.flatMap(({ title, body }) => [title, body]), text],
  },
  compaction: { ...NO_ACT, grows: [], explained: true, place: 'landmark', searched: ({ summary }) => [summary] },
} satisfies { readonly [Type in TurnItemType]: ItemTraits<Type> };

/** Returns the traits of the item's kind, to be called with this item. */
export function traitsOf({ type }: TurnItem): ItemTraits {
  return ITEM_TRAITS[type];
}

/** The way in which secrets are redacted in the texts of a delta kind. */
export type DeltaRedaction =
  /**
   * A secret may arrive in pieces: the end of the text is held back until the next piece shows whether it belongs to a
   * secret.
   */
  | 'in_pieces'
  /** Secrets are removed before the text arrives (core/exec/liveProcess.ts). */
  | 'at_source'
  /** The kind has no text. */
  | 'none';

export const DELTA_REDACTION: Readonly<Record<DeltaKind, DeltaRedaction>> = {
  text: 'in_pieces',
  summary: 'in_pieces',
  raw: 'in_pieces',
  patch: 'in_pieces',
  output: 'at_source',
  section_break: 'none',
};

/** Returns the search query, or the opened page and the text that was searched for in it. */
function searchWords({ query = '', action }: TurnItemOf<'web_search'>): readonly string[] {
  switch (action?.type) {
    case 'open_page':
      return [action.url ?? ''];
    case 'find_in_page':
      return [action.url ?? '', action.pattern ?? ''];
    case 'search':
      return action.queries.length > 0 ? action.queries : [query];
    case undefined:
      return [query];
  }
}
