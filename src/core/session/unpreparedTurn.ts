import type { UserInput } from '../../protocol/item.ts';
import { textOfInput } from '../../protocol/thread.ts';
import { refusalOf } from '../tools/files/readGuard.ts';
import { userText } from '../prompt/notices.ts';
import { describeFailure } from './failure.ts';
import { settingsNow } from './sessionOptions.ts';
import type { SessionParts } from './sessionParts.ts';
import type { TurnOpening } from './turn.ts';
import type { StartingTurn } from './turnRunOf.ts';
import { userMessage } from './userInput.ts';

/**
 * Ends a turn that could not be prepared, with `error`. Context and message are recorded like those of a turn that has
 * begun: the user sees the message, "Try again" and a resumed thread have it. Never rejects.
 */
export async function endUnprepared(
  error: unknown,
  opening: TurnOpening,
  { settings, emit }: StartingTurn,
  parts: SessionParts,
): Promise<'failed'> {
  const { log } = parts.options.ports;
  log.error('A turn could not be prepared', error);
  // A client waits for the end of the turn that it has submitted. A recovered turn has started in its process.
  if (opening.type !== 'recovered') emit({ type: 'turn_started', settings, contextWindow: null });
  try {
    await parts.open();
    if (opening.type === 'begun') {
      for (const item of await opening.context) parts.remember(item);
    }
  } catch (cause) {
    log.error('The context of a turn that could not be prepared is missing', cause);
  }
  if (opening.type === 'begun' && opening.input !== null) await keepMessage(opening.input, { settings, emit }, parts);
  emit({ type: 'error', ...describeFailure(error) });
  emit({ type: 'turn_aborted', reason: 'failed' });
  return 'failed';
}

/** Neither hooks run on the message nor are its mentions read. */
async function keepMessage(
  input: readonly UserInput[],
  { settings, emit }: Pick<StartingTurn, 'settings' | 'emit'>,
  { options, remember }: SessionParts,
): Promise<void> {
  const { ids, workspace, host, storage, log } = options.ports;
  const thread = { id: options.meta.id, home: storage.home, unreadable: settingsNow(options).tools.unreadable };
  const refusal = (file: string) => refusalOf(file, { workspace, host, settings, thread });
  const content = [...input];
  const id = ids.next('item');
  emit({ type: 'item_started', item: { id, type: 'user_message', status: 'in_progress', content } });
  try {
    remember((await userMessage(content, { workspace, cwd: settings.cwd, refusal })).message);
  } catch (error) {
    log.error('The images of a message cannot be read', error);
    remember(userText(textOfInput(content)));
  }
  emit({ type: 'item_completed', item: { id, type: 'user_message', status: 'completed', content } });
}
