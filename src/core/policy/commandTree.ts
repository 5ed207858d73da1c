/** A command with all the commands that it runs, parsed once, so that rules and heuristics see the same structure. */
import { isDangerous } from './dangerous.ts';
import { type Platform, isKnownSafe } from './knownSafe.ts';
import type { Argv, ParsedScript } from './parseScript.ts';
import { programName } from './programs.ts';
import { runsInput } from './runsInput.ts';
import { unwrapCommand } from './unwrapCommand.ts';

export type CommandClass = 'known-safe' | 'other' | 'dangerous';

export type CommandTree =
  | {
      readonly type: 'plain';
      readonly argv: Argv;
      readonly class: CommandClass;
      /** A here-document is its input: rules apply, but no rule is proposed (codex-behaviour.md §6.3 step 1). */
      readonly complex: boolean;
      /** The reason why the name does not decide the class: a clause that is appended to the decision reason. */
      readonly note?: string | undefined;
    }
  /** A shell with a script that could be parsed: only the commands of the script count. */
  | { readonly type: 'script'; readonly argv: Argv; readonly commands: readonly CommandTree[] }
  | {
      readonly type: 'wrapped';
      readonly argv: Argv;
      readonly commands: readonly CommandTree[];
      readonly ownWords: number;
      readonly adds?: string | undefined;
    }
  | {
      readonly type: 'opaque';
      readonly argv: Argv;
      readonly why: string;
      readonly mentions: readonly CommandTree[];
      /** No rule is proposed for it. */
      readonly isOneOff?: boolean | undefined;
    };

/** Real commands are not nested deeper. */
const MAX_DEPTH = 6;

/** Facts about the machine and the folder that the command runs in. */
export interface Surroundings {
  readonly platform: Platform;
  /** The configuration of the repository names programs that git would start even in commands that only read. */
  readonly gitStartsPrograms?: boolean | undefined;
}

/**
 * Parses the command and all that it runs; `opaque` for what cannot be parsed or is nested too deeply. `depth` is for
 * the recursion.
 */
export function takeApart(argv: Argv, surroundings: Surroundings, depth = 0): CommandTree {
  if (depth > MAX_DEPTH) return { type: 'opaque', argv, why: 'it is nested too deeply', mentions: [] };
  const inner = (commands: readonly Argv[]): CommandTree[] =>
    commands.map((command) => takeApart(command, surroundings, depth + 1));
  const unwrapped = unwrapCommand(argv);
  switch (unwrapped.type) {
    case 'plain':
      return { type: 'plain', argv, complex: false, ...classOfOne(argv, surroundings) };
    case 'script':
      return scriptTree(argv, unwrapped.script, inner);
    case 'wrapped':
      return { ...unwrapped, argv, commands: inner(unwrapped.commands) };
    case 'opaque':
      return { ...unwrapped, argv, mentions: inner(unwrapped.mentions) };
  }
}

function scriptTree(
  argv: Argv,
  script: ParsedScript,
  inner: (commands: readonly Argv[]) => CommandTree[],
): CommandTree {
  const commands = inner(script.type === 'opaque' ? script.mentions : script.commands);
  const isFed = script.feeds && commands.some(treeRunsInput);
  const mentions = isFed ? [...commands, ...inner(script.texts.map((text) => ['sh', '-c', text]))] : commands;
  if (script.type === 'opaque') return { type: 'opaque', argv, why: script.why, mentions, isOneOff: script.isOneOff };
  if (isFed) return { type: 'opaque', argv, why: 'a shell in it runs its input', mentions, isOneOff: true };
  return { type: 'script', argv, commands: script.complex ? commands.map(fedByHereDocument) : commands };
}

/**
 * True when a command in the tree runs its input: then what the script pipes into commands is searched like a script.
 */
function treeRunsInput(tree: CommandTree): boolean {
  return runsInput(tree.argv) || commandsIn(tree).some(treeRunsInput);
}

function fedByHereDocument(tree: CommandTree): CommandTree {
  if (tree.type === 'plain') return { ...tree, class: strictestClass([tree.class, 'other']), complex: true };
  return { type: 'opaque', argv: tree.argv, why: 'a here-document feeds it', mentions: [tree] };
}

const STARTS_PROGRAMS = 'the configuration of this repository names programs that git would start';

function classOfOne(
  argv: Argv,
  { platform, gitStartsPrograms }: Surroundings,
): { readonly class: CommandClass; readonly note?: string } {
  if (isDangerous(argv, platform)) return { class: 'dangerous' };
  if (!isKnownSafe(argv, platform)) return { class: 'other' };
  const isDoubtful = gitStartsPrograms === true && programName(argv[0] ?? '') === 'git';
  return isDoubtful ? { class: 'other', note: STARTS_PROGRAMS } : { class: 'known-safe' };
}

/** The direct children, including commands that are only mentioned. */
export function commandsIn(tree: CommandTree): readonly CommandTree[] {
  switch (tree.type) {
    case 'plain':
      return [];
    case 'script':
    case 'wrapped':
      return tree.commands;
    case 'opaque':
      return tree.mentions;
  }
}

/** All commands in the tree that run no other command, in order. */
export function plainCommands(tree: CommandTree): readonly Argv[] {
  return tree.type === 'plain' ? [tree.argv] : commandsIn(tree).flatMap(plainCommands);
}

const CLASSES: readonly CommandClass[] = ['known-safe', 'other', 'dangerous'];

function strictestClass(classes: readonly CommandClass[]): CommandClass {
  return CLASSES.findLast((each) => classes.includes(each)) ?? 'other';
}

/** The class of the whole tree: that of its least safe command. */
export function classifyTree(tree: CommandTree): CommandClass {
  switch (tree.type) {
    case 'plain':
      return tree.class;
    case 'script':
      return strictestClass(tree.commands.map(classifyTree));
    case 'wrapped':
      return strictestClass([tree.adds === undefined ? 'known-safe' : 'other', ...tree.commands.map(classifyTree)]);
    case 'opaque':
      return strictestClass(['other', ...tree.mentions.map(classifyTree)]);
  }
}

/** The class of the least safe of the command and all that it runs. */
export function classifyCommand(argv: Argv, platform: Platform): CommandClass {
  return classifyTree(takeApart(argv, { platform }));
}
