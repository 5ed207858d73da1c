/**
 * The repairs that the brain knows: small common mistakes, each with the change that repairs it and the kind of failure
 * that it tends to cause. Patterns match code without strings and comments.
 */
import type { Symptom } from './symptom.ts';

export type RepairKind =
  | 'boundary'
  | 'direction'
  | 'off_by_one'
  | 'start'
  | 'sign'
  | 'accumulation'
  | 'factor'
  | 'extreme'
  | 'rounding'
  | 'connective'
  | 'equality'
  | 'negation'
  | 'await'
  | 'return'
  | 'order'
  | 'arguments'
  | 'method';

/** Affinity of a kind of repair for a kind of failure, from 0 to 1. Kinds that are not listed are very unlikely. */
export const AFFINITY: Readonly<Record<RepairKind, Partial<Record<Symptom['type'], number>>>> = {
  boundary: { flipped: 0.9, number: 0.7, resized: 0.7, other: 0.3 },
  direction: { flipped: 0.5, number: 0.4, resized: 0.4, other: 0.2 },
  off_by_one: { resized: 0.9, number: 0.6, missing: 0.5, other: 0.3 },
  start: { resized: 0.85, number: 0.5, missing: 0.4, other: 0.3 },
  sign: { number: 0.8, other: 0.3, flipped: 0.2 },
  accumulation: { number: 0.4, other: 0.2 },
  factor: { number: 0.7, other: 0.3 },
  extreme: { number: 0.8, other: 0.3 },
  rounding: { number: 0.3 },
  connective: { flipped: 0.5, resized: 0.5, number: 0.3, other: 0.3 },
  equality: { flipped: 0.5, resized: 0.5, number: 0.3, other: 0.3 },
  negation: { flipped: 0.5, resized: 0.5, number: 0.3, other: 0.3 },
  await: { missing: 0.9, threw: 0.8, other: 0.5, flipped: 0.4, number: 0.4, resized: 0.3 },
  return: { missing: 0.8, threw: 0.4 },
  order: { reordered: 0.95, other: 0.3, number: 0.2 },
  arguments: { other: 0.3, number: 0.3, reordered: 0.2 },
  method: { other: 0.5, flipped: 0.5, reordered: 0.5, resized: 0.4, missing: 0.3 },
};

export interface RepairRule {
  readonly kind: RepairKind;
  /** With the flag `g`; the whole match is rewritten. */
  readonly pattern: RegExp;
  /** Possible replacements of the match, likelier ones first. */
  readonly rewrite: (match: readonly string[]) => readonly string[];
  /** The effect of the replacement on a number, where it is known. */
  readonly effect?: (match: readonly string[]) => 'shrinks' | 'grows';
  /** The cause, as half a sentence after "because". */
  readonly because: (match: readonly string[]) => string;
}

const OTHER_BOUNDARY: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const OTHER_DIRECTION: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };
const METHOD_PAIRS = [
  ['push', 'unshift'],
  ['pop', 'shift'],
  ['some', 'every'],
  ['startsWith', 'endsWith'],
  ['padStart', 'padEnd'],
  ['trimStart', 'trimEnd'],
  ['toUpperCase', 'toLowerCase'],
  ['indexOf', 'lastIndexOf'],
  ['find', 'findLast'],
  ['keys', 'values'],
] as const;
const OTHER_METHOD = new Map(METHOD_PAIRS.flatMap(([one, other]) => [[one, other] as const, [other, one] as const]));

