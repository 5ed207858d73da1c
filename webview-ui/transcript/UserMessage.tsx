import { firstLine } from '../../src/protocol/text/truncate.ts';
import type { TurnItemOf, UserInput } from '../../src/protocol/item.ts';
import { textOfInput } from '../../src/protocol/thread.ts';
import { copyText, editSent, fork } from '../actions.ts';
import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { mentionRanges } from '../../src/protocol/text/mentionTokens.ts';
import { post } from '../bridge.ts';
import { plural, t } from '../l10n.ts';
import { isOwn, isRunning } from '../store.ts';
import { SentChips } from './SentChip.tsx';
import { IconButton } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';

/** Shows a text in which names of attachments, such as `@src/a.ts`, are marked. */
function WithMentions({ text, content }: { text: string; content: readonly UserInput[] }) {
  const names = content.flatMap((part) => (part.type === 'mention' ? [part.path, part.name] : []));
  const parts: ComponentChild[] = [];
  let end = 0;
  for (const range of mentionRanges(text, names)) {
    const mention = text.slice(range.start, range.end);
    parts.push(
      text.slice(end, range.start),
      <span key={range.start} class="mention">
        {mention}
      </span>,
    );
    end = range.end;
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
}

/**
 * Returns the value of the attribute by which VS Code selects the menu entries that package.json contributes. They are
 * shown beside VS Code's own entries.
 */
function menuContext(itemId: string): string {
  return JSON.stringify({ webviewSection: 'tillerMessage', itemId });
}

/** A text with more lines or characters is folded to its first lines. */
const MOST_LINES = 12;
const MOST_CHARACTERS = 1_200;

/**
 * The text of a message. A long text is folded; it stays in the page, so that the search in the transcript finds it.
 */
function FoldedText({ text, content }: { text: string; content: readonly UserInput[] }) {
  const isOpen = useSignal(false);
  const id = useId();
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const reveal = () => (isOpen.value = true);
    element.current?.addEventListener('beforematch', reveal);
    return () => element.current?.removeEventListener('beforematch', reveal);
  }, []);
  const lines = text.split('\n').length;
  const isLong = lines > MOST_LINES || text.length > MOST_CHARACTERS;
  const isFolded = isLong && !isOpen.value;
  return (
    <>
      <div ref={element} id={id} class={isFolded ? 'you-text is-folded' : 'you-text'} dir="auto">
        <WithMentions text={text} content={content} />
      </div>
      {isLong && (
        <button
          type="button"
          class="act you-more"
          data-testid="user-message-more"
          aria-expanded={isOpen.value}
          aria-controls={id}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          {isOpen.value ? t('Show Less') : plural(lines, 'Show All ({0} line)', 'Show All ({0} lines)')}
        </button>
      )}
    </>
  );
}

/** A message of the user, in the style of the composer. */
export function UserMessage({ item }: { item: TurnItemOf<'user_message'> }) {
  const text = textOfInput(item.content);
  const mayRewind = isOwn.value && !isRunning.value;
  return (
    <div class="you" data-testid="user-message" tabIndex={-1} data-vscode-context={menuContext(item.id)}>
      <SentChips content={item.content} />
      <FoldedText text={text} content={item.content} />
      <Unsent item={item} />
      <div class="you-actions">
        <IconButton
          testid="user-message-fork"
          icon="repo-forked"
          label={t('Fork from Here')}
          onClick={() => fork(item.id)}
        />
        {mayRewind && (
          <IconButton
            testid="user-message-rewind"
            icon="history"
            label={t('Rewind to Here')}
            onClick={() => post({ type: 'revert', what: { type: 'rewind', itemId: item.id } })}
          />
        )}
        {isOwn.value && (
          <IconButton
            testid="user-message-edit"
            icon="edit"
            label={t('Edit Message')}
            onClick={() => editSent(item.id, item.content)}
          />
        )}
        <IconButton testid="user-message-copy" icon="copy" label={t('Copy Message')} onClick={() => copyText(text)} />
      </div>
    </div>
  );
}

/** A note that the model has not got the message: the turn ended while its hooks ran or its mentions were read. */
function Unsent({ item: { status } }: { item: TurnItemOf<'user_message'> }) {
  if (status !== 'aborted') return null;
  return (
    <p class="you-unsent" data-testid="user-message-unsent">
      {t('Not sent: this turn ended first.')}
    </p>
  );
}

/** A message that was sent while the turn ran. It is one line, so that the turn stays one unit. */
export function SteerMarker({ item }: { item: TurnItemOf<'user_message'> }) {
  return (
    <>
      <div class="marker" data-testid="steer-message">
        <Icon name="arrow-right" />
        <span>
          {t('You added:')} <q>{firstLine(textOfInput(item.content), 400)}</q>
        </span>
        <span class="marker-line" />
      </div>
      <SentChips content={item.content} />
      <Unsent item={item} />
    </>
  );
}
