/**
 * Returns the value with `change` applied to every text in it; the value itself without a change. Names of fields are
 * not changed.
 */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const mapped = value.map((element: unknown) => mapTexts(element, change));
    return mapped.every((element, index) => element === value[index]) ? value : mapped;
  }
  const entries = Object.entries(value);
  const mapped = entries.map(([name, field]) => [name, mapTexts(field, change)] as const);
  return mapped.every(([, field], index) => field === entries[index]?.[1]) ? value : Object.fromEntries(mapped);
}
