/**
 * A failure of, or on the way to, a proxy. The message names the proxy, to distinguish it from a failure of the server.
 */
export class ProxyFailure extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = 'ProxyFailure';
    this.code = code;
  }
}
