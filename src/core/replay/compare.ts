/** Compares a request of a replay with the recorded one, and describes the difference. */
import type { WireApi } from '../../protocol/providers.ts';
import { normalize } from '../history/normalize.ts';
import { bodiesOf } from '../model/bodies.ts';
import type { Prompt } from '../model/client.ts';
import { capabilitiesOf, type Dialect } from '../model/families.ts';
import { RefusedFields } from '../model/fieldFallback.ts';
import { unifiedDiffOfTexts } from '../patch/unifiedDiff.ts';
import { ReplayFold } from '../rollout/replay.ts';
import { ThreadImages } from '../session/threadImages.ts';
import type { RecordedExchange } from './recording.ts';
import type { ReplayScript } from './script.ts';

export interface RecordedServer {
  readonly wire: WireApi;
  readonly dialect: Dialect;
}

type Body = Readonly<Record<string, unknown>>;

/** Values that differ from run to run, with the name that replaces them in a comparison. */
const VOLATILE: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/aborted by user after [\d.]+ s/g, 'aborted by user after <duration>'],
];

/** Fields that a rollout does not record: the sets of tools, and settings of one process. */
const NOT_RECORDED = new Set(['tools', 'tool_choice', 'parallel_tool_calls', 'text', 'response_format']);

/**
 * Makes each recorded request again from the lines before it. Ask in the order of the requests: a long thread is folded
 * once.
 */
export class ExpectedRequests {
  readonly #script: ReplayScript;
  readonly #server: RecordedServer;
  #fold: ReplayFold;
  #line = 0;

  constructor(script: ReplayScript, server: RecordedServer) {
    this.#script = script;
    this.#server = server;
    this.#fold = new ReplayFold(script.meta);
  }

  body({ line, turnId }: RecordedExchange): Body {
    const { meta, lines, parts } = this.#script;
    if (line < this.#line) {
      this.#fold = new ReplayFold(meta);
      this.#line = 0;
    }
    for (; this.#line < line; this.#line++) this.#fold.add(lines[this.#line] ?? '');
    const { history, state } = this.#fold.thread;
    const settings = parts.flatMap(({ turns }) => turns).find((turn) => turn.turnId === turnId)?.settings;
    if (settings === undefined) throw new Error(`The turn ${turnId} has no settings.`);
    const { wire, dialect } = this.#server;
    const { images } = capabilitiesOf(settings.model, dialect, wire);
    const model = { model: settings.model, takesImages: images };
    const prompt: Prompt = {
      model: settings.model,
      instructions: meta.instructions,
      input: new ThreadImages(state).sendable(normalize(history), model, () => {}),
      tools: [],
      parallelToolCalls: true,
      effort: settings.effort,
      summary: settings.summary,
      origin: settings.provider,
      cacheKey: meta.id,
    };
    const server = { baseUrl: '', dialect };
    const refused = new RefusedFields();
    return JSON.parse(bodiesOf(wire, server, refused).build(prompt).text) as Body;
  }
}

export interface RequestDifference {
  /** Names the parts: `input[3] (message of user)`. */
  readonly where: readonly string[];
  /** Unified, of the JSON. */
  readonly diff: string;
}

/** `undefined` where both are the same except for volatile and unrecorded values. */
export function compareRequests(expected: Body, actual: Body, name: string): RequestDifference | undefined {
  const before = comparable(expected);
  const after = comparable(actual);
  const where = [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    differencesAt(key, before[key], after[key]),
  );
  if (where.length === 0) return undefined;
  return { where, diff: unifiedDiffOfTexts(name, readable(before), readable(after)) };
}

/** Returns true if the tools of two requests differ, which invalidates the prompt cache. */
export function toolsDiffer(before: Body, after: Body): boolean {
  return JSON.stringify(before['tools']) !== JSON.stringify(after['tools']);
}

function comparable(body: Body): Record<string, unknown> {
  const kept = Object.entries(body).filter(([key]) => !NOT_RECORDED.has(key));
  return JSON.parse(steady(JSON.stringify(Object.fromEntries(kept)))) as Record<string, unknown>;
}

function steady(json: string): string {
  return VOLATILE.reduce((text, [pattern, name]) => text.replaceAll(pattern, name), json);
}

function differencesAt(key: string, before: unknown, after: unknown): readonly string[] {
  if (!Array.isArray(before) || !Array.isArray(after)) return isSame(before, after) ? [] : [key];
  return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => index).flatMap((index) =>
    isSame(before[index], after[index]) ? [] : [`${key}[${index}] (${kindOf(before[index] ?? after[index])})`],
  );
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function kindOf(item: unknown): string {
  const { type, role, name, call_id } = item as { type?: string; role?: string; name?: string; call_id?: string };
  if (role !== undefined) return `message of ${role}`;
  return [type, name ?? call_id].filter((word) => word !== undefined).join(' ');
}

/** JSON in which each line of a text is a line of its own. */
function readable(value: unknown): string {
  return `${JSON.stringify(value, null, 2).replaceAll(/(?<=[^\\](?:\\\\)*)\\n(?!")/g, '\\n\n')}\n`;
}