export const REPAIR_RULES: readonly RepairRule[] = [
  {
    kind: 'boundary',
    pattern: /(?<= )[<>]=?(?= )/g,
    rewrite: ([sign = '']) => [OTHER_BOUNDARY[sign] ?? sign],
    because: ([sign = '']) =>
      `\`${sign}\` ${sign.includes('=') ? 'counts the limit itself in' : 'leaves the limit itself out'}`,
  },
  {
    kind: 'direction',
    pattern: /(?<= )[<>]=?(?= )/g,
    rewrite: ([sign = '']) => [OTHER_DIRECTION[sign] ?? sign],
    because: ([sign]) => `\`${sign}\` compares the wrong way round`,
  },
  {
    kind: 'off_by_one',
    pattern: /(?<!(?<![\w$])\([\w.]+) ([+-] 1)\b(?!\.)/g,
    rewrite: () => [''],
    because: ([, step]) => `\`${step}\` is one step too far`,
  },
  {
    kind: 'off_by_one',
    pattern: /(?<![\w$])\(([\w.]+) ([+-] 1)\)/g,
    rewrite: ([, inner = '']) => [inner],
    because: ([, , step]) => `\`${step}\` is one step too far`,
  },
  {
    kind: 'off_by_one',
    pattern: /\.(?:slice|at|charAt|substring)\([\w.]+(?=[,)])/g,
    rewrite: ([call]) => [`${call} + 1`, `${call} - 1`],
    because: ([call]) => `\`${call}\` starts one place off`,
  },
  {
    kind: 'start',
    pattern: /\blet (\w+) = ([01])\b(?!\.)/g,
    rewrite: ([, name, value]) => [`let ${name} = ${value === '0' ? 1 : 0}`],
    because: ([, name, value]) => `\`${name}\` starts at ${value}`,
  },
  {
    kind: 'sign',
    pattern: /(?<= )[+-](?= )/g,
    rewrite: ([sign]) => [sign === '+' ? '-' : '+'],
    effect: ([sign]) => (sign === '+' ? 'shrinks' : 'grows'),
    because: ([sign]) => (sign === '+' ? 'it adds what has to be taken off' : 'it takes off what has to be added'),
  },
  {
    kind: 'accumulation',
    pattern: /(?<= )[+-]=(?= )/g,
    rewrite: ([sign]) => [sign === '+=' ? '-=' : '+='],
    effect: ([sign]) => (sign === '+=' ? 'shrinks' : 'grows'),
    because: ([sign]) =>
      sign === '+=' ? 'it counts up where it has to count down' : 'it counts down where it has to count up',
  },
  {
    kind: 'factor',
    pattern: /(?<= )[*/](?= )/g,
    rewrite: ([sign]) => [sign === '*' ? '/' : '*'],
    effect: ([sign]) => (sign === '*' ? 'shrinks' : 'grows'),
    because: ([sign]) =>
      sign === '*' ? 'it multiplies where it has to divide' : 'it divides where it has to multiply',
  },
  {
    kind: 'extreme',
    pattern: /\bMath\.(min|max)(?=\()/g,
    rewrite: ([, end]) => [end === 'min' ? 'Math.max' : 'Math.min'],
    effect: ([, end]) => (end === 'max' ? 'shrinks' : 'grows'),
    because: ([, end]) =>
      `\`Math.${end}\` picks the ${end === 'max' ? 'larger' : 'smaller'} value where the other one is wanted`,
  },
  {
    kind: 'rounding',
    pattern: /\bMath\.(floor|ceil|round|trunc)(?=\()/g,
    rewrite: ([, way]) => ['Math.round', 'Math.floor', 'Math.ceil'].filter((each) => each !== `Math.${way}`),
    because: ([, way]) => `\`Math.${way}\` rounds the wrong way`,
  },
  {
    kind: 'connective',
    pattern: /&&|\|\|/g,
    rewrite: ([sign]) => (sign === '&&' ? ['||'] : ['&&', '??']),
    because: ([sign]) => (sign === '&&' ? '`&&` asks for both conditions' : '`||` is content with one condition'),
  },
  {
    kind: 'equality',
    pattern: /[!=]==?(?= )/g,
    rewrite: ([sign = '']) => [sign.startsWith('!') ? sign.replace('!', '=') : sign.replace('=', '!')],
    because: ([sign]) => `\`${sign}\` asks for the opposite`,
  },
  {
    kind: 'negation',
    pattern: /(?<=[\s(])!(?=[\w(])/g,
    rewrite: () => [''],
    because: () => '`!` turns the condition round',
  },
  {
    kind: 'negation',
    pattern: /(?<==> |if \()[\w.]+(?=[);])/g,
    rewrite: ([condition]) => [`!${condition}`],
    because: ([condition]) => `\`${condition}\` is asked the wrong way round`,
  },
  {
    kind: 'await',
    pattern: /(?<=(?:=|return|:|=>) )(?!Math\.|Object\.|Array\.|JSON\.|Number|String|new |await )[\w$.]+\(/g,
    rewrite: ([call]) => [`await ${call}`],
    because: ([call = '']) => `the promise of \`${call.slice(0, -1)}\` is used before it has settled`,
  },
  {
    kind: 'return',
    pattern: /(?<=^\s+)(?!return|const|let|var|if|for|while|else|throw|await|switch|case|break)[\w$.]+\(.*\);$/g,
    rewrite: ([statement]) => [`return ${statement}`],
    because: () => 'the value is worked out and then dropped',
  },
  {
    kind: 'order',
    pattern: /\b(\w+)((?:\.\w+)*) - (\w+)\2(?![\w.])/g,
    rewrite: ([, one, property, other]) => [`${other}${property} - ${one}${property}`],
    because: () => 'the comparison sorts the other way round',
  },
  {
    kind: 'order',
    pattern: /\b(\w+)((?:\.\w+)*)\.localeCompare\((\w+)\2\)/g,
    rewrite: ([, one, property, other]) => [`${other}${property}.localeCompare(${one}${property})`],
    because: () => 'the comparison sorts the other way round',
  },
  {
    kind: 'arguments',
    pattern: /(?<=\w\()([\w.]+), ([\w.]+)(?=\)(?! \{))/g,
    rewrite: ([, one, other]) => [`${other}, ${one}`],
    because: ([, one, other]) => `\`${one}\` and \`${other}\` are handed over in the wrong order`,
  },
  {
    kind: 'method',
    pattern: /(?<=\.)[a-zA-Z]+(?=\()/g,
    rewrite: ([name]) =>
      METHOD_PAIRS.flatMap((pair) => pair.filter((each) => each === OTHER_METHOD.get(name as typeof each))),
    because: ([name]) => `\`${name}\` is the twin of the method that is wanted`,
  },
];
