/** Converts a Codex rollout to a Tiller thread (codex-behaviour.md §10). */
import type { EventMsg, TokenUsage, TurnSettings } from '../../protocol/event.ts';
import type { TurnItem } from '../../protocol/item.ts';
import { callIdOf, isToolCall, isToolCallOutput, type ResponseItem, textOf } from '../../protocol/responseItem.ts';
import { type CodexLine, type CodexMeta, readCodexLine } from './codexLines.ts';
import { itemOfCall } from './codexItems.ts';
import type { RolloutEntry, SessionMeta } from './line.ts';

export type Imported =
  | { readonly type: 'imported'; readonly text: string; readonly dropped: number }
  | { readonly type: 'unreadable'; readonly message: string };

/**
 * Messages that Codex writes with the role of the user. They are dropped, because the model gets Tiller's own when the
 * thread continues.
 */
const NOT_THE_USER =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|permissions|user_action|user_shell_command|skill|subagent_notification|model_switch|collaboration_mode)\b|# AGENTS\.md instructions)/;

/**
 * `about` describes the new thread; its folder, model and time are taken from the old one. Reasoning is kept for
 * display only, because its encrypted form is valid only for the account that made it.
 */
export function importCodex(text: string, about: SessionMeta): Imported {
  const read = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(readCodexLine);
  const lines = read.filter((line) => line !== undefined);
  const first = lines.find((line) => line.type === 'meta');
  if (first?.type !== 'meta') return { type: 'unreadable', message: 'This is not a rollout of Codex or Tiller.' };
  const story = new Story(lines, first.meta, about, first.at);
  return { type: 'imported', text: story.tell(), dropped: read.length - lines.length };
}

class Story {
  readonly #lines: readonly CodexLine[];
  readonly #meta: SessionMeta;
  /** By the id of their call. */
  readonly #outputs = new Map<string, string>();
  readonly #written: string[] = [];
  #settings: TurnSettings;
  #at: string;
  #turn: { readonly id: string; readonly answered: string | null } | undefined;
  #turns = 0;
  #items = 0;

  constructor(lines: readonly CodexLine[], codex: CodexMeta, about: SessionMeta, at: string) {
    this.#lines = lines;
    for (const line of lines) {
      if (line.type !== 'item' || !isToolCallOutput(line.item) || this.#outputs.has(line.item.call_id)) continue;
      this.#outputs.set(line.item.call_id, textOf(line.item.output));
    }
    this.#at = at || about.timestamp;
    const context = lines.find((line) => line.type === 'context');
    const recorded = context?.type === 'context' ? context.context : {};
    const cwd = codex.cwd ?? recorded.cwd ?? about.cwd;
    const model = recorded.model ?? about.model;
    this.#meta = {
      ...about,
      cwd,
      model,
      provider: codex.model_provider ?? about.provider,
      imported_from: `codex:${codex.id}`,
    };
    this.#settings = {
      model,
      effort: null,
      summary: 'auto',
      cwd,
      approvalPolicy: 'on-request',
      sandboxPolicy: { type: 'read-only', networkAccess: false },
      box: 'none',
    };
  }

  tell(): string {
    this.#write({ type: 'session_meta', payload: this.#meta });
    for (const line of this.#lines) {
      if ('at' in line && line.at !== '') this.#at = line.at;
      this.#line(line);
    }
    this.#endTurn({ type: 'turn_completed', lastMessage: this.#turn?.answered ?? null });
    return this.#written.join('');
  }

  #line(line: CodexLine): void {
    switch (line.type) {
      case 'context': {
        const { cwd, model } = line.context;
        this.#settings = { ...this.#settings, cwd: cwd ?? this.#settings.cwd, model: model ?? this.#settings.model };
        return;
      }
      case 'item':
        return this.#item(line.item);
      case 'compacted': {
        const summary: ResponseItem = userText(line.message);
        const replacement = (line.history ?? [summary]).filter(isKept);
        return this.#write({ type: 'compacted', payload: { message: line.message, replacement_history: replacement } });
      }
      case 'tokens': {
        const { last_token_usage: last, total_token_usage: total, model_context_window: contextWindow } = line.info;
        const counts = { last: usage(last), total: usage(total), contextWindow: contextWindow ?? null };
        return this.#tell({ type: 'token_count', ...counts, estimated: false });
      }
      case 'aborted':
        return this.#endTurn({ type: 'turn_aborted', reason: 'interrupted' });
      case 'meta':
      case 'other':
        return;
    }
  }

  #item(item: ResponseItem): void {
    if (item.type === 'message' && item.role === 'user' && isKept(item)) {
      this.#beginTurn();
      const content = [{ type: 'text' as const, text: textOf(item.content) }];
      this.#remember(item);
      return this.#show({ id: this.#newId(), type: 'user_message', status: 'completed', content });
    }
    if (this.#turn === undefined) return;
    if (isKept(item)) this.#remember(item);
    if (item.type === 'message' && item.role === 'assistant') {
      const text = textOf(item.content);
      this.#turn = { ...this.#turn, answered: text };
      this.#show({ id: this.#newId(), type: 'agent_message', status: 'completed', text });
    } else if (item.type === 'reasoning' && item.summary.length > 0) {
      const summary = item.summary.map(({ text }) => text);
      this.#show({ id: this.#newId(), type: 'reasoning', status: 'completed', summary });
    } else if (isToolCall(item)) {
      const callId = callIdOf(item) ?? '';
      const { cwd } = this.#settings;
      this.#show(itemOfCall({ id: this.#newId(), callId, call: item, output: this.#outputs.get(callId) ?? '', cwd }));
    }
  }

  #beginTurn(): void {
    this.#endTurn({ type: 'turn_completed', lastMessage: this.#turn?.answered ?? null });
    this.#turn = { id: `imported_${++this.#turns}`, answered: null };
    this.#tell({ type: 'turn_started', settings: this.#settings, contextWindow: null });
  }

  #endTurn(msg: EventMsg): void {
    if (this.#turn !== undefined) this.#tell(msg);
    this.#turn = undefined;
  }

  #show(item: TurnItem): void {
    this.#tell({ type: 'item_completed', item });
  }

  #remember(item: ResponseItem): void {
    this.#write({ type: 'response_item', payload: item });
  }

  #tell(msg: EventMsg): void {
    this.#write({ type: 'event_msg', payload: { turnId: this.#turn?.id ?? null, submissionId: null, msg } });
  }

  #write({ type, payload }: RolloutEntry): void {
    this.#written.push(`${JSON.stringify({ timestamp: this.#at, type, payload })}\n`);
  }

  #newId(): string {
    return `imported_item_${++this.#items}`;
  }
}

/** True for items that the model sees again. */
function isKept(item: ResponseItem): boolean {
  if (item.type === 'reasoning') return false;
  if (item.type !== 'message') return true;
  if (item.role === 'user') return !NOT_THE_USER.test(textOf(item.content));
  return item.role === 'assistant';
}

function userText(text: string): ResponseItem {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

function usage(counted: {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_output_tokens: number;
  readonly total_tokens: number;
}): TokenUsage {
  return {
    input: counted.input_tokens,
    cachedInput: counted.cached_input_tokens,
    output: counted.output_tokens,
    reasoning: counted.reasoning_output_tokens,
    total: counted.total_tokens,
  };
}
