import * as z from 'zod';

const usedSchema = z.array(z.object({ provider: z.string(), model: z.string() })).catch([]);
export type UsedModel = z.infer<typeof usedSchema>[number];

const KEY = 'tiller.usedModels';
/** The most models that are kept. */
const KEPT = 50;

interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): Thenable<void>;
}

/** The models that the user has chosen or run turns with, the last one first, for all windows of the user. */
export class UsedModels {
  readonly #memento: Memento;

  constructor(memento: Memento) {
    this.#memento = memento;
  }

  get all(): readonly UsedModel[] {
    return usedSchema.parse(this.#memento.get(KEY) ?? []);
  }

  async note(provider: string, model: string): Promise<void> {
    const [last] = this.all;
    if (last?.provider === provider && last.model === model) return;
    const others = this.all.filter((used) => used.provider !== provider || used.model !== model);
    await this.#memento.update(KEY, [{ provider, model }, ...others].slice(0, KEPT));
  }

  /** Call when a provider was removed. */
  async forget(provider: string): Promise<void> {
    const others = this.all.filter((used) => used.provider !== provider);
    if (others.length < this.all.length) await this.#memento.update(KEY, others);
  }
}
