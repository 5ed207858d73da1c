/** Unwraps one level: the commands that a command runs, if it is a shell with a script or a wrapper. */
import { type Argv, type ParsedScript, parseScript } from './parseScript.ts';
import { isSystemProgram, programName } from './programs.ts';
import { isScriptFlag, SHELLS } from './runsInput.ts';
import { FIND_COMMAND_OPTIONS, WRAPPERS, type Wrapper } from './wrappers.ts';

export type Unwrapped =
  /** It runs no other command. */
  | { readonly type: 'plain' }
  /** A shell with a script. */
  | { readonly type: 'script'; readonly script: ParsedScript }
  /** A program that runs other programs. */
  | {
      readonly type: 'wrapped';
      readonly commands: readonly Argv[];
      /**
       * The number of first words that are the wrapper's own; a rule that ends there does not cover the command that
       * follows.
       */
      readonly ownWords: number;
      /** The effect that the wrapper adds to the inner commands; absent if there is none. */
      readonly adds?: string | undefined;
    }
  | { readonly type: 'opaque'; readonly why: string; readonly mentions: readonly Argv[] };

/** The shells whose scripts are parsed, by file stem (codex-behaviour.md §6.6). */
const READABLE_SHELLS: ReadonlySet<string> = new Set(['bash', 'zsh', 'sh']);

export function unwrapCommand(argv: Argv): Unwrapped {
  const [program = '', ...words] = argv;
  const name = programName(program);
  if (SHELLS.has(name)) return unwrapShell(program, words);
  if (name === 'eval') return { type: 'script', script: opaqueScript('eval composes a new script', [words.join(' ')]) };
  if (name === 'find') return unwrapFind(words);
  const wrapper = WRAPPERS.get(name);
  return wrapper === undefined ? { type: 'plain' } : unwrapWrapper(wrapper, argv);
}

/** Parses only `bash|zsh|sh -c|-lc SCRIPT`; a script that is given in any other way is only searched for danger. */
function unwrapShell(program: string, words: Argv): Unwrapped {
  const [flag, script, ...others] = words;
  const exact = (flag === '-c' || flag === '-lc') && script !== undefined && others.length === 0;
  if (exact && READABLE_SHELLS.has(programName(program)) && isSystemProgram(program)) {
    return { type: 'script', script: parseScript(script) };
  }
  if (!words.some(isScriptFlag)) return { type: 'plain' };
  return { type: 'script', script: opaqueScript('the shell is not called in the plain way', words) };
}

function opaqueScript(why: string, texts: readonly string[]): ParsedScript {
  const parsed = texts.map(parseScript);
  return {
    type: 'opaque',
    why,
    mentions: parsed.flatMap((script) => (script.type === 'commands' ? script.commands : script.mentions)),
    isOneOff: true,
    feeds: parsed.some(({ feeds }) => feeds),
    texts: parsed.flatMap((script) => script.texts),
  };
}

function unwrapFind(words: Argv): Unwrapped {
  const commands: Argv[] = [];
  let ownWords = 0;
  for (let index = 0; index < words.length; index++) {
    if (!FIND_COMMAND_OPTIONS.has(words[index] ?? '')) continue;
    const end = words.findIndex((word, at) => at > index && (word === ';' || (word === '+' && words[at - 1] === '{}')));
    const command = words.slice(index + 1, end === -1 ? undefined : end);
    if (end === -1 || isInputInCommandPlace(command)) {
      return { type: 'opaque', why: 'it is not clear what find would run', mentions: suffixes(words) };
    }
    commands.push(command);
    ownWords = index + 2; // find and its words up to the last -exec
    index = end;
  }
  if (commands.length === 0) return { type: 'plain' };
  return { type: 'wrapped', commands, ownWords, adds: 'find runs it on whatever it finds' };
}

/** True when the program or the script comes from file names or standard input, so it could be anything. */
function isInputInCommandPlace(command: Argv): boolean {
  const [program] = command;
  return program === undefined || program.includes('{}') || SHELLS.has(programName(program)) || program === 'eval';
}

function unwrapWrapper(wrapper: Wrapper, argv: Argv): Unwrapped {
  const words = ownWords(wrapper, argv);
  if (words === 'unclear') {
    return { type: 'opaque', why: `the options of ${argv[0]} are not clear`, mentions: suffixes(argv.slice(1)) };
  }
  const inner = argv.slice(words);
  if (inner.length === 0) return { type: 'plain' };
  if (programName(argv[0] ?? '') === 'xargs' && isInputInCommandPlace(inner)) {
    return { type: 'opaque', why: 'its input would be run', mentions: suffixes(inner) };
  }
  const adds = isSystemProgram(argv[0] ?? '') ? wrapper.adds : 'its wrapper is in an unusual place';
  return { type: 'wrapped', commands: [inner], ownWords: words, adds };
}

/** The number of words of the wrapper, including its name. */
function ownWords(wrapper: Wrapper, argv: Argv): number | 'unclear' {
  let at = 1;
  for (; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (wrapper.assignments === true && /^[A-Za-z_]\w*=/.test(word)) continue;
    if (!word.startsWith('-')) break;
    if (word === '--') {
      at++;
      break;
    }
    if (wrapper.flags.includes(word)) continue;
    if (wrapper.valueOptions.includes(word)) at++;
    else if (!wrapper.valueOptions.some((option) => hasAttachedValue(word, option))) return 'unclear';
  }
  return Math.min(at + wrapper.operands, argv.length);
}

function hasAttachedValue(word: string, option: string): boolean {
  return option.startsWith('--') ? word.startsWith(`${option}=`) : word.startsWith(option) && !word.startsWith('--');
}

/**
 * Every suffix, since a command could begin at each word. Used to find danger, so too many do no harm; 64 are enough.
 */
function suffixes(words: Argv): Argv[] {
  return words
    .slice(0, 64)
    .map((_, start) => words.slice(start))
    .filter(([program = '']) => !WRAPPERS.has(programName(program)) && programName(program) !== 'find');
}
