/** Returns the address of a request in any of the forms that `fetch` accepts. */
export function addressOf(input: string | URL | Request): string {
  return input instanceof Request ? input.url : new URL(input).href;
}
