/** The text of files as language extensions see it: with unsaved edits. Files that the model may not read have none. */
import { type FilePlace, WorkspaceError } from '../../ports.ts';
import { type ReadGuard, type readLimitsOf, refusalsAmong } from '../files/readGuard.ts';
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
    const refusals = await refusalsAmong(places, this.#guard, this.#context);
    const readable = new Map<string, FilePlace>();
    for (const [path, place] of places) {
      if (refusals.has(path)) this.#known.set(path, 'hidden');
      else if (place instanceof WorkspaceError) this.#known.set(path, 'missing');
      else readable.set(path, place);
    }
    for (const [path, file] of await workspace.readPlaces(readable, signal)) {
      this.#known.set(path, file instanceof WorkspaceError ? 'missing' : file.text.split(/\r\n|\r|\n/));
    }
    return new Map(paths.map((path) => [path, this.#known.get(path) ?? 'missing']));
  }

  async of(path: string): Promise<CodeText> {
    return (await this.read([path])).get(path) ?? 'missing';
  }
}
