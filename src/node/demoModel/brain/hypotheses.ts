/** All one-line repairs that are possible in a block of code. */
import type { LineChange } from './patchText.ts';
import { REPAIR_RULES, type RepairKind, type RepairRule } from './repairRules.ts';
import type { Block } from './source.ts';

/** A possible repair: the change of a line, with its reason. */
export interface Hypothesis {
  readonly kind: RepairKind;
  readonly change: LineChange;
  readonly because: string;
  readonly effect: 'shrinks' | 'grows' | undefined;
  readonly block: Block;
}

export function hypothesesIn(block: Block): Hypothesis[] {
  const rules = REPAIR_RULES.filter((rule) => rule.kind !== 'await' || block.isAsync);
  return block.code.flatMap((_, index) => rules.flatMap((rule) => applyRule(rule, block, index)));
}

function applyRule(rule: RepairRule, block: Block, index: number): Hypothesis[] {
  const code = block.code[index] ?? '';
  const before = block.lines[index] ?? '';
  const isHead = index === 0 && /(?:\bfunction\b|=>).*\{\s*$/.test(code);
  if (isHead) return [];
  return [...code.matchAll(rule.pattern)].flatMap((match) => {
    const end = match.index + match[0].length;
    if (before.slice(match.index, end) !== match[0]) return [];
    return rule.rewrite(match).map((replacement) => ({
      kind: rule.kind,
      change: {
        path: block.path,
        line: block.firstLine + index,
        before,
        after: before.slice(0, match.index) + replacement + before.slice(end),
      },
      because: rule.because(match),
      effect: rule.effect?.(match),
      block,
    }));
  });
}
