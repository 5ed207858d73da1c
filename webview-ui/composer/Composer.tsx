import { useEffect, useRef } from 'preact/hooks';
import { cancelEdit, interrupt, pick, sendDraft, setDraft, stopAndSendDraft } from '../actions.ts';
import { openSearch } from './historySearch.ts';
import { t } from '../l10n.ts';
import { composerFocus, draft, isOwn, isRunning, queuedEdit, settings, waiting } from '../store.ts';
import { recallKey } from './recall.ts';
import { noteTyping } from '../view.ts';
import { IconButton } from '../components/Buttons.tsx';
import { ContextMeter } from './ContextMeter.tsx';
import { HistorySearch, isSearchKey } from './HistorySearch.tsx';
import { Icon } from '../components/Icon.tsx';
import { Pickers } from './Pickers.tsx';

/** A growing text area, and a row of controls. Enter sends, Shift+Enter starts a line, Esc stops, Ctrl+R searches. */
export function Composer() {
  const field = useRef<HTMLTextAreaElement>(null);
  const isDisabled = !settings.value?.model || !settings.value.hasWorkspace || !isOwn.value;
  useEffect(() => {
    if (composerFocus.value > 0) field.current?.focus();
  }, [composerFocus.value]);
  return (
    <div class="composer-wrap">
      <HistorySearch />
      <form
        class="composer"
        aria-label={t('Message')}
        onSubmit={(event) => {
          event.preventDefault();
          sendDraft();
          // The button disappears with the draft; in the field Esc stops the turn.
          field.current?.focus();
        }}
      >
        <div class="grow">
          <Mirror text={draft.value || placeholder()} />
          <textarea
            ref={field}
            rows={1}
            data-testid="composer-input"
            aria-label={t('Message Tiller')}
            placeholder={placeholder()}
            disabled={isDisabled}
            value={draft.value}
            onInput={({ currentTarget }) => setDraft(currentTarget.value)}
            onKeyDown={onKeyDown}
          />
        </div>
        <div class="tools">
          <IconButton testid="composer-add" icon="add" label={t('Add context')} onClick={() => pick('context')} />
          <Pickers />
          <span class="tools-end">
            <ContextMeter />
            <SendAndStop
              onStop={() => {
                interrupt();
                field.current?.focus();
              }}
            />
          </span>
        </div>
      </form>
    </div>
  );
}

/** A copy of the text behind the field, which gives the field its height. */
function Mirror({ text }: { text: string }) {
  return (
    <div class="grow-mirror" aria-hidden="true">
      {text}
      {'\u200b'}
    </div>
  );
}

function SendAndStop({ onStop }: { onStop: () => void }) {
  const hasText = draft.value.trim() !== '';
  const isReady = hasText && waiting.value.length === 0;
  const label = isRunning.value
    ? t('Send to the running turn (Enter), or stop it and send (Ctrl+Enter)')
    : t('Send (Enter)');
  return (
    <>
      {(hasText || !isRunning.value || !isOwn.value) && (
        <button
          type="submit"
          class={isReady ? 'ibtn send is-ready' : 'ibtn send'}
          data-testid="composer-send"
          title={label}
          aria-label={label}
          disabled={!hasText}
        >
          <Icon name="arrow-up" />
        </button>
      )}
      {isRunning.value && isOwn.value && (
        <button
          type="button"
          class="ibtn send is-stop"
          data-testid="composer-stop"
          title={t('Stop (Esc)')}
          aria-label={t('Stop (Esc)')}
          onClick={onStop}
        >
          <Icon name="debug-stop" />
        </button>
      )}
    </>
  );
}

function placeholder(): string {
  const { value } = settings;
  if (value === null) return '';
  if (!isOwn.value) return t('This thread can only be read here');
  if (!value.hasWorkspace) return t('Open a folder first');
  if (value.model === null) return t('Choose a model first');
  if (!value.trusted) return t('Ask a question');
  if (queuedEdit.value !== null) return t('Edit queued message (Esc to cancel)');
  return isRunning.value ? t('Add a follow-up (Ctrl+Enter to stop and send)') : t('Ask Tiller to change something');
}

/** Does not handle Ctrl+Enter while a request is pending: the host approves with it. */
function onKeyDown(event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): void {
  noteTyping();
  if (event.isComposing) return;
  if (isSearchKey(event)) {
    event.preventDefault();
    event.stopPropagation();
    return openSearch();
  }
  const isModified = event.ctrlKey || event.metaKey;
  if (event.key === 'Enter' && !event.shiftKey && !event.altKey && !(isModified && waiting.value.length > 0)) {
    event.preventDefault();
    if (isModified && isRunning.value && queuedEdit.value === null) stopAndSendDraft();
    else sendDraft();
  } else if (event.key === 'Escape' && queuedEdit.value !== null) {
    event.preventDefault();
    cancelEdit();
  } else if (event.key === 'Escape' && isRunning.value) {
    event.preventDefault();
    interrupt();
  } else if (!isModified && !event.shiftKey && !event.altKey) recallKey(event);
}
