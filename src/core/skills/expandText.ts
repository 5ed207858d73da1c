/** Fills in the text that the user has written behind the name of a skill or a prompt. */

/** The forms of Claude Code and Codex (`$ARGUMENTS`, `$1`, `$NAME`) and of VS Code (`${input:name}`, `${input:name:hint}`). */
const PLACEHOLDER =
  /\$\{input:(?<input>[\w.-]+)(?::[^{}]*)?\}|\$\{(?<variable>\w+)\}|\$ARGUMENTS\b(?:\[(?<index>\d{1,3})\])?|\$(?<place>[1-9])(?!\d)|\$(?<name>[A-Z][A-Z0-9_]*)\b/g;

export interface ExpandedText {
  readonly text: string;
  /** Names of `${input:name}` for which there is no value. */
  readonly missing: readonly string[];
}

export interface TextPlace {
  /** The working directory. */
  readonly cwd: string;
  /** The folder of the file. */
  readonly folder: string;
  /** True for a skill, whose text the model otherwise reads unchanged: `$1` there may be a part of a script. */
  readonly onlyWhole: boolean;
}

/**
 * Replaces each placeholder once: the user's text is not searched for others. With `onlyWhole` only `$ARGUMENTS` and
 * folders are replaced. Arguments that no placeholder takes are appended.
 */
export function expandText(text: string, args: string, { cwd, folder, onlyWhole }: TextPlace): ExpandedText {
  const inputs = [...new Set([...text.matchAll(PLACEHOLDER)].flatMap(({ groups }) => groups?.['input'] ?? []))];
  const { named, positional } = readArguments(args, inputs);
  const unnamed = inputs.filter((name) => !named.has(name));
  const missing = new Set<string>();
  let isTaken = args === '';
  const taken = (value: string) => {
    isTaken = true;
    return value;
  };
  const inputValue = (name: string): string => {
    const index = unnamed.indexOf(name);
    const value = named.get(name) ?? (unnamed.length === 1 ? positional.join(' ') : positional[index]);
    if (value) return taken(value);
    missing.add(name);
    return `[no value for ${name}]`;
  };
  const replaced = text.replaceAll(PLACEHOLDER, (whole: string, ...rest: unknown[]) => {
    const { input, variable, index, place, name } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    if (variable !== undefined) return variableOf(variable, cwd, folder) ?? whole;
    if (whole.startsWith('$ARGUMENTS')) return taken(index === undefined ? args : (positional[Number(index)] ?? ''));
    if (onlyWhole) return whole;
    if (input !== undefined) return inputValue(input);
    if (place !== undefined) return taken(positional[Number(place) - 1] ?? '');
    const value = name === undefined ? undefined : named.get(name);
    return value === undefined ? whole : taken(value);
  });
  return { text: isTaken ? replaced : `${replaced}\n\nARGUMENTS: ${args}`, missing: [...missing] };
}

function variableOf(name: string, cwd: string, folder: string): string | undefined {
  if (name === 'workspaceFolder') return cwd;
  return name === 'CLAUDE_SKILL_DIR' ? folder : undefined;
}

/** `name=value` is an argument of its own for the names of inputs, and for names in capitals. */
function readArguments(
  args: string,
  inputs: readonly string[],
): { readonly named: ReadonlyMap<string, string>; readonly positional: readonly string[] } {
  const named = new Map<string, string>();
  const positional: string[] = [];
  for (const word of wordsIn(args)) {
    const [, name = '', value = ''] = /^([\w.-]+)=([^]*)$/.exec(word) ?? [];
    if (inputs.includes(name) || /^[A-Z][A-Z0-9_]*$/.test(name)) named.set(name, value);
    else positional.push(word);
  }
  return { named, positional };
}

/** Splits at spaces; quotes around a word, or around the value behind `name=`, keep it whole. */
function wordsIn(args: string): readonly string[] {
  const words = args.matchAll(/([\w.-]+=)?(?:"([^"]*)"|'([^']*)')(?=\s|$)|(\S+)/g);
  return [...words].map(([, name = '', one, other, plain = '']) => `${name}${one ?? other ?? plain}`);
}

/** Returns true if the text names files that Claude Code (`@src/a.ts`) or VS Code (`#file:src/a.ts`) would attach. */
export function namesFiles(text: string): boolean {
  // One quantifier: a hostile text must not take long.
  const named = [...text.matchAll(/(?:^|[\s("'`])(?:@([\w~./-]+)|#file:\S)/g)];
  return named.some(([, name]) => name === undefined || /[./]\w/.test(name));
}

/**
 * Returns true if Claude Code would run commands of the text before the model reads it: !`command`, or a block that
 * begins ```!.
 */
export function hasCommands(text: string): boolean {
  return /(?:^|[\s(])!`[^`\n]+`/.test(text) || /^```!/m.test(text);
}
