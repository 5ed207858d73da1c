/** An MCP server that requires authorization, with its authorization server: OAuth 2.1 with PKCE, as of 2025-11-25. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface AuthorizationServerOptions {
  /** The issuer that responses contain; the correct one by default. */
  readonly iss?: string;
  readonly registers?: boolean;
  /** True if it accepts the address of a document as the id of a client. */
  readonly takesDocuments?: boolean;
}

export class AuthorizationServer {
  readonly #server = createServer((incoming, outgoing) => void this.#answer(incoming, outgoing));
  readonly #options: AuthorizationServerOptions;
  readonly #codes = new Map<string, { readonly challenge: string; readonly redirect: string }>();
  /** The access tokens that it accepts. */
  readonly valid = new Set<string>();
  readonly #refresh = new Set<string>();
  /** The names of the clients that have registered, and the client ids of all requests. */
  readonly registered: string[] = [];
  readonly clientIds: string[] = [];
  readonly resources: string[] = [];
  refreshed = 0;
  /** The errors with which the next requests for tokens fail, with status 503. */
  readonly failures: string[] = [];

  private constructor(options: AuthorizationServerOptions) {
    this.#options = options;
  }

  static async start(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
    const made = new AuthorizationServer(options);
    made.#server.listen(0, '127.0.0.1');
    await once(made.#server, 'listening');
    return made;
  }

  /** Revokes all tokens: the user has to authorize again. */
  revoke(): void {
    this.valid.clear();
    this.#refresh.clear();
  }

  get origin(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  /**
   * Acts as the browser: opens the page, and resolves with the parameters of the address to which the user is sent
   * back.
   */
  async visit(page: URL): Promise<URLSearchParams> {
    const response = await fetch(page, { redirect: 'manual' });
    return new URL(response.headers.get('location') ?? '').searchParams;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const url = new URL(incoming.url ?? '', this.origin);
    const json = (status: number, value: unknown) =>
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    switch (url.pathname) {
      case '/.well-known/oauth-protected-resource/mcp':
        return void json(200, { resource: this.url, authorization_servers: [this.origin] });
      case '/.well-known/oauth-authorization-server':
        return void json(200, {
          issuer: this.origin,
          authorization_endpoint: `${this.origin}/authorize`,
          token_endpoint: `${this.origin}/token`,
          ...(this.#options.registers === false ? {} : { registration_endpoint: `${this.origin}/register` }),
          ...(this.#options.takesDocuments ? { client_id_metadata_document_supported: true } : {}),
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          authorization_response_iss_parameter_supported: true,
        });
      case '/register': {
        const metadata = JSON.parse(body) as { client_name: string };
        this.registered.push(metadata.client_name);
        return void json(201, { ...metadata, client_id: 'registered-1' });
      }
      case '/authorize': {
        const given = url.searchParams;
        this.clientIds.push(given.get('client_id') ?? '');
        this.resources.push(given.get('resource') ?? '');
        const code = randomBytes(8).toString('hex');
        const redirect = given.get('redirect_uri') ?? '';
        this.#codes.set(code, { challenge: given.get('code_challenge') ?? '', redirect });
        const back = new URL(redirect);
        back.searchParams.set('code', code);
        back.searchParams.set('state', given.get('state') ?? '');
        back.searchParams.set('iss', this.#options.iss ?? this.origin);
        return void outgoing.writeHead(302, { location: back.href }).end();
      }
      case '/token':
        return this.#token(new URLSearchParams(body), json);
      case '/mcp':
        return this.#mcp(incoming, body, outgoing, json);
      default:
        return void json(404, {});
    }
  }

  #token(given: URLSearchParams, json: (status: number, value: unknown) => unknown): void {
    const issue = () => {
      const access = randomBytes(8).toString('hex');
      const refresh = randomBytes(8).toString('hex');
      this.valid.add(access);
      this.#refresh.add(refresh);
      json(200, { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 3600 });
    };
    const error = this.failures.shift();
    if (error !== undefined) return void json(503, { error });
    if (given.get('grant_type') === 'refresh_token') {
      if (!this.#refresh.delete(given.get('refresh_token') ?? '')) return void json(400, { error: 'invalid_grant' });
      this.refreshed++;
      return issue();
    }
    const code = this.#codes.get(given.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight = code?.challenge === challenge && code.redirect === given.get('redirect_uri');
    if (!isRight) return void json(400, { error: 'invalid_grant' });
    issue();
  }

  #mcp(
    { headers, method }: IncomingMessage,
    body: string,
    outgoing: ServerResponse,
    json: (status: number, value: unknown) => unknown,
  ): void {
    if (!this.valid.has(headers.authorization?.replace('Bearer ', '') ?? '')) {
      const metadata = `${this.origin}/.well-known/oauth-protected-resource/mcp`;
      return void outgoing.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
    }
    if (method !== 'POST') return void outgoing.writeHead(405).end();
    const { id, method: asked } = JSON.parse(body) as { id?: number; method: string };
    if (id === undefined) return void outgoing.writeHead(202).end();
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'guarded', version: '1' },
      },
      'tools/list': {
        tools: [{ name: 'secret', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
      },
      'tools/call': { content: [{ type: 'text', text: 'the secret' }] },
    };
    const result = results[asked];
    json(200, {
      jsonrpc: '2.0',
      id,
      ...(result === undefined ? { error: { code: -32601, message: 'no' } } : { result }),
    });
  }
}
