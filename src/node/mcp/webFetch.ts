import type { Fetch, FetchInit } from '../../core/ports.ts';

/** The port with the types of the global `fetch`, for libraries that expect them. Redirects are not followed. */
export function webFetch(fetch: Fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const [address, plain] = input instanceof Request ? await readRequest(input, init) : [input, await plainOf(init)];
    const { status, headers, body } = await fetch(address, plain);
    return new Response(body, { status, headers: [...headers] });
  };
}

async function readRequest(input: Request, init: RequestInit | undefined): Promise<[string, FetchInit]> {
  const request = new Request(input, init);
  const { url, method, headers, signal } = request;
  const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
  return [url, { method, headers: Object.fromEntries(headers), body, signal }];
}

async function plainOf({ method = 'GET', headers: given, body, signal = null }: RequestInit = {}): Promise<FetchInit> {
  const headers = new Headers(given);
  if (body === undefined || body === null || typeof body === 'string') {
    return { method, headers: Object.fromEntries(headers), body: body ?? null, signal };
  }
  const encoded = new Response(body);
  const contentType = encoded.headers.get('content-type');
  if (contentType !== null && !headers.has('content-type')) headers.set('content-type', contentType);
  const bytes = new Uint8Array(await encoded.arrayBuffer());
  return { method, headers: Object.fromEntries(headers), body: bytes, signal };
}
