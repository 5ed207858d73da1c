/** The address of a request, in any form that `fetch` takes. */
export function addressOf(input: string | URL | Request): string {
  return input instanceof Request ? input.url : new URL(input).href;
}
