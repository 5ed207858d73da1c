import { createHash } from 'node:crypto';
import * as z from 'zod';
import type * as vscode from 'vscode';
import type { ProposedFile } from '../../core/ports.ts';
import { type ProposalChoices, proposalChoicesSchema } from '../../protocol/policy.ts';

const KEY = 'tiller.reviews';
/** Number of proposals; those of stopped turns are never answered. */
const MAX_KEPT = 20;

const keptSchema = z.array(z.tuple([z.string(), proposalChoicesSchema]));

/**
 * Stores the choices of pending proposals over a reload of the window: the same proposal is asked again then, and
 * starts with these choices.
 */
export class KeptReviews {
  readonly #memento: Pick<vscode.Memento, 'get' | 'update'>;

  constructor(memento: Pick<vscode.Memento, 'get' | 'update'>) {
    this.#memento = memento;
  }

  of(files: readonly ProposedFile[]): ProposalChoices | undefined {
    const name = nameOf(files);
    return this.#all.find(([known]) => known === name)?.[1];
  }

  /** `undefined`: the user has made no choice, or the proposal is answered. */
  keep(files: readonly ProposedFile[], review: ProposalChoices | undefined): void {
    const name = nameOf(files);
    const all = this.#all;
    const others = all.filter(([known]) => known !== name);
    if (review === undefined && others.length === all.length) return;
    const kept = review === undefined ? others : [...others, [name, review]];
    void this.#memento.update(KEY, kept.slice(-MAX_KEPT));
  }

  get #all(): readonly (readonly [string, ProposalChoices])[] {
    const parsed = keptSchema.safeParse(this.#memento.get(KEY));
    return parsed.success ? parsed.data : [];
  }
}

/** A hash of the whole content, so that a changed proposal has another name. */
function nameOf(files: readonly ProposedFile[]): string {
  return createHash('sha256')
    .update(JSON.stringify(files.map(({ change }) => change)))
    .digest('hex');
}
