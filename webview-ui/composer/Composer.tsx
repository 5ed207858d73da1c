import type { ComponentChild } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { cancelEdit, hasDraft, interrupt, pick, sendDraft, setDraft, stopAndSendDraft } from '../actions.ts';
import { openSearch } from './historySearch.ts';
import { t } from '../l10n.ts';
import {
  attachments,
  composerFocus,
  draft,
  draftEdit,
  isOwn,
  isResending,
  isRunning,
  settings,
  waiting,
} from '../store.ts';
import { recallKey } from './recall.ts';
import { noteTyping, offersCommand } from '../view.ts';
import { IconButton } from '../components/Buttons.tsx';
import { ContextMeter } from './ContextMeter.tsx';
import { HistorySearch, isSearchKey } from './HistorySearch.tsx';
import { Icon } from '../components/Icon.tsx';
import { Pickers } from './Pickers.tsx';
import { LIST_ID, rowId, SuggestionList } from './SuggestionList.tsx';
import * as list from './suggestions.ts';
import { rangesOf } from '../text/attachments.ts';
import { Chips } from './Chips.tsx';
import { EditBar } from './EditBar.tsx';
import { dropFiles, isAttachable, pasteImages } from './dropAndPaste.ts';

/**
 * The composer: a text area that grows with its text, and a row of controls. Enter sends, Shift+Enter begins a line,
 * Esc stops the turn, Ctrl+R searches earlier messages.
 */
