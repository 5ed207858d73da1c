/**
 * Adds the items at the end of an array. For arrays of any length: `array.push(...items)` takes stack for each item and
 * throws a RangeError for more than about 120,000.
 */
export function append<T>(array: T[], items: Iterable<T>): void {
  for (const item of items) array.push(item);
}
