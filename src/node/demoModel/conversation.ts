/** What the brain hears and says: a conversation with everything of the wire taken off. Both wires speak it. */

/** How patches are sent here: as free text, or as `{input}` in JSON. */
export type PatchForm = 'custom' | 'function';

/** Which command tool is offered, by the name it has here. */
export type ShellTool = 'exec_command' | 'shell_command' | 'shell';

/** What of the offered tools the brain can use; `null` and `false` where it is not offered. */
export interface OfferedTools {
  readonly shell: ShellTool | null;
  readonly patch: PatchForm | null;
  readonly plan: boolean;
  /** True when a command that is still running can be looked at again. */
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

/** A call as the brain makes it: `input` is JSON for a function and free text for a custom tool. */
export interface Call {
  readonly kind: 'function' | 'custom';
  readonly name: string;
  readonly input: string;
}

export type AnswerPart =
  /** A thought in one sentence or two. Wires without a place for it leave it out. */
  | { readonly type: 'reasoning'; readonly summary: string }
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'call'; readonly call: Call };

/** What one response says, in order. Without a call it ends the turn. */
export type Answer = readonly AnswerPart[];

export function callsOf(answer: Answer): readonly Call[] {
  return answer.flatMap((part) => (part.type === 'call' ? [part.call] : []));
}

/** Knows the tools by their names, however they are described. */
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