export function Composer() {
  const field = useRef<HTMLTextAreaElement>(null);
  /** True while an input method is composing text: no list is opened until it is done. */
  const composes = useRef(false);
  const isDisabled = !settings.value?.hasWorkspace || !isOwn.value;
  // A layout effect, because it runs before the paint and a card requests the focus after it: a card that arrives with
  // this request gets the focus last.
  useLayoutEffect(() => {
    if (composerFocus.value === 0 || field.current === null) return;
    field.current.focus();
    // Only after the user has selected a command. At any other focus Enter would run a command that the user has left
    // in the draft.
    if (offersCommand.current) list.offer(field.current.value);
    offersCommand.current = false;
  }, [composerFocus.value]);
  return (
    <div class="composer-wrap">
      <HistorySearch />
      <SuggestionList onTake={(suggestion) => field.current && take(field.current, suggestion)} />
      <form
        class="composer"
        aria-label={t('Message')}
        onDragOver={(event) => {
          if (event.dataTransfer !== null && isAttachable(event.dataTransfer)) event.preventDefault();
        }}
        onDrop={(event) => {
          if (event.dataTransfer === null || isDisabled || !dropFiles(event.dataTransfer)) return;
          event.preventDefault();
          field.current?.focus();
        }}
        onSubmit={(event) => {
          event.preventDefault();
          sendDraft();
          // The button disappears together with the draft, so the focus moves to the field. There, Esc stops the turn.
          field.current?.focus();
        }}
      >
        <EditBar />
        <Chips onRemoved={() => field.current?.focus()} />
        <div class="grow">
          <Mirror />
          <textarea
            ref={field}
            rows={1}
            dir="auto"
            data-testid="composer-input"
            aria-label={t('Message Tiller')}
            aria-autocomplete="list"
            aria-controls={list.isOpen.value ? LIST_ID : undefined}
            aria-activedescendant={list.active.value === null ? undefined : rowId(list.activeIndex.value)}
            autocomplete="off"
            placeholder={placeholder()}
            disabled={isDisabled}
            value={draft.value}
            onInput={(event) => {
              setDraft(event.currentTarget.value);
              if (!composes.current) lookAt(event.currentTarget);
            }}
            onPaste={(event) => {
              if (pasteImages(event.clipboardData)) event.preventDefault();
            }}
            onCompositionStart={() => (composes.current = true)}
            onCompositionEnd={({ currentTarget }) => {
              composes.current = false;
              lookAt(currentTarget);
            }}
            onSelect={({ currentTarget }) => composes.current || lookAt(currentTarget)}
            onFocus={({ currentTarget }) => list.comeBack(currentTarget.value)}
            onBlur={list.leave}
            onPointerDown={noteTyping}
            onKeyDown={onKeyDown}
          />
        </div>
        <div class="tools">
          <IconButton testid="composer-add" icon="add" label={t('Add Context')} onClick={() => pick('context')} />
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

/**
 * A copy of the text behind the field. It gives the field its height, and marks the attachments that the text names.
 */
function Mirror() {
  const text = draft.value;
  const parts: ComponentChild[] = [];
  let end = 0;
  for (const range of rangesOf(text, attachments.value)) {
    parts.push(text.slice(end, range.start), <mark key={range.start}>{text.slice(range.start, range.end)}</mark>);
    end = range.end;
  }
  return (
    <div class="grow-mirror" dir="auto" aria-hidden="true">
      {text === '' ? placeholder() : [...parts, text.slice(end)]}
      {'\u200b'}
    </div>
  );
}

function lookAt({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): void {
  list.look(value, selectionStart === selectionEnd ? selectionStart : null);
}

/** Inserts a suggestion in the way of typed text, so that the browser can undo it. */
function take(field: HTMLTextAreaElement, suggestion: list.Suggestion): void {
  const caret = field.selectionStart;
  const taken = list.take(suggestion);
  if (taken === undefined) return;
  if (taken.text !== '') field.focus();
  field.setSelectionRange(taken.start, Math.min(taken.end ?? caret, field.value.length));
  if (taken.text !== '') document.execCommand('insertText', false, taken.text);
  else if (document.activeElement === field) document.execCommand('delete');
  else setDraft('');
}

/** Handles a key of the open list. Returns false if the composer has to handle the key. */
function listKey(event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): boolean {
  if (!list.isOpen.value) return false;
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
  if (!isPlain) return false;
  if (event.key === 'Escape') list.dismiss();
  else if (list.active.value === null) return false;
  else if (event.key === 'ArrowDown') list.step(1);
  else if (event.key === 'ArrowUp') list.step(-1);
  else if (event.key === 'PageDown') list.moveTo(list.activeIndex.value + PAGE);
  else if (event.key === 'PageUp') list.moveTo(list.activeIndex.value - PAGE);
  else if (event.key === 'Enter' || event.key === 'Tab') take(event.currentTarget, list.active.value);
  else return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}

const PAGE = 8;

function SendAndStop({ onStop }: { onStop: () => void }) {
  const hasText = hasDraft();
  const isReady = hasText && waiting.value.length === 0;
  const label = sendLabel();
  return (
    <>
      {(hasText || !isRunning.value || !isOwn.value) && (
        <button
          type="submit"
          class={isReady ? 'ibtn send is-ready' : 'ibtn send'}
          data-testid="composer-send"
          title={label}
          aria-label={label}
          disabled={!hasText || isResending.value}
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

/** Returns true when Enter begins a line and Ctrl+Enter sends (the setting `tiller.sendKey`). */
function sendsByCtrlEnter(): boolean {
  return settings.value?.sendKey === 'ctrlEnter';
}

function sendLabel(): string {
  if (sendsByCtrlEnter()) {
    if (draftEdit.value?.type === 'sent') return t('Send in Place of the Message (Ctrl+Enter)');
    return isRunning.value ? t('Send to the running turn (Ctrl+Enter)') : t('Send (Ctrl+Enter)');
  }
  if (draftEdit.value?.type === 'sent') return t('Send in Place of the Message (Enter)');
  return isRunning.value ? t('Send to the running turn (Enter), or stop it and send (Ctrl+Enter)') : t('Send (Enter)');
}

function placeholder(): string {
  const { value } = settings;
  if (value === null) return '';
  if (!isOwn.value) return t('This thread is read-only');
  if (!value.hasWorkspace) return t('Open a folder first');
  if (!value.trusted) return t('Ask a question');
  if (draftEdit.value?.type === 'sent') return t('Edit message (Esc to cancel)');
  if (draftEdit.value !== null) return t('Edit queued message (Esc to cancel)');
  if (!isRunning.value) return t('Ask Tiller to change something (@ for context)');
  return sendsByCtrlEnter() ? t('Add a follow-up') : t('Add a follow-up (Ctrl+Enter to stop and send)');
}

/**
 * Handles the keys of the field. While a request is pending, Ctrl+Enter does nothing unless it is the key to send: the
 * user could mean it as an approval. With `sendsByCtrlEnter`, Enter alone is left to the field.
 */
function onKeyDown(event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): void {
  noteTyping();
  if (event.isComposing) return;
  if (listKey(event)) return;
  if (isSearchKey(event)) {
    event.preventDefault();
    event.stopPropagation();
    return openSearch();
  }
  const isModified = event.ctrlKey || event.metaKey;
  const isEnter = event.key === 'Enter' && !event.shiftKey && !event.altKey;
  if (isEnter && sendsByCtrlEnter()) {
    if (!isModified) return;
    event.preventDefault();
    sendDraft();
  } else if (isEnter && !(isModified && waiting.value.length > 0)) {
    event.preventDefault();
    if (isModified && isRunning.value && draftEdit.value === null) stopAndSendDraft();
    else sendDraft();
  } else if (event.key === 'Escape' && draftEdit.value !== null) {
    event.preventDefault();
    cancelEdit();
  } else if (event.key === 'Escape' && isRunning.value) {
    event.preventDefault();
    interrupt();
  } else if (!isModified && !event.shiftKey && !event.altKey) recallKey(event);
}
