import { randomBytes } from 'node:crypto';
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import * as z from 'zod';
import { McpFault } from '../../core/mcp/connection.ts';
import type { McpSecrets } from '../../core/mcp/authorization.ts';
import { parseJson } from '../../core/util/json.ts';
import type { McpHttpServer } from '../../protocol/mcp.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

/** The SDK checks its content; this only keeps it. */
const storedSchema = lazyObject(() => ({
  redirectUrl: z.string(),
  client: z.record(z.string(), z.unknown()).optional(),
  tokens: z.record(z.string(), z.unknown()).optional(),
  verifier: z.string().optional(),
  ownIssuer: z.string().optional(),
  discovery: z.unknown().optional(),
}));
type Stored = z.infer<typeof storedSchema>;

const NOT_REFRESHED = 'Its authorization server could not refresh the token; try again later.';

export interface ProviderOptions {
  readonly server: McpHttpServer;
  readonly secrets: McpSecrets;
  /** The address of the document that describes Tiller to authorization servers; `undefined`: none. */
  readonly clientMetadataUrl: string | undefined;
  /** `undefined` while a server is connected in the background: no page is opened then. */
  readonly redirect: { readonly url: string; readonly open: (page: URL) => Promise<void> } | undefined;
  /** Called with each secret, so that it is redacted everywhere. */
  readonly hide: (secret: string) => void;
}

/**
 * The client of one MCP server in the SDK's authorization: registered by the user, described by a document, or registered
 * when it is first used (in this order). All that is stored belongs to the address of the server and is sent to no other.
 */
export class OAuthProvider implements OAuthClientProvider {
  readonly clientMetadataUrl?: string;
  readonly #options: ProviderOptions;
  readonly #state = randomBytes(24).toString('base64url');
  /** As it was read last. */
  #stored: Stored | undefined;
  /** The access token that was used last. */
  #used: unknown;
  /** A refresh was tried since the tokens were read. */
  #isRefreshing = false;

  constructor(options: ProviderOptions) {
    this.#options = options;
    if (options.clientMetadataUrl !== undefined) this.clientMetadataUrl = options.clientMetadataUrl;
  }

  get redirectUrl(): string {
    return this.#options.redirect?.url ?? this.#stored?.redirectUrl ?? 'http://127.0.0.1/unused';
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'Tiller',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method:
        this.#options.server.oauth?.clientSecret === undefined ? 'none' : 'client_secret_post',
    };
  }

  /** Identifies the answer to this request. */
  state(): string {
    return this.#state;
  }

  async clientInformation(context?: OAuthClientInformationContext): Promise<StoredOAuthClientInformation | undefined> {
    const { oauth } = this.#options.server;
    const { client, ownIssuer } = await this.#read();
    if (oauth === undefined) return client as StoredOAuthClientInformation | undefined;
    // The client of the user belongs to the authorization server that it was first used with.
    if (ownIssuer === undefined && context) await this.#write({ ownIssuer: context.issuer });
    const { clientId, clientSecret } = oauth;
    const issuer = ownIssuer ?? context?.issuer;
    return { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }), ...(issuer && { issuer }) };
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    await this.#write({ client: { ...client } });
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    const { tokens } = await this.#read();
    this.#used = tokens?.['access_token'];
    this.#isRefreshing = false;
    return tokens as StoredOAuthTokens | undefined;
  }

  /** The SDK calls it when it begins to refresh the tokens; all that was granted is asked for again. */
  async scopeForRefresh(): Promise<undefined> {
    this.#isRefreshing = true;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    await this.#write({ tokens: { ...tokens } });
  }

  async redirectToAuthorization(page: URL): Promise<void> {
    const { redirect } = this.#options;
    // The SDK wants another sign-in whatever the reason was. Refused tokens are invalidated first.
    if (redirect === undefined && this.#isRefreshing) throw new McpFault('refused', NOT_REFRESHED);
    await redirect?.open(page);
  }

  async saveCodeVerifier(verifier: string): Promise<void> {
    await this.#write({ verifier });
  }

  async codeVerifier(): Promise<string> {
    return (await this.#read()).verifier ?? '';
  }

  async saveDiscoveryState(discovery: unknown): Promise<void> {
    await this.#write({ discovery });
  }

  // The SDK's type of this state is not exported; it gets the value back that it has saved.
  async discoveryState(): Promise<never> {
    return (await this.#read()).discovery as never;
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    const all = scope === 'all';
    const { tokens } = await this.#read();
    // A refresh token is valid once: another window, or a request beside this one, may have refreshed them.
    const isRefreshed = tokens !== undefined && tokens['access_token'] !== this.#used;
    await this.#write({
      ...(all || scope === 'client' ? { client: undefined } : {}),
      ...((all || scope === 'tokens') && !isRefreshed ? { tokens: undefined } : {}),
      ...(all || scope === 'verifier' ? { verifier: undefined } : {}),
      ...(all || scope === 'discovery' ? { discovery: undefined } : {}),
    });
  }

  /** Reads it anew each time: every window has a connection of its own. */
  async #read(): Promise<Stored> {
    const { secrets, server, redirect } = this.#options;
    const stored = storedSchema.safeParse(parseJson((await secrets.read(server.url)) ?? ''));
    const known = stored.success ? stored.data : { redirectUrl: redirect?.url ?? '' };
    // A client is registered for one address to come back to.
    const isSame = redirect === undefined || known.redirectUrl === redirect.url;
    this.#stored = isSame ? known : { ...known, redirectUrl: redirect.url, client: undefined, discovery: undefined };
    this.#hide(this.#stored);
    return this.#stored;
  }

  async #write(change: Partial<Stored>): Promise<void> {
    const stored = { ...(await this.#read()), ...change };
    this.#stored = stored;
    this.#hide(stored);
    await this.#options.secrets.write(this.#options.server.url, JSON.stringify(stored));
  }

  #hide({ client, tokens }: Stored): void {
    const secrets = [client?.['client_secret'], tokens?.['access_token'], tokens?.['refresh_token']];
    for (const secret of secrets) if (typeof secret === 'string') this.#options.hide(secret);
  }
}
