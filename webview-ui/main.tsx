/** Renders the panel and connects it: bridge, clock, announcements, font settings. */
import { effect } from '@preact/signals';
import { render } from 'preact';
import type { HostMessage, HostMessageOf } from '../src/protocol/wire.ts';
import { onNewLine, partImages, withImages } from '../src/protocol/draft.ts';
import { hasDraft, isDraftNewer, keepDraft, moveDraftToThread } from './actions.ts';
import { announceNews } from './announce.ts';
import { connect, type PanelState, savedState, saveState } from './bridge.ts';
import { App } from './app/App.tsx';
import { focusBack, keepFocus } from './app/keepFocus.ts';
import './styles/main.css';
import {
  attachments,
  begins,
  backgroundProcesses,
  composerFocus,
  draft,
  draftEdit,
  isRunning,
  receive,
  settings,
  threadId,
  tokenCount,
} from './store.ts';
import { receiveImageFile } from './composer/images.ts';
import { receiveModels } from './composer/modelMenu.ts';
import { receiveRows } from './composer/suggestions.ts';
import { receiveThreadUpdate } from './threads/store.ts';
import { now, openPopup } from './view.ts';

/**
 * Sets the font of the chat. VS Code does not pass `--vscode-chat-font-*` to webviews, so the host sends the values and
 * a constructed style sheet sets them.
 */
function followFontSettings(): void {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  effect(() => {
    const { fontSize = null, fontFamily = null } = settings.value ?? {};
    const size = fontSize === null ? '' : `--vscode-chat-font-size: ${fontSize}px;`;
    const family = fontFamily === null ? '' : `--vscode-chat-font-family: ${fontFamily};`;
    sheet.replaceSync(`:root { ${size} ${family} }`);
  });
}

function runClock(): void {
  effect(() => {
    if (!isRunning.value && backgroundProcesses.value.length === 0) return;
    now.value = Date.now();
    const timer = setInterval(() => (now.value = Date.now()), 1_000);
    return () => clearInterval(timer);
  });
}

/**
 * Closes the open popup when another thread is shown, and the meter's when there is no usage. A popup that was opened
 * before the thread began stays open.
 */
function closePopups(): void {
  let before = threadId.peek();
  effect(() => {
    const isOtherThread = before !== null && threadId.value !== before;
    before = threadId.value;
    const isUnused = (tokenCount.value?.last.total ?? 0) === 0;
    const open = openPopup.peek();
    if (open === null || !(isOtherThread || (isUnused && open === 'meter'))) return;
    openPopup.value = null;
    // The closed popup had the focus.
    composerFocus.value++;
  });
}

/** Saves the draft in the webview's state, so that it survives even if the host has not got the last keys. */
function saveDraft(): void {
  effect(() => {
    const { parts } = partImages({ edit: draftEdit.value, attachments: attachments.value });
    const state = { threadId: threadId.value, draft: draft.value, ...parts };
    if (settings.value === null) return;
    const saved = savedState();
    const place = saved?.threadId === state.threadId ? (saved.place ?? null) : null;
    saveState({ ...state, place });
  });
}

/** Keeps this page's draft of the thread unless another page changed the draft last. */
function withOwnDraft(message: HostMessage): HostMessage {
  if (message.type !== 'snapshot') return message;
  const id = message.thread?.threadId ?? null;
  // The host sent this snapshot before it got the page's newer draft.
  if (threadId.value === id && isDraftNewer(id, message.draftCount)) {
    return { ...message, draft: draft.value, edit: draftEdit.value, attachments: attachments.value };
  }
  const saved = savedState();
  return message.isDraftOfOther === true || saved?.threadId !== id ? message : withSavedDraft(message, saved);
}

function withSavedDraft(message: HostMessageOf<'snapshot'>, saved: PanelState): HostMessage {
  const { draft } = saved;
  const kept = { edit: saved.edit ?? null, attachments: saved.attachments ?? [] };
  const { edit, attachments } = withImages(kept, partImages(message).images);
  if (edit === null) return draft === '' ? message : { ...message, draft, edit, attachments };
  if (edit.id === message.edit?.id) return { ...message, draft, edit, attachments };
  // The host has already sent the edited message.
  if (edit.type === 'sent') return message;
  // The message is no longer queued. The host has put its copy of the edit into the draft.
  return draft.trim() === '' || draft === edit.original ? message : { ...message, draft: onNewLine(edit.draft, draft) };
}

/** Handles a message of the host. A draft that the message changes is sent to the host as if the user had typed it. */
function receiveAll(message: HostMessage): void {
  // This page has a newer draft, which the host will get and send to the other page.
  if (message.type === 'draft' && isDraftNewer(threadId.value, message.draftCount)) return;
  receiveThreadUpdate(message);
  receiveModels(message);
  if (message.type === 'focus_back') focusBack();
  receiveImageFile(message);
  const movesDraft = message.type === 'snapshot' && begins(message);
  const [text, edit, attached] = [draft.value, draftEdit.value, attachments.value];
  receive(withOwnDraft(message));
  receiveRows(message);
  if (movesDraft && hasDraft()) moveDraftToThread();
  if (
    message.type !== 'snapshot' &&
    message.type !== 'draft' &&
    (draft.value !== text || draftEdit.value !== edit || attachments.value !== attached)
  )
    keepDraft();
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root.');
followFontSettings();
runClock();
closePopups();
saveDraft();
announceNews();
keepFocus();
render(<App />, root);
connect(receiveAll);
