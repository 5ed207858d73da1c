/** Pages of the web. */

export interface WebRequest {
  /** http or https, without a user and a fragment. */
  readonly url: URL;
  /** The header `accept`. */
  readonly accept: string;
  /** The limit of the decompressed body; the rest is not read. */
  readonly maxBytes: number;
  /** False: an address on this machine or in a private network is refused, also when a name leads to it. */
  readonly mayBePrivate: boolean;
  readonly signal: AbortSignal;
}

export interface WebAnswer {
  readonly status: number;
  /** Empty where the server sends none. */
  readonly contentType: string;
  /** Absolute; of a redirect, which is not followed. */
  readonly location: URL | undefined;
  readonly bytes: Uint8Array;
  /** There was more than `maxBytes`. */
  readonly isCut: boolean;
}

/** `private`: the address was refused. The message is a sentence for the model. */
export class WebError extends Error {
  readonly code: 'private' | 'failed';

  constructor(code: WebError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Public pages, without keys and cookies. */
export interface Web {
  /**
   * True for the host of a URL that is an address, or a name, of this machine or of a private network. Makes no
   * look-up.
   */
  isPrivate(hostname: string): boolean;
  /** Sends one GET request. @throws WebError; rejects with the signal's reason when that aborts. */
  get(request: WebRequest): Promise<WebAnswer>;
}
