/** Puts the panel on the page and keeps it going: door, clock, voice, type size. */
import { effect } from '@preact/signals';
import { render } from 'preact';
import type { HostMessage } from '../src/protocol/wire.ts';
import { onNewLine } from '../src/protocol/draft.ts';
import { keepDraft } from './actions.ts';
import { announceNews } from './announce.ts';
import { connect, savedState, saveState } from './bridge.ts';
import { App } from './app/App.tsx';
import './styles/main.css';
import { backgroundProcesses, draft, isRunning, queuedEdit, receive, settings, threadId } from './store.ts';
import { receiveThreadUpdate } from './threads/store.ts';
import { followsEnd, now } from './view.ts';

/** `--vscode-chat-font-*` are not passed to webviews: the host sends them, a constructed sheet sets them (NOTES). */
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

/** The draft survives the webview even when the host was not told in time. */
function saveDraft(): void {
  effect(() => {
    const state = { threadId: threadId.value, draft: draft.value, edit: queuedEdit.value };
    if (settings.value === null) return;
    const saved = savedState();
    const scrollTop = saved?.threadId === state.threadId && !followsEnd.peek() ? saved.scrollTop : null;
    saveState({ ...state, scrollTop });
  });
}

/** Of two drafts of one thread the one of this page is the newer. */
function withSavedDraft(message: HostMessage): HostMessage {
  const saved = savedState();
  if (message.type !== 'snapshot' || saved?.threadId !== (message.thread?.threadId ?? null)) return message;
  const { draft, edit = null } = saved;
  if (edit === null) return draft === '' ? message : { ...message, draft, edit };
  if (edit.id === message.edit?.id) return { ...message, draft, edit };
  // The message is not queued any more. The host has put into the draft what it knew of the edit.
  return draft.trim() === '' || draft === edit.original ? message : { ...message, draft: onNewLine(edit.draft, draft) };
}

/** What a message of the host has changed in the draft is kept as if it were typed. */
function receiveAll(message: HostMessage): void {
  receiveThreadUpdate(message);
  const [text, edit] = [draft.value, queuedEdit.value];
  receive(withSavedDraft(message));
  if (message.type !== 'snapshot' && (draft.value !== text || queuedEdit.value !== edit)) keepDraft();
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root.');
followFontSettings();
runClock();
saveDraft();
announceNews();
render(<App />, root);
connect(receiveAll);
