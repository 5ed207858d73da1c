/**
 * The responses of a scripted model, independent of the wire. One response is a list of steps:
 *
 *     [[reasons('Two files.'), calls('apply_patch', { input })], [says('Done.')]]
 *
 * A response ends as a real one does (`response.completed`; `finish_reason`, usage and `[DONE]`) unless a step ends it
 * in another way.
 */
import type { TokenUsage } from '../../src/protocol/event.ts';

interface Pace {
  /** The number of deltas in which the text is sent; by default 3. With 0, only the whole item is sent. */
  readonly deltas?: number;
  /** Milliseconds before each delta. */
  readonly delayMs?: number;
  /** For a call: its last delta is sent when this promise settles. */
  readonly lastAfter?: Promise<unknown>;
}

/** A step that is an output of the model. */
export type ContentStep =
  | ({
      readonly type: 'says';
      readonly text: string;
      readonly phase?: string;
      /** The sources that the server names on Responses: `[url, title]`. */
      readonly cites?: readonly (readonly [url: string, title: string])[];
    } & Pace)
  | ({
      readonly type: 'reasons';
      readonly summary: readonly string[];
      readonly raw?: string;
      readonly encrypted?: string;
    } & Pace)
  | ({
      readonly type: 'calls';
      readonly name: string;
      readonly arguments: string;
      readonly callId: string | undefined;
    } & Pace)
  | ({
      readonly type: 'callsCustom';
      readonly name: string;
      readonly input: string;
      readonly callId: string | undefined;
    } & Pace)
  | { readonly type: 'callsLocalShell'; readonly command: readonly string[]; readonly callId: string | undefined }
  | { readonly type: 'searches'; readonly action: Readonly<Record<string, unknown>>; readonly status: string }
  | { readonly type: 'failsInStream'; readonly code: string | null; readonly message: string }
  | { readonly type: 'incomplete'; readonly reason: string };

/** A step that is an event of the connection at this place. */
export type ConnectionStep =
  | { readonly type: 'waits'; readonly for: number | Promise<unknown> }
  | { readonly type: 'raw'; readonly text: string }
  | { readonly type: 'cut' }
  | { readonly type: 'closesCleanly' }
  | { readonly type: 'hangs' };

/** A step that sets a property of the whole response; it may be at any place in the list. */
export type AnswerStep =
  | { readonly type: 'usage'; readonly usage: Partial<TokenUsage> | null }
  | { readonly type: 'endTurn'; readonly endTurn: boolean }
  | { readonly type: 'cutsAfter'; readonly bytes: number }
  | { readonly type: 'answersWhole' }
  | {
      readonly type: 'fails';
      readonly status: number;
      readonly body: unknown;
      readonly headers: Readonly<Record<string, string>>;
    };

export type Step = ContentStep | ConnectionStep | AnswerStep;

export function isConnectionStep(step: Step): step is ConnectionStep {
  return ['waits', 'raw', 'cut', 'closesCleanly', 'hangs'].includes(step.type);
}

export function isAnswerStep(step: Step): step is AnswerStep {
  return ['usage', 'endTurn', 'cutsAfter', 'answersWhole', 'fails'].includes(step.type);
}

// ---------------------------------------------------------------- output of the model

export function says(
  text: string,
  options: Pace & { phase?: string; cites?: readonly (readonly [url: string, title: string])[] } = {},
): Step {
  return { type: 'says', text, ...options };
}

/** Reasoning with a summary in one or more sections; `raw` and `encrypted` as servers send them. */
export function reasons(
  summary: string | readonly string[],
  options: Pace & { raw?: string; encrypted?: string } = {},
): Step {
  return { type: 'reasons', summary: typeof summary === 'string' ? [summary] : summary, ...options };
}

/**
 * A function call. Arguments that are a string are sent unchanged, even if they are not valid JSON. Call ids count up:
 * `call_1`, `call_2`, …
 */
export function calls(name: string, args: unknown = {}, options: Pace & { callId?: string } = {}): Step {
  const { callId, ...pace } = options;
  return { type: 'calls', name, arguments: typeof args === 'string' ? args : JSON.stringify(args), callId, ...pace };
}

/** A call with free text. Chat Completions does not support it: there it is a function call with `{input}`. */
export function callsCustom(name: string, input: string, options: Pace & { callId?: string } = {}): Step {
  const { callId, ...pace } = options;
  return { type: 'callsCustom', name, input, callId, ...pace };
}

export function callsLocalShell(command: readonly string[], options: { callId?: string } = {}): Step {
  return { type: 'callsLocalShell', command, callId: options.callId };
}

/** A web search that the server ran itself. `action`: the search words, or the action in OpenAI's form. */
export function searches(action: string | Readonly<Record<string, unknown>>, status = 'completed'): Step {
  return { type: 'searches', action: typeof action === 'string' ? { type: 'search', query: action } : action, status };
}

/** The usage that the response reports; `null` if it reports none. */
export function usage(counts: Partial<TokenUsage> | null): Step {
  return { type: 'usage', usage: counts };
}

/** Sets `end_turn` of the last event (Responses); false is the `stop_reason` “pause_turn” (Messages). */
export function endsTurn(endTurn: boolean): Step {
  return { type: 'endTurn', endTurn };
}

// ---------------------------------------------------------------- timing

/** A pause of a number of milliseconds, or until a promise settles. */
export function waits(until: number | Promise<unknown>): Step {
  return { type: 'waits', for: until };
}

// ---------------------------------------------------------------- faults

/**
 * An HTTP error instead of a stream. A string is sent unchanged as the body; `{message, code, type}` is sent as
 * `{error: …}`.
 */
export function fails(status: number, body: unknown = {}, headers: Readonly<Record<string, string>> = {}): Step {
  return { type: 'fails', status, body, headers };
}

/** Closes the socket at this place. */
export function cuts(): Step {
  return { type: 'cut' };
}

/** Closes the socket after this number of bytes of the body. */
export function cutsAfter(bytes: number): Step {
  return { type: 'cutsAfter', bytes };
}

/** Ends the stream at this place without an error and without its last event. */
export function closesCleanly(): Step {
  return { type: 'closesCleanly' };
}

/** Sends nothing more until the client disconnects. */
export function hangs(): Step {
  return { type: 'hangs' };
}

/** Sends an event with malformed JSON. */
export function malformed(): Step {
  return { type: 'raw', text: 'data: {"type":"response.output_text.delta","delta\n\n' };
}

/** Sends a text unchanged: server-sent events or anything else. */
export function raw(text: string): Step {
  return { type: 'raw', text };
}

/** Sends an event (Responses) or chunk (Chat) that the test provides. */
export function emits(event: unknown): Step {
  return { type: 'raw', text: `data: ${JSON.stringify(event)}\n\n` };
}

/** Fails within the stream: `response.failed`; on Chat a chunk with an `error`, on Messages an event `error`. */
export function failsInStream(code: string | null, message = 'It went wrong.'): Step {
  return { type: 'failsInStream', code, message };
}

/**
 * Ends the response as incomplete: `response.incomplete`; on Chat the matching `finish_reason`, on Messages the
 * `stop_reason`.
 */
export function incomplete(reason = 'max_output_tokens'): Step {
  return { type: 'incomplete', reason };
}

/** Sends one JSON document although a stream was requested (Chat and Messages). */
export function answersWhole(): Step {
  return { type: 'answersWhole' };
}
