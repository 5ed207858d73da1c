/**
 * Parses a shell script into the list of commands it runs, or returns why that is not possible.
 *
 * Guarantee: when the answer is `commands`, bash, dash and zsh run exactly these programs with exactly these words, as
 * far as `&&` and `||` let them (measured against bash in test/core/policy/parseScript.test.ts). The rule is the strict
 * one of sandbox.md §6, within codex-behaviour.md §6.6. The only file that depends on the parser.
 */
import {
  type Command,
  type CommandNode,
  type HereDoc,
  type PipelineNode,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
  type WordPart,
  forEachChild,
  parse,
} from 'unbash';
import { rememberLast } from '../util/rememberLast.ts';
import { printedTexts } from './printedText.ts';
import { isAllAccountedFor } from './scriptGaps.ts';
import { hasInvisibleCharacters, isLiteralUnquoted, isPlainName } from './scriptCharacters.ts';

export type Argv = readonly string[];

export type ParsedScript = Feeding &
  (
    | {
        readonly type: 'commands';
        readonly commands: readonly Argv[];
        /** One command with a here-document as input: its words are known, its input is not checked (§6.3 step 1). */
        readonly complex: boolean;
      }
    | {
        readonly type: 'opaque';
        /** A clause that is appended to the reason: "…, and WHY." */
        readonly why: string;
        /**
         * Commands that appear anywhere in it, as far as their words are literal: enough to find danger, not enough to
         * allow.
         */
        readonly mentions: readonly Argv[];
        /** It computes what it does (expansions, loops, several lines), so exactly this text is unlikely to come again. */
        readonly isOneOff: boolean;
      }
  );

/** The input that commands of a script may get. */
export interface Feeding {
  /** True when the script pipes or redirects input. */
  readonly feeds: boolean;
  /**
   * The parts of the input that the script contains: here-documents, and what `echo` and `printf` print. Used to find
   * danger.
   */
  readonly texts: readonly string[];
}

/** Several questions about each command take its script apart. */
export const parseScript = rememberLast(parseAnew, 16);

function parseAnew(script: string): ParsedScript {
  const parsed = syntaxOf(script);
  if (parsed === undefined) return TOO_DEEP;
  const { tree, nodes } = parsed;
  const feeding = feedingIn(nodes);
  try {
    if (hasInvisibleCharacters(script)) throw new Opaque('it contains characters that cannot be seen');
    if (tree.errors !== undefined && tree.errors.length > 0) throw new Opaque('its syntax is not complete');
    const fed = commandFedByHereDocument(tree.commands);
    const commands = fed === undefined ? tree.commands.flatMap(statementCommands) : [fed];
    const words = commands.map(commandWords);
    const end = fed?.redirects[0]?.pos ?? script.length;
    if (words.length === 0) throw new Opaque('it contains no command');
    if (!isAllAccountedFor(script.slice(0, end), words)) throw new Opaque('its syntax is not plain');
    return {
      type: 'commands',
      commands: words.map((argv) => argv.map(literalValue)),
      complex: fed !== undefined,
      ...feeding,
    };
  } catch (error) {
    if (!(error instanceof Opaque)) throw error;
    return {
      type: 'opaque',
      why: error.message,
      mentions: mentionedCommands(nodes),
      isOneOff: !isRedirected(error, script),
      ...feeding,
    };
  }
}

const TOO_DEEP: ParsedScript = {
  type: 'opaque',
  why: 'it is nested too deeply',
  mentions: [],
  isOneOff: true,
  feeds: false,
  texts: [],
};

/** The time for `$((` and `$(` inside each other grows with the square of their number: 2,000 take 0.1 s. */
const MAX_SUBSTITUTIONS = 2000;

