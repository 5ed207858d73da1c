/**
 * The value that a table itself has under a name: for names that a model, a server or a user gives. `table[name]` would
 * find `constructor` and what else objects inherit.
 */
export function ownValue<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
