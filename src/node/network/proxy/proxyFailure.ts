/** Something on the way to a proxy or in it. The message names the proxy: that is how it is told from the server's. */
export class ProxyFailure extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = 'ProxyFailure';
    this.code = code;
  }
}
