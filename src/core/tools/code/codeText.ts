/** The text of files as language extensions see it: with unsaved edits. Files that the model may not read have none. */
import { WorkspaceError } from '../../ports.ts';
import { linkedSecrets, type ReadGuard, readLimitsOf } from '../files/readGuard.ts';
import type { ToolContext } from '../handler.ts';

/** `hidden`: it may not be read. `missing`: it is not there, or not text. */
export type CodeText = readonly string[] | 'hidden' | 'missing';

type CodeTextContext = Pick<ToolContext, 'workspace' | 'signal' | 'host'> & Parameters<typeof readLimitsOf>[0];

export class CodeTexts {
  readonly #guard: ReadGuard;
  readonly #context: CodeTextContext;
  readonly #known = new Map<string, CodeText>();

  constructor(guard: ReadGuard, context: CodeTextContext) {
    this.#guard = guard;
    this.#context = context;
  }

  /** Lines without their ends, by path. Each file is read once. */
  async read(paths: readonly string[]): Promise<ReadonlyMap<string, CodeText>> {
    const { workspace, signal } = this.#context;
    const wanted = [...new Set(paths)].filter((path) => !this.#known.has(path));
    const places = await workspace.places(wanted);
    const named = [...places].flatMap(([path, place]) => {
      if (place instanceof WorkspaceError) {
        this.#known.set(path, this.#guard([path]) === undefined ? 'missing' : 'hidden');
        return [];
      }
      if (this.#guard([path, place.name, place.target]) === undefined) return [[path, place] as const];
      this.#known.set(path, 'hidden');
      return [];
    });
    const targets = named.map(([, { target }]) => target);
    const linked = await linkedSecrets(targets, this.#guard, readLimitsOf(this.#context), this.#context);
    for (const [path, { target }] of named) if (linked.has(target)) this.#known.set(path, 'hidden');
    const readable = named.filter(([, { target }]) => !linked.has(target));
    for (const [path, file] of await workspace.readPlaces(new Map(readable), signal)) {
      this.#known.set(path, file instanceof WorkspaceError ? 'missing' : file.text.split(/\r\n|\r|\n/));
    }
    return new Map(paths.map((path) => [path, this.#known.get(path) ?? 'missing']));
  }

  async of(path: string): Promise<CodeText> {
    return (await this.read([path])).get(path) ?? 'missing';
  }
}
