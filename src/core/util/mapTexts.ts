/** `parseJson` returns nothing that is nested deeper; parsers of libraries may. */
const MAX_LEVELS = 600;

/**
 * Returns the value with `change` applied to every text in it; the value itself without a change. Names of fields are
 * not changed. Parts that are nested too deeply are replaced by a text that says so.
 */
export function mapTexts(value: unknown, change: (text: string) => string, level = 0): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (level > MAX_LEVELS) return '[nested too deeply]';
  if (Array.isArray(value)) {
    const mapped = value.map((element: unknown) => mapTexts(element, change, level + 1));
    return mapped.every((element, index) => element === value[index]) ? value : mapped;
  }
  const entries = Object.entries(value);
  const mapped = entries.map(([name, field]) => [name, mapTexts(field, change, level + 1)] as const);
  return mapped.every(([, field], index) => field === entries[index]?.[1]) ? value : Object.fromEntries(mapped);
}
