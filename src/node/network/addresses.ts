/** Looks up the addresses of a name once, so that what was checked is what is connected to. */
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Resolves a name to all of its addresses. Rejects like `dns.lookup`. */
export type Resolve = (hostname: string) => Promise<readonly Address[]>;

export function resolveAll(hostname: string): Promise<readonly Address[]> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}

/** Answers for this name with the addresses that were checked; other names, such as that of a proxy, are looked up. */
export function pinned(hostname: string, addresses: readonly Address[]): LookupFunction {
  return (name, options, callback) => {
    if (name !== hostname) return lookup(name, options, callback);
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else if (first) callback(null, first.address, first.family);
    else callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '');
  };
}
