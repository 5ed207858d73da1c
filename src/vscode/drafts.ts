import type * as vscode from 'vscode';
import { ownValue } from '../protocol/ownValue.ts';

const DRAFTS = 'tiller.drafts';
/** The key of what is being written to a thread that does not exist yet. */
const NEW_THREAD = '';
/** Threads whose unsent words are kept; the oldest go first. */
const KEPT = 50;

/** What a person has begun to write, by thread, until it is sent. */
export class Drafts {
  readonly #memento: vscode.Memento;

  constructor(memento: vscode.Memento) {
    this.#memento = memento;
  }

  get(threadId: string | null): string {
    return ownValue(this.#all(), threadId ?? NEW_THREAD) ?? '';
  }

  set(threadId: string | null, text: string): void {
    const { [threadId ?? NEW_THREAD]: _before, ...others } = this.#all();
    const kept = Object.fromEntries(Object.entries(others).slice(1 - KEPT));
    void this.#memento.update(DRAFTS, text === '' ? kept : { ...kept, [threadId ?? NEW_THREAD]: text });
  }

  /** Puts words back that were never heard. */
  append(threadId: string, text: string): void {
    const before = this.get(threadId);
    this.set(threadId, before === '' ? text : `${before}\n${text}`);
  }

  #all(): Readonly<Record<string, string>> {
    return this.#memento.get<Readonly<Record<string, string>>>(DRAFTS, {});
  }
}
