/**
 * Returns the table's own value under a name that comes from a model, a server or a user. `table[name]` would also find
 * inherited members such as `constructor`.
 */
export function ownValue<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