/** Returns undefined when the parser would take too long or, being recursive, needs more stack than is left. */
function syntaxOf(script: string): { tree: ReturnType<typeof parse>; nodes: readonly SyntaxNode[] } | undefined {
  if (script.split('$(').length > MAX_SUBSTITUTIONS) return undefined;
  try {
    const tree = parse(script);
    return { tree, nodes: nodesOf(tree) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

class Opaque extends Error {}

const REDIRECTS = 'it redirects input or output';

/** True when only the redirection keeps a single line from being parsed: `npm test > out`. */
function isRedirected({ message }: Opaque, script: string): boolean {
  return message === REDIRECTS && !/[$`\n]|[<>]\(/.test(script.trim());
}

function statementCommands(statement: Statement): Command[] {
  if (statement.background === true) throw new Opaque('it starts something in the background');
  const { command } = statement;
  return command.type === 'AndOr' ? command.commands.flatMap(pipelineCommands) : pipelineCommands(command);
}

function pipelineCommands(node: PipelineNode): Command[] {
  if (node.type !== 'Pipeline') return [simpleCommand(node)];
  if (node.prefixes.length > 0) throw new Opaque('it negates or times a command');
  if (node.operators.some((operator) => operator !== '|')) throw new Opaque('it pipes standard error');
  return node.commands.map(simpleCommand);
}

function simpleCommand(node: CommandNode): Command {
  if (node.type !== 'Command') throw new Opaque('it uses control flow, a group or a function');
  if (node.redirects.length > 0) throw new Opaque(REDIRECTS);
  return node;
}

function commandWords({ name, prefix, args }: Command): Word[] {
  const words = args.filter((argument) => argument.type === 'Word');
  const assigns = words.length < args.length || prefix.some((part) => part.type === 'Assignment');
  if (assigns) throw new Opaque('it sets a variable');
  if (name === undefined || !isPlainName(name.text)) throw new Opaque('the name of a command is not a plain word');
  return [name, ...words];
}

function literalValue(word: Word): string {
  const startsWithEquals = word.text.startsWith('='); // zsh replaces =name by the path of the program
  // As in `find -exec` and `xargs -I`: bash, dash and zsh take empty braces literally.
  const source = word.text.replaceAll('{}', '');
  const literal = word.parts === undefined ? isLiteralUnquoted(source) : word.parts.every(isLiteralPart);
  if (!literal || startsWithEquals) throw new Opaque(`the shell would expand "${word.text}"`);
  return word.value;
}

function isLiteralPart(part: WordPart): boolean {
  switch (part.type) {
    case 'SingleQuoted':
      return true;
    case 'Literal':
      return isLiteralUnquoted(part.text);
    case 'DoubleQuoted':
      return part.parts.every((inner) => inner.type === 'Literal');
    default:
      return false;
  }
}

/** Returns the only command of a script whose only special syntax is a here-document without expansions. */
function commandFedByHereDocument(statements: readonly Statement[]): Command | undefined {
  const [statement, ...others] = statements;
  if (statement === undefined || others.length > 0 || statement.background === true) return undefined;
  const { command } = statement;
  if (command.type !== 'Command' || command.redirects.length !== 1) return undefined;
  return command.redirects.every(isInertHereDocument) ? command : undefined;
}

function isInertHereDocument(redirect: Redirection): redirect is HereDoc {
  if (redirect.type !== 'HereDoc' || redirect.delimiter === undefined || redirect.closing === undefined) return false;
  return redirect.delimiter.quoted || !/[$`\\]/.test(redirect.body.text);
}

/**
 * All commands in the tree, including those in loops and substitutions; a word that is not literal keeps its source
 * text.
 */
function mentionedCommands(nodes: readonly SyntaxNode[]): Argv[] {
  return nodes.flatMap((node) => (node.type === 'Command' && node.name !== undefined ? [wordsOf(node)] : []));
}

/**
 * The node and all nodes below it, in the order of the script. Without recursion: the parser reads what is inside a
 * substitution when its node is visited, and many substitutions inside each other would need more stack than there is.
 */
function nodesOf(tree: SyntaxNode): SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  const left = [tree];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    nodes.push(node);
    const children: SyntaxNode[] = [];
    forEachChild(node, (child) => children.push(child));
    for (const child of children.reverse()) left.push(child);
  }
  return nodes;
}

function wordsOf({ name, args }: Command): Argv {
  return [...(name === undefined ? [] : [name]), ...args].map((word) =>
    word.type === 'Word' ? word.value : word.text,
  );
}

/** Everything in the tree that might become the input of any command. */
function feedingIn(nodes: readonly SyntaxNode[]): Feeding {
  return { feeds: nodes.some(isFeeding), texts: nodes.flatMap(inputTexts) };
}

function inputTexts(node: SyntaxNode): readonly string[] {
  if (node.type === 'Command') return printedTexts(wordsOf(node));
  if (node.type === 'HereDoc') return [node.body.text];
  return node.type === 'HereString' ? [node.target?.value ?? ''] : [];
}

const FEEDING_NODES: readonly SyntaxNode['type'][] = ['HereDoc', 'HereString', 'ProcessSubstitution', 'Coproc'];

function isFeeding(node: SyntaxNode): boolean {
  if (node.type === 'Pipeline') return node.commands.length > 1;
  if (node.type === 'Redirect') return node.operator.startsWith('<');
  return FEEDING_NODES.includes(node.type);
}
