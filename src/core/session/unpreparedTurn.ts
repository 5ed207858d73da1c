import type { UserInput } from '../../protocol/item.ts';
import { textOfInput } from '../../protocol/thread.ts';
import { userText } from '../prompt/notices.ts';
import { showUnsent } from './addInput.ts';
import { describeFailure } from './failure.ts';
import { settingsNow } from './sessionOptions.ts';
import type { SessionParts } from './sessionParts.ts';
import type { TurnOpening } from './turn.ts';
import type { StartingTurn } from './turnRunOf.ts';
import { inputDeps, userMessage } from './userInput.ts';

/**
 * Ends a turn that could not be prepared, with `error`. Context and messages are recorded like those of a turn that has
 * begun: the user sees them, "Try again" and a resumed thread have them. A message that hooks decide about or whose mentions
 * are to be read is unsent (`UnsentMessages`). Never rejects.
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
  if (opening.type === 'begun') {
    for (const input of opening.inputs) {
      if (await isReadFirst(input, parts)) showUnsent({ emit, ports: parts.options.ports }, input);
      else await keepMessage(input, { settings, emit }, parts);
    }
  }
  emit({ type: 'error', ...describeFailure(error) });
  emit({ type: 'turn_aborted', reason: 'failed' });
  return 'failed';
}

/** Returns true if hooks decide about the message, or if the model gets more than its text and images. */
async function isReadFirst(input: readonly UserInput[], { options }: SessionParts): Promise<boolean> {
  const { host, meta } = options;
  if (input.some((part) => part.type === 'mention' && part.kind !== undefined && part.sent === undefined)) return true;
  if (meta.originator === 'sub_agent') return false;
  if (host.skills !== undefined && textOfInput(input).trimStart().startsWith('/')) return true;
  if (host.hooks === undefined || !host.isTrusted()) return false;
  // Hooks that cannot be read now may still be there when the message is sent.
  const hooks = await host.hooks().catch(() => undefined);
  return hooks?.hooks.some(({ hook, state }) => state === 'runs' && hook.event === 'UserPromptSubmit') ?? true;
}

/** Records a message that needs no reading. */
async function keepMessage(
  input: readonly UserInput[],
  { settings, emit }: Pick<StartingTurn, 'settings' | 'emit'>,
  { options, remember }: SessionParts,
): Promise<void> {
  const { ids, log } = options.ports;
  const thread = { id: options.meta.id, unreadable: settingsNow(options).tools.unreadable };
  const content = [...input];
  const id = ids.next('item');
  emit({ type: 'item_started', item: { id, type: 'user_message', status: 'in_progress', content } });
  try {
    remember((await userMessage(content, inputDeps(options.ports, settings, thread))).message);
  } catch (error) {
    log.error('The images of a message cannot be read', error);
    remember(userText(textOfInput(content)));
  }
  emit({ type: 'item_completed', item: { id, type: 'user_message', status: 'completed', content } });
}
