import type { CodePosition, CodeSymbol, Languages, RenameAnswer } from '../../src/core/ports.ts';

/** Language extensions that only return what a test has set. Paths are relative to the folder that `at` knows. */
export class FakeLanguages implements Languages {
  readonly requests: string[] = [];
  known = true;
  settled = 0;
  silences = 0;
  mostSilences = 2;
  patience = Infinity;
  at: (name: string) => string = (name) => name;
  places: readonly (readonly [name: string, line: number, column?: number])[] = [];
  symbols: readonly Partial<CodeSymbol>[] = [];
  hover: readonly string[] = [];
  withProblems: readonly string[] = ['lib.ts', '.env'];
  renamed: RenameAnswer = { type: 'refused', message: 'No result.' };

  async open(path: string) {
    this.requests.push(`open ${this.#name(path)}`);
  }
  async settle() {
    this.settled++;
  }
  hasAnswered() {
    return this.known;
  }
  isSilent() {
    return this.silences >= this.mostSilences;
  }
  patienceFor() {
    return this.patience;
  }
  noteSilence() {
    this.silences++;
  }
  async find(relation: string, at: CodePosition): Promise<readonly CodePosition[]> {
    this.requests.push(`${relation} ${this.#name(at.path)}:${at.line}:${at.column}`);
    return this.places.map(([name, line, column = 0]) => ({ path: this.at(name), line, column }));
  }
  async describe() {
    return this.hover;
  }
  async outline(path: string) {
    return this.#symbols().filter((symbol) => symbol.path === path);
  }
  async search() {
    return this.#symbols();
  }
  async rename(at: CodePosition, newName: string) {
    this.requests.push(`rename ${this.#name(at.path)}:${at.line}:${at.column} ${newName}`);
    return this.renamed;
  }
  problems(path?: string) {
    const problem = { severity: 'error', line: 1, column: 2, message: 'wrong', origin: 'ts 1', lineText: '' } as const;
    const all = this.withProblems.map((name) => ({ path: this.at(name), problems: [problem] }));
    return all.filter((file) => path === undefined || file.path === path);
  }
  #name(path: string) {
    return path.replace(`${this.at('')}/`, '');
  }
  #symbols(): readonly CodeSymbol[] {
    return this.symbols.map(({ path = 'lib.ts', ...symbol }) => ({
      ...{ line: 1, column: 0, name: 'load', kind: 'function', container: '' },
      ...symbol,
      path: this.at(path),
    }));
  }
}
