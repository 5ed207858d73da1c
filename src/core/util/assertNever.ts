/** Closes a `switch` over a union: a new member is a compile error here, and a value outside the type throws. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
