import * as z from 'zod';
import { reasoningEffortSchema } from '../../protocol/op.ts';
import type { TurnSettings } from '../../protocol/event.ts';
import type { ChatMode } from '../../protocol/policy.ts';
import { modeOf } from './modes.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

const rememberedSchema = lazyObject(() => ({
  provider: z.string(),
  model: z.string(),
  effort: reasoningEffortSchema.nullable(),
}));
export type RememberedModel = z.infer<typeof rememberedSchema>;

const KEY = 'tiller.modelOfMode';
const storedSchema = z.record(z.string(), rememberedSchema).catch({});

interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): Thenable<void>;
}

/** The model and the effort that the last turn in each chat mode had, for all windows of the user. */
export class ModeMemory {
  readonly #memento: Memento;

  constructor(memento: Memento) {
    this.#memento = memento;
  }

  /** Call for each turn that starts. `provider`: its id. A pair of policy and sandbox without a name is no mode. */
  async note(turn: TurnSettings, provider: string): Promise<void> {
    const mode = modeOf(turn);
    if (mode === null) return;
    const { model, effort } = turn;
    const stored = this.#stored();
    const before = stored[mode];
    if (before?.provider === provider && before.model === model && before.effort === effort) return;
    await this.#memento.update(KEY, { ...stored, [mode]: { provider, model, effort } });
  }

  of(mode: ChatMode): RememberedModel | undefined {
    return this.#stored()[mode];
  }

  #stored(): Readonly<Record<string, RememberedModel>> {
    return storedSchema.parse(this.#memento.get(KEY) ?? {});
  }
}
