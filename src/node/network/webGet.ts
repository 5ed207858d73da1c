/**
 * The Web port on `node:http`: one GET, no redirects, no cookies, no keys. The name is resolved once, its addresses are
 * checked, and the connection goes to one of these: a name that changes its address in between (DNS rebinding) cannot
 * lead to a private one.
 */
import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { type Address, pinned, type Resolve, resolveAll } from './addresses.ts';
import { isPrivateAddress, isPrivateName } from './privateAddresses.ts';
import { type Web, type WebAnswer, WebError, type WebRequest } from '../../core/ports.ts';
import { errorCode, messageOf } from '../../core/util/fileErrors.ts';
import { ProxyRoute } from './proxy/proxyRoute.ts';
import { decoded, isKnownEncoding } from './responseBody.ts';

export interface WebGetOptions {
  /** `undefined`: no proxy is set up by Tiller. */
  readonly proxyFor?: (url: URL) => URL | undefined;
  readonly resolve?: Resolve;
}

export function createWebGet({ proxyFor, resolve = resolveAll }: WebGetOptions = {}): Web {
  return {
    isPrivate: isPrivateName,
    async get(request) {
      const { url, signal } = request;
      signal.throwIfAborted();
      const proxy = proxyFor?.(url);
      try {
        const addresses = await addressesOf(request, resolve, proxy !== undefined);
        return await send(request, addresses, proxy && new ProxyRoute(proxy));
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof WebError) throw error;
        throw new WebError('failed', `${url.host} could not be reached (${errorCode(error) ?? messageOf(error)}).`);
      }
    },
  };
}

/** The addresses that may be connected to; `undefined` where a proxy resolves a name that is not known here. */
async function addressesOf(
  { url, mayBePrivate }: WebRequest,
  resolve: Resolve,
  hasProxy: boolean,
): Promise<readonly Address[] | undefined> {
  const name = url.hostname.replace(/^\[|\]$/g, '');
  let found: readonly Address[];
  try {
    found = isIP(name) === 0 ? await resolve(name) : [{ address: name, family: isIP(name) }];
  } catch (error) {
    if (hasProxy) return undefined;
    throw error;
  }
  if (mayBePrivate || found.every(({ address }) => !isPrivateAddress(address))) return found;
  throw new WebError('private', `${url.host} leads to an address on this machine or in a private network.`);
}

function send(
  { url, accept, maxBytes, signal }: WebRequest,
  addresses: readonly Address[] | undefined,
  route: ProxyRoute | undefined,
): Promise<WebAnswer> {
  const headers = { accept, 'user-agent': 'Tiller (fetch_url)', 'accept-encoding': 'gzip, deflate, br' };
  return new Promise((resolve, reject) => {
    const request = route
      ? route.request(url, { method: 'GET', headers }, 'new')
      : (url.protocol === 'https:' ? https : http).request(url, {
          headers,
          agent: false,
          signal,
          ...(addresses === undefined ? {} : { lookup: pinned(url.hostname, addresses) }),
        });
    const abort = () => request.destroy(new Error('stopped'));
    signal.addEventListener('abort', abort, { once: true });
    request.once('close', () => signal.removeEventListener('abort', abort));
    request.once('error', reject);
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new WebError('failed', `${url.host} answered with another protocol.`));
    });
    request.once('response', (response) => {
      const location = response.headers.location;
      const answer = {
        status: response.statusCode ?? 0,
        contentType: response.headers['content-type'] ?? '',
        location: location !== undefined && URL.canParse(location, url.href) ? new URL(location, url.href) : undefined,
      };
      const encoding = response.headers['content-encoding'] ?? null;
      if (!isKnownEncoding(encoding)) {
        response.destroy();
        return reject(new WebError('failed', `${url.host} answers in an encoding that cannot be read.`));
      }
      const damaged = (error: unknown) =>
        new WebError('failed', `The answer of ${url.host} is damaged (${errorCode(error)}).`);
      read(decoded(response, encoding), maxBytes).then(
        (body) => resolve({ ...answer, ...body }),
        (error: unknown) => reject(errorCode(error)?.startsWith('Z_') === true ? damaged(error) : error),
      );
    });
    request.end();
  });
}

/** Reads at most `maxBytes`; then the connection is closed. */
async function read(body: Readable, maxBytes: number): Promise<Pick<WebAnswer, 'bytes' | 'isCut'>> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    pieces.push(piece);
    size += piece.length;
    if (size > maxBytes) break;
  }
  body.destroy();
  return { bytes: Buffer.concat(pieces).subarray(0, maxBytes), isCut: size > maxBytes };
}
