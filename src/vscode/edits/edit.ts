/** One edit at the cursor, as its views show it. */
import * as vscode from 'vscode';
import type { EditProgress } from '../../core/agent/editThread.ts';
import type { LineRange } from '../../protocol/lineRange.ts';
import { inOneLine } from '../../protocol/text/truncate.ts';

export type EditState =
  | { readonly type: 'running'; readonly progress: EditProgress }
  /** Applied, and the model is done. */
  | { readonly type: 'changed' }
  /** The model has changed other files only. */
  | { readonly type: 'changed_elsewhere'; readonly paths: readonly string[] }
  /** The model has changed no file. */
  | { readonly type: 'answered'; readonly text: string }
  /** `Edit.hunks` are its changes before the failure. */
  | { readonly type: 'failed'; readonly message: string };

export interface Edit {
  readonly id: number;
  readonly uri: vscode.Uri;
  readonly instruction: string;
  /** Follows the edits of the document. */
  readonly lines: LineRange;
  /** The hunks under review that this edit has made; empty before it is applied. */
  readonly hunks: readonly number[];
  /** `undefined` until its thread is started. */
  readonly threadId: string | undefined;
  readonly state: EditState;
}

/** In characters: a code lens has one line. */
const SENTENCE_LENGTH = 110;
const INSTRUCTION_LENGTH = 50;

/** Returns the state or the outcome of an edit, in one line. */
export function sentenceOf({ state, instruction }: Pick<Edit, 'state' | 'instruction'>): string {
  const asked = inOneLine(instruction, INSTRUCTION_LENGTH);
  switch (state.type) {
    case 'running':
      return progressOf(state.progress, asked);
    case 'changed':
      return vscode.l10n.t('Tiller: {0}', asked);
    case 'changed_elsewhere': {
      const names = state.paths.map((path) => vscode.workspace.asRelativePath(path)).join(', ');
      return vscode.l10n.t('Tiller has changed only other files: {0}', inOneLine(names, SENTENCE_LENGTH));
    }
    case 'answered': {
      const text = inOneLine(state.text, SENTENCE_LENGTH);
      return text === ''
        ? vscode.l10n.t('Tiller has changed nothing.')
        : vscode.l10n.t('Tiller has changed nothing: {0}', text);
    }
    case 'failed':
      return vscode.l10n.t('The edit failed: {0}', inOneLine(state.message, SENTENCE_LENGTH));
  }
}

function progressOf(progress: EditProgress, asked: string): string {
  switch (progress.type) {
    case 'thinking':
      return vscode.l10n.t('Tiller is working: {0}', asked);
    case 'writing':
      return vscode.l10n.t('Tiller is writing, {0} lines: {1}', progress.lines, asked);
    case 'asking':
      return vscode.l10n.t('Tiller wants to make this change: {0}', asked);
    case 'waiting':
      return vscode.l10n.t('Tiller waits for your answer: {0}', asked);
    case 'applied':
      return vscode.l10n.t('Tiller is checking the change: {0}', asked);
  }
}

/** Returns true while the model may still act. */
export function isRunning({ state }: Pick<Edit, 'state'>): boolean {
  return state.type === 'running';
}

/** The approval that the edit waits for. */
export function approvalOf({ state }: Pick<Edit, 'state'>): string | undefined {
  return state.type === 'running' && state.progress.type === 'asking' ? state.progress.approvalId : undefined;
}
