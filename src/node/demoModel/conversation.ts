/** Input and output of the brain: a conversation, independent of the wire. */

/** The form of patches: free text, or `{input}` in JSON. */
export type PatchForm = 'custom' | 'function';

/** The name of the offered command tool. */
export type ShellTool = 'exec_command' | 'shell_command' | 'shell';

/** The offered tools that the brain can use; `null` and `false` for those not offered. */
export interface OfferedTools {
  readonly shell: ShellTool | null;
  readonly patch: PatchForm | null;
  readonly plan: boolean;
  /** True if a command that is still running can be polled. */
  readonly poll: boolean;
}

export type Entry =
  /** One text per part of the message. */
  | { readonly type: 'user'; readonly texts: readonly string[] }
  | { readonly type: 'assistant'; readonly text: string }
  | { readonly type: 'call'; readonly callId: string; readonly name: string; readonly input: string }
  | { readonly type: 'output'; readonly callId: string; readonly text: string };

export interface Conversation {
  readonly tools: OfferedTools;
  readonly entries: readonly Entry[];
}

/** A call by the brain: `input` is JSON for a function and free text for a custom tool. */
export interface Call {
  readonly kind: 'function' | 'custom';
  readonly name: string;
  readonly input: string;
}

export type AnswerPart =
  /** A summary of one sentence or two. Wires without reasoning leave it out. */
  | { readonly type: 'reasoning'; readonly summary: string }
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'call'; readonly call: Call };

/** The parts of one response, in order. Without a call it ends the turn. */
export type Answer = readonly AnswerPart[];

/** Returns the calls of an answer in their order. */
export function callsOf(answer: Answer): readonly Call[] {
  return answer.flatMap((part) => (part.type === 'call' ? [part.call] : []));
}

/** Recognizes the tools by their names, not by their descriptions. */
export function offeredTools(tools: readonly { readonly name: string; readonly kind: string }[]): OfferedTools {
  const names = new Set(tools.map((tool) => tool.name));
  const shells: readonly ShellTool[] = ['exec_command', 'shell_command', 'shell'];
  const patch = tools.find((tool) => tool.name === 'apply_patch');
  return {
    shell: shells.find((name) => names.has(name)) ?? null,
    patch: patch === undefined ? null : patch.kind === 'custom' ? 'custom' : 'function',
    plan: names.has('update_plan'),
    poll: names.has('write_stdin'),
  };
}
