/** State and actions of the page "Rules and Approvals". */
import { batch, computed, signal } from '@preact/signals';
import type { CommandExplanation, RuleEdit, RuleEntry } from '../../src/protocol/rules.ts';
import type { RulesHostMessage, RulesPageMessage, RulesPageState } from '../../src/protocol/rulesWire.ts';
import { folderInWorkspace, insideOf } from '../../src/protocol/text/relativizePaths.ts';
import { setTexts } from '../l10n.ts';
import { openPage } from '../page.ts';

type RuleFormState = { readonly type: 'new' } | { readonly type: 'change'; readonly entry: RuleEntry } | null;

export const state = signal<RulesPageState | null>(null);
export const now = signal(Date.now());
/** The rule that is being edited; `null` for none. */
export const form = signal<RuleFormState>(null);
/** The reason why the last edit failed. */
export const refusal = signal<string | null>(null);

/** The command in the test field, and its explanation. */
export const tried = signal('');
const explained = signal<{ readonly command: string; readonly explanation: CommandExplanation } | null>(null);
export const explanation = computed(() =>
  explained.value?.command === tried.value ? explained.value.explanation : null,
);

/** Returns a sentence in which paths inside the workspace folder are relative to it. */
export function inWorkspace(sentence: string): string {
  return insideOf(state.value?.workspaceFolder ?? undefined, sentence);
}

/** See `folderInWorkspace`. */
export function shownFolder(folder: string): string | null {
  const { workspaceFolder = null, workspaceName = null } = state.value ?? {};
  return folderInWorkspace(
    folder,
    workspaceFolder === null ? [] : [{ path: workspaceFolder, name: workspaceName ?? '' }],
  );
}

const post = openPage<RulesHostMessage, RulesPageMessage>((message) => batch(() => take(message)));
let edits = 0;

function take(message: RulesHostMessage): void {
  switch (message.type) {
    case 'rules':
      setTexts(message.texts);
      state.value = message.state;
      now.value = Date.now();
      // The rules may have changed.
      explain(tried.value);
      break;
    case 'edited':
      if (message.requestId !== edits) break;
      refusal.value = message.result.type === 'refused' ? message.result.message : null;
      if (message.result.type === 'done') form.value = null;
      break;
    case 'explained':
      explained.value = message;
      break;
  }
}

/** Asks the host for the state. Call once the page can receive messages. */
export function begin(): void {
  post({ type: 'ready' });
}

/** Asks the host to edit the rules. If it refuses, `refusal` has the reason. */
export function edit(wanted: RuleEdit): void {
  refusal.value = null;
  post({ type: 'edit', requestId: ++edits, edit: wanted });
}

/** Asks how the rules decide about a command; the answer arrives in `explained`. */
export function explain(command: string): void {
  tried.value = command;
  if (command.trim() !== '') post({ type: 'explain', command });
}

/** Opens a rule file in an editor. `line`: from 1. */
export function openFile(path: string, line?: number): void {
  post({ type: 'open_file', path, ...(line === undefined ? {} : { line }) });
}

/** Opens the picker for rules of other agents. */
export function importRules(): void {
  post({ type: 'import' });
}

/** Opens the page of the audit log. */
export function showAudit(): void {
  post({ type: 'show_audit' });
}

/** Opens the form for a rule, without the refusal of the edit before. */
export function openForm(next: RuleFormState): void {
  refusal.value = null;
  form.value = next;
}
