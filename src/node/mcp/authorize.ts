import type { McpRedirect } from '../../core/mcp/authorization.ts';
import { McpFault } from '../../core/mcp/connection.ts';
import type { Fetch } from '../../core/ports.ts';
import { messageOf } from '../../core/util/fileErrors.ts';
import { webFetch } from './webFetch.ts';
import { OAuthProvider, type ProviderOptions } from './oauthProvider.ts';

export interface AuthorizeOptions extends Omit<ProviderOptions, 'redirect'> {
  readonly fetch: Fetch;
  readonly redirect: McpRedirect;
}

/**
 * Lets the user authorize Tiller at the authorization server of an MCP server, in the browser: the metadata of the
 * protected resource, PKCE, and the issuer of the answer are checked by the SDK, the state here. Resolves when the
 * tokens are stored. @throws McpFault; the signal's reason
 */
export async function authorize(options: AuthorizeOptions, signal: AbortSignal): Promise<void> {
  const sdk = await import('./mcpSdk.ts');
  const { server, redirect, fetch } = options;
  const provider = new OAuthProvider({
    ...options,
    redirect: { url: redirect.url, open: (page) => redirect.open(page) },
  });
  const request = { serverUrl: server.url, fetchFn: webFetch(fetch) };
  const ended = new AbortController();
  try {
    // Expects the user back before the page is opened.
    const returning = redirect.callback(provider.state(), AbortSignal.any([signal, ended.signal]));
    returning.catch(() => {});
    const begun = await sdk.auth(provider, { ...request, forceReauthorization: true });
    if (begun === 'AUTHORIZED') return;
    const answer = await returning;
    if (answer.get('state') !== provider.state()) throw new Error('the answer belongs to another request.');
    const code = answer.get('code');
    if (code === null) throw new Error(answer.get('error_description') ?? answer.get('error') ?? 'there is no code.');
    const iss = answer.get('iss');
    const redeemed = await sdk.auth(provider, {
      ...request,
      authorizationCode: code,
      ...(iss === null ? {} : { iss }),
    });
    if (redeemed !== 'AUTHORIZED') throw new Error('the code was not accepted.');
  } catch (error) {
    signal.throwIfAborted();
    throw new McpFault('auth', `The authorization failed: ${messageOf(error)}`, { cause: error });
  } finally {
    ended.abort();
  }
}
