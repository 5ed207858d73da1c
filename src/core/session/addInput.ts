import type { EventMsg } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import { textOfInput } from '../../protocol/thread.ts';
import type { Ids } from '../ports.ts';
import { userText } from '../prompt/notices.ts';
import { resolveMentions } from './mentions.ts';
import type { TurnRun } from './turnRun.ts';
import { inputDeps, userMessage } from './userInput.ts';

/** Records the text of a hook as a message of its own. */
export function rememberHookText(run: TurnRun, text: string | undefined): void {
  if (text !== undefined) run.remember(userText(text));
}

/**
 * Adds messages of the user, one after the other. If hooks block all of them, returns the reason for the first. When
 * one is stopped, the later ones are shown as unsent.
 */
export async function addInputs(run: TurnRun, inputs: readonly (readonly UserInput[])[]): Promise<string | undefined> {
  const blocked: string[] = [];
  for (const [index, input] of inputs.entries()) {
    try {
      const reason = await addInput(run, input);
      if (reason !== undefined) blocked.push(reason);
    } catch (error) {
      for (const later of inputs.slice(index + 1)) showUnsent(run, later);
      throw error;
    }
  }
  return blocked.length === inputs.length ? blocked[0] : undefined;
}

/** Shows a message that the model does not get in this turn; see `UnsentMessages`. */
export function showUnsent(
  { emit, ports }: { readonly emit: (msg: EventMsg) => void; readonly ports: { readonly ids: Pick<Ids, 'next'> } },
  input: readonly UserInput[],
): void {
  const item = { id: ports.ids.next('item'), type: 'user_message' as const, content: [...input] };
  emit({ type: 'item_started', item: { ...item, status: 'in_progress' } });
  emit({ type: 'item_completed', item: { ...item, status: 'aborted' } });
}

/**
 * Adds a message of the user to the thread: reads its mentions, runs the hooks on it, emits and records it. Returns the
 * reason if a hook blocks it: then the model does not get it, but the user sees it.
 */
export async function addInput(run: TurnRun, input: readonly UserInput[]): Promise<string | undefined> {
  const id = run.ports.ids.next('item');
  const shown = (status: 'in_progress' | 'completed' | 'declined' | 'aborted', content: readonly UserInput[]) => {
    const type = status === 'in_progress' ? 'item_started' : 'item_completed';
    run.emit({ type, item: { id, type: 'user_message', status, content: [...content] } });
  };
  const { content, message, warnings } = await readInput(run, input).catch((error: unknown) => {
    // The user sees the message even if its mentions cannot be read.
    shown('in_progress', input);
    shown('aborted', input);
    throw error;
  });
  const ended = (status: 'completed' | 'declined' | 'aborted') => shown(status, content);
  shown('in_progress', content);
  const submitted = await run.hooks.promptSubmitted(textOfInput(content)).catch((error: unknown) => {
    ended('aborted');
    throw error;
  });
  const isBlocked = 'blocked' in submitted;
  if (!isBlocked) run.remember(message);
  ended(isBlocked ? 'declined' : 'completed');
  if (isBlocked) return submitted.blocked;
  rememberHookText(run, submitted.context);
  for (const warning of warnings) run.emit({ type: 'warning', message: warning });
  return undefined;
}

/** Reads the mentions and images of a message, and the skills that it runs. */
async function readInput(run: TurnRun, input: readonly UserInput[]) {
  const { ports, settings, signal, thread } = run;
  const deps = inputDeps(ports, settings, { id: run.threadId, unreadable: thread.tools.unreadable });
  const resolved = await resolveMentions(input, { ...deps, keys: ports.keys, signal });
  const content = await run.skills.run(resolved);
  return { content, ...(await userMessage(content, deps)) };
}
