/**
 * `reasoning_details`: reasoning with its signatures, or encrypted (openrouter.ai/docs/use-cases/reasoning-tokens,
 * "Preserving Reasoning Blocks"). A stream sends each in fragments; a request must repeat them unchanged and in order.
 */
import { isJsonObject } from '../util/json.ts';

export type ReasoningDetail = Readonly<Record<string, unknown>>;

/** The fields that grow from fragment to fragment. All others are sent whole. */
const GROWING = ['text', 'summary'] as const;

/** Puts the fragments of one response together. */
export class ReasoningDetails {
  readonly #details: Record<string, unknown>[] = [];

  get all(): readonly ReasoningDetail[] {
    return this.#details;
  }

  /** `value`: the field of one chunk, as it came. Returns the text that it adds. */
  add(value: unknown): string {
    if (!Array.isArray(value)) return '';
    let text = '';
    for (const [place, fragment] of value.entries()) {
      if (!isJsonObject(fragment)) continue;
      const begun = this.#begunBy(fragment, place);
      if (begun) grow(begun, fragment);
      else this.#details.push({ ...fragment });
      for (const field of GROWING) text += stringIn(fragment, field);
    }
    return text;
  }

  /** The detail that the fragment continues: the one with its index, or else the last one. */
  #begunBy(fragment: ReasoningDetail, place: number): Record<string, unknown> | undefined {
    const { index } = fragment;
    // Encrypted data is never sent in parts.
    if (!GROWING.some((field) => field in fragment) && !('signature' in fragment)) return undefined;
    if (typeof index === 'number') {
      return this.#details.findLast((detail) => detail['index'] === index && isSame(detail, fragment));
    }
    const last = this.#details.at(-1);
    return place === 0 && last !== undefined && last['index'] === undefined && isSame(last, fragment)
      ? last
      : undefined;
  }
}

/** False for a block that begins although it has the index of a block before: that one is signed, or has another id. */
function isSame(detail: ReasoningDetail, fragment: ReasoningDetail): boolean {
  if (detail['type'] !== fragment['type']) return false;
  const ids = [stringIn(detail, 'id'), stringIn(fragment, 'id')];
  if (!ids.includes('') && ids[0] !== ids[1]) return false;
  return stringIn(detail, 'signature') === '' || GROWING.every((field) => stringIn(fragment, field) === '');
}

function grow(detail: Record<string, unknown>, fragment: ReasoningDetail): void {
  for (const [name, value] of Object.entries(fragment)) {
    const isGrowing = (GROWING as readonly string[]).includes(name) && typeof value === 'string';
    if (isGrowing) detail[name] = stringIn(detail, name) + value;
    else if (value !== null || !(name in detail)) detail[name] = value;
  }
}

function stringIn(detail: ReasoningDetail, field: string): string {
  const value = detail[field];
  return typeof value === 'string' ? value : '';
}
