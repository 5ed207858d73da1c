/**
 * The user's rules: `rules.json` (docs/cli.md) with the semantics of codex-behaviour.md §6.9.
 *
 * A rule matches a command that starts with its pattern, word by word. A file with any error gives a message and no
 * rules, so that nothing is allowed by a part of what the user meant.
 */
import { createHash } from 'node:crypto';
import { type Node, type ParseError, findNodeAtLocation, parseTree, printParseErrorCode } from 'jsonc-parser';
import { type Rule, type RuleLayer, ruleMeaning, rulesFileSchema } from '../../protocol/policy.ts';
import { withoutByteOrderMark } from '../util/textBytes.ts';
import type { Argv } from './parseScript.ts';
import { splitShellWords } from './shellWords.ts';

/** A rule and its place in a file. */
export interface LoadedRule {
  readonly rule: Rule;
  readonly file: string;
  /** Position in the file, from 0. */
  readonly index: number;
  readonly layer: RuleLayer;
}

export type LoadedRules = readonly LoadedRule[];

export type RulesFileResult =
  | { readonly type: 'rules'; readonly rules: LoadedRules }
  /** `message` names the file and, if there is one, the line. */
  | { readonly type: 'invalid'; readonly message: string };

/** The id of a rule in decisions: where the user finds it. */
export function rulePlace({ file, index }: LoadedRule): string {
  return `rule:${file}#${index}`;
}

/** The id of a rule that does not change when other rules are added or removed. */
export function ruleIdentity({ rule, file, layer }: LoadedRule): string {
  return `${layer}:${hashOf(`${file}\n${ruleMeaning(rule)}`)}`;
}

/**
 * The hash of the effect and the justification of a workspace rule: the user's decision on it covers this definition
 * only.
 */
export function definitionHash(rule: Rule): string {
  return hashOf(`${ruleMeaning(rule)}\n${rule.justification ?? ''}`);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** `file`: its path for messages. An error is a result, with its line. */
export function parseRulesFile(bytes: string, file: string, layer: RuleLayer = 'user'): RulesFileResult {
  const text = withoutByteOrderMark(bytes);
  const errors: ParseError[] = [];
  const tree = treeOf(text, errors);
  if (tree === 'too deep') return invalid(file, 1, 'not valid JSON (nested too deeply)');
  const [syntaxError] = errors;
  if (tree === undefined || syntaxError !== undefined) {
    const problem = syntaxError === undefined ? 'it is empty' : printParseErrorCode(syntaxError.error);
    return invalid(file, lineAt(text, syntaxError?.offset ?? 0), `not valid JSON (${problem})`);
  }
  const broken = text.indexOf('\uFFFD');
  if (broken !== -1) return invalid(file, lineAt(text, broken), 'it is not encoded as UTF-8');
  const twice = duplicateKey(tree);
  if (twice !== undefined) return invalid(file, lineAt(text, twice.offset), `"${twice.value}" appears twice`);
  const parsed = rulesFileSchema.safeParse(JSON.parse(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = (issue?.path ?? []).map((step) => (typeof step === 'symbol' ? String(step) : step));
    return invalid(
      file,
      lineOf(text, tree, path),
      `${path.join('.') || 'the file'}: ${issue?.message ?? 'is not valid'}`,
    );
  }
  for (const [index, rule] of parsed.data.rules.entries()) {
    const complaint = uselessPattern(rule) ?? badExample(rule);
    if (complaint !== undefined)
      return invalid(file, lineOf(text, tree, ['rules', index]), `rule ${index}: ${complaint}`);
  }
  return { type: 'rules', rules: parsed.data.rules.map((rule, index) => ({ rule, file, index, layer })) };
}

function treeOf(text: string, errors: ParseError[]): Node | undefined | 'too deep' {
  try {
    return parseTree(text, errors, { disallowComments: true });
  } catch (error) {
    if (error instanceof RangeError) return 'too deep';
    throw error;
  }
}

/** JSON parsers use the last of two equal keys, which a reader of the first would not notice. */
function duplicateKey(tree: Node): Node | undefined {
  const left = [tree];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    const keys = new Set<unknown>();
    for (const child of node.children ?? []) {
      const [key, value] = child.type === 'property' ? (child.children ?? []) : [undefined, child];
      if (key !== undefined && keys.has(key.value)) return key;
      keys.add(key?.value);
      if (value !== undefined) left.push(value);
    }
  }
  return undefined;
}

/** Rejects a rule that no command can match, because its author meant it to have an effect. */
function uselessPattern({ pattern }: Rule): string | undefined {
  if (pattern.flat().some((word) => word.includes('\0'))) return 'its pattern has a null character';
  return [pattern[0]].flat().includes('') ? 'its pattern does not begin with a program' : undefined;
}

function invalid(file: string, line: number, problem: string): RulesFileResult {
  return { type: 'invalid', message: `${file}:${line}: ${problem}. No rule of this file is used.` };
}

/** The line of the value at this path, or of the nearest existing value around it. */
function lineOf(text: string, tree: Node, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node !== undefined) return lineAt(text, node.offset);
  }
  return lineAt(text, tree.offset);
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Checks a rule against its own examples; returns the problem, or `undefined` when they hold. */
export function badExample(rule: Rule): string | undefined {
  for (const [field, expected] of [['match', true] as const, ['not_match', false] as const]) {
    for (const example of rule[field] ?? []) {
      const words = typeof example === 'string' ? splitShellWords(example) : example;
      const shown = JSON.stringify(example);
      if (words === undefined || words.length === 0) return `the example ${shown} cannot be split into words`;
      if (matchesPattern(rule, words) !== expected) {
        return expected ? `the example ${shown} does not match` : `the example ${shown} matches although it must not`;
      }
    }
  }
  return undefined;
}

/** True when the command starts with the pattern, word by word and literally. */
export function matchesPattern({ pattern }: Rule, argv: Argv): boolean {
  return pattern.every((element, index) => {
    const word = argv[index];
    return word !== undefined && (typeof element === 'string' ? element === word : element.includes(word));
  });
}

/**
 * Splits the rules of a workspace file (design decision 12): those that tighten apply at once; those that would loosen
 * are only proposals.
 */
export function splitWorkspaceRules(rules: LoadedRules): {
  readonly inForce: LoadedRules;
  readonly proposals: LoadedRules;
} {
  return {
    inForce: rules.filter(({ rule }) => rule.decision !== 'allow'),
    proposals: rules.filter(({ rule }) => rule.decision === 'allow'),
  };
}
