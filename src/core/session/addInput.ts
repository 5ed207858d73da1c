import type { UserInput } from '../../protocol/item.ts';
import { textOfInput } from '../../protocol/thread.ts';
import { userText } from '../prompt/notices.ts';
import { refusalOf } from '../tools/files/readGuard.ts';
import { resolveMentions } from './mentions.ts';
import type { TurnRun } from './turnRun.ts';
import { userMessage } from './userInput.ts';

/** Records a text of a hook: a message of its own. */
export function rememberHookText(run: TurnRun, text: string | undefined): void {
  if (text !== undefined) run.remember(userText(text));
}

/**
 * Adds a message of the user to the thread: reads its mentions, runs the hooks on it, emits and records it. Returns the
 * reason why a hook keeps the message from the model; the user sees it nevertheless.
 */
export async function addInput(run: TurnRun, input: readonly UserInput[]): Promise<string | undefined> {
  const { settings, signal, thread } = run;
  const { workspace, host, storage, keys } = run.ports;
  const about = { id: run.threadId, home: storage.home, unreadable: thread.tools.unreadable };
  const resolved = await resolveMentions(input, { workspace, host, settings, thread: about, keys, signal });
  const content = [...(await run.skills.run(resolved))];
  const refusal = (file: string) => refusalOf(file, { workspace, host, settings, thread: about });
  const { message, warnings } = await userMessage(content, { workspace, cwd: settings.cwd, refusal });
  const id = run.ports.ids.next('item');
  const ended = (status: 'completed' | 'declined' | 'aborted') =>
    run.emit({ type: 'item_completed', item: { id, type: 'user_message', status, content } });
  run.emit({ type: 'item_started', item: { id, type: 'user_message', status: 'in_progress', content } });
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
