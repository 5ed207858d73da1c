import { ROLLOUT_FORMAT, sessionMetaSchema } from './line.ts';

/** A thread as a list shows it. */
export interface ThreadSummary {
  readonly id: string;
  readonly path: string;
  readonly cwd: string;
  readonly model: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** The name given to it, or the first line of the first message. */
  readonly title: string | null;
}

/** Reads only what a list needs; `undefined` when the file is not a thread. */
export function summarize(text: string, path: string): ThreadSummary | undefined {
  const lines = text.split('\n');
  const first = parse(lines[0] ?? '');
  const meta = sessionMetaSchema.safeParse(first?.payload);
  if (!meta.success || meta.data.format !== ROLLOUT_FORMAT) return undefined;
  const { id, cwd, model, timestamp } = meta.data;
  return { id, path, cwd, model, startedAt: timestamp, title: titleIn(lines) };
}

/** The last name given, else the first message. Lines are parsed only where the word stands in them. */
function titleIn(lines: readonly string[]): string | null {
  const named = lines.findLast((line) => line.includes('"title_changed"'));
  const title = named === undefined ? undefined : (parse(named)?.payload.msg as { title?: unknown } | undefined)?.title;
  if (typeof title === 'string') return title;
  const message = lines.find((line) => line.includes('"item_completed"') && line.includes('"user_message"'));
  const item = (parse(message ?? '')?.payload.msg as { item?: { content?: readonly { text?: string }[] } } | undefined)
    ?.item;
  const said = item?.content
    ?.find((part) => part.text)
    ?.text?.trim()
    .split('\n', 1)[0];
  return said ? said.slice(0, 80) : null;
}

function parse(line: string): { readonly payload: Readonly<Record<string, unknown>> } | undefined {
  try {
    const value = JSON.parse(line) as { payload?: Record<string, unknown> };
    return value.payload ? { payload: value.payload } : undefined;
  } catch {
    return undefined;
  }
}
