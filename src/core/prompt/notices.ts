import type { HookEvent } from '../../protocol/hooks.ts';
import { isToolCallOutput, type MessageItem, type ResponseItem, textOf } from '../../protocol/responseItem.ts';

/**
 * Recorded when a turn was cut off, so that the model knows that its last steps may be incomplete (codex-behaviour.md
 * §3.3).
 */
export function turnAbortedMessage(cause: 'interrupted' | 'crashed'): MessageItem {
  const why = {
    interrupted: 'The user stopped this turn on purpose.',
    crashed: 'Tiller was closed or stopped in the middle of this turn.',
  }[cause];
  return userText(
    `<turn_aborted>\n${why} Commands that were running may have done part of their work, and background processes may still run. Check before you continue.\n</turn_aborted>`,
  );
}

/** Recorded when a sub-agent has ended (codex-behaviour.md §11). `status`: as the tool `wait` returns it. */
export function agentNotice(agentId: string, status: unknown): MessageItem {
  return userText(`<subagent_notification>\n${noticeBody(agentId, status)}\n</subagent_notification>`);
}

/**
 * The status in an `agentNotice` about changes of a sub-agent's side copy that the user has brought home or undone.
 * `at`: ISO 8601; it distinguishes two such notices.
 */
export function copyStatus({ what, files, at }: SettledInCopy): unknown {
  const meaning = {
    brought_home: 'The user has brought home changes of its side copy to these files: the workspace has them now.',
    undone: 'The user has undone in the workspace what came home of its side copy in these files.',
  }[what];
  const more = files.length - MOST_NAMED;
  return { [what]: files.slice(0, MOST_NAMED), ...(more > 0 ? { more_files: more } : {}), at, meaning };
}

/** File names in one notice. */
const MOST_NAMED = 50;

interface SettledInCopy {
  readonly what: 'brought_home' | 'undone';
  readonly files: readonly string[];
  readonly at: string;
}

/** True when the item is this notice, or an output of `wait` with the same content. */
export function isAgentNoticeOf(item: ResponseItem, agentId: string, status: unknown): boolean {
  if (item.type === 'message') return textOf(item.content).includes(noticeBody(agentId, status));
  if (!isToolCallOutput(item)) return false;
  const text = typeof item.output === 'string' ? item.output : textOf(item.output);
  return text.includes(`${JSON.stringify(agentId)}:${JSON.stringify(status)}`);
}

/** A message of an agent that contains the end mark cannot end the notice. */
function noticeBody(agentId: string, status: unknown): string {
  return JSON.stringify({ agent_id: agentId, status }).replaceAll('<', String.raw`\u003c`);
}

/** A message of the user with one text. */
export function userText(text: string): MessageItem {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

/** Includes the markers of earlier versions of Tiller and of Codex, which occur in old and in imported threads. */
const OUR_OWN =
  /^\s*(?:<(?:environment_context|turn_aborted|subagent_notification|permissions|allowed_commands|tool_instructions|thread_summary|open_work|thread_memories|summary_request|hook_context|user_instructions|user_action|user_shell_command|skills?|model_switch|collaboration_mode)[>\s]|# AGENTS\.md instructions\b|Another language model started to solve this problem\b)/;

/** True when a user message is the user's own text, not a notice that Tiller sent in this role. */
export function isUsersOwn(item: MessageItem): boolean {
  return item.role === 'user' && !OUR_OWN.test(textOf(item.content));
}

/** Returns true for a message that has the context of hooks. */
export function isHookContext(item: MessageItem): boolean {
  return item.role === 'user' && textOf(item.content).startsWith('<hook_context ');
}

/** The context of hooks for the model. The user chose their programs, so it is not marked as untrusted. */
export function hookContext(event: HookEvent, texts: readonly string[]): string {
  return `<hook_context event="${event}">\n${texts.join('\n\n')}\n</hook_context>`;
}
