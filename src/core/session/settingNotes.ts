import type { TurnSettings } from '../../protocol/event.ts';
import type { ThreadState } from '../../protocol/thread.ts';
import { settingsWithoutEffect } from '../model/abilities.ts';
import type { Verbosity } from '../model/families.ts';
import type { ConnectedModel } from '../model/modelClientFactory.ts';

/** Notes on model settings that a thread has shown: each sentence is shown once, also after a resume. */
export class SettingNotes {
  readonly #shown: Set<string>;

  /** `state` is the thread before this process. */
  constructor({ warnings, turns }: Pick<ThreadState, 'warnings' | 'turns'>) {
    const shown = [...warnings, ...turns.flatMap((turn) => turn.warnings)];
    this.#shown = new Set(shown.map(({ message }) => message));
  }

  /** Sentences to show in a turn under these settings; from then on they count as shown. */
  take(
    { model, effort, summary }: Pick<TurnSettings, 'model' | 'effort' | 'summary'>,
    verbosity: Verbosity | null,
    { family, notes = [] }: Pick<ConnectedModel, 'family' | 'notes'>,
  ): readonly string[] {
    const all = [...notes, ...settingsWithoutEffect(model, family, { effort, summary, verbosity })];
    const fresh = all.filter((note) => !this.#shown.has(note));
    for (const note of fresh) this.#shown.add(note);
    return fresh;
  }
}
