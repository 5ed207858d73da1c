/**
 * The proxy that the environment names for a URL, with curl's rules: `https_proxy`, `http_proxy`, `all_proxy`,
 * `no_proxy`, lower case first. For the command line only: in VS Code the proxy is VS Code's setting.
 */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { ProxyFailure } from './proxyFailure.ts';

/** `undefined`: no proxy. @throws ProxyFailure when the variable names no usable proxy. */
export function proxyFor(url: URL, environment: NodeJS.ProcessEnv): URL | undefined {
  const host = bare(url.hostname);
  if (isThisMachine(host)) return undefined;
  const valueOf = (name: string) => environment[name] || environment[name.toUpperCase()] || undefined;
  const named = valueOf(url.protocol === 'https:' ? 'https_proxy' : 'http_proxy') ?? valueOf('all_proxy');
  if (named === undefined) return undefined;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const exempt = (valueOf('no_proxy') ?? '').toLowerCase().split(/[\s,]+/);
  if (exempt.some((entry) => entry !== '' && covers(entry, host, port))) return undefined;
  return addressOf(named);
}

/** A server on the same machine is never behind a proxy; VS Code has the same rule. */
function isThisMachine(host: string): boolean {
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
  );
}

/** `*`, a domain with all names that end in it, an address, a range of addresses; each optionally with a port. */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInRange(host, entry);
  const [, name = entry, entryPort] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(entry) ?? [];
  if (entryPort !== undefined && entryPort !== port) return false;
  const suffix = bare(name).replace(/^\*?\./, '');
  return host === suffix || (isIP(host) === 0 && host.endsWith(`.${suffix}`));
}

function isInRange(host: string, range: string): boolean {
  const [network = '', bits] = range.split('/');
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(bits ?? '')) return false;
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** Errors do not contain the value: it may include a password. */
function addressOf(named: string): URL {
  const address = named.includes('://') ? named : `http://${named}`;
  if (!URL.canParse(address)) throw unusable('The environment names a proxy by something that is no address.');
  const proxy = new URL(address);
  if (proxy.protocol === 'http:' || proxy.protocol === 'https:') return proxy;
  throw unusable(`The environment names a ${proxy.protocol}// proxy; only http:// and https:// proxies can be used.`);
}

function unusable(message: string): ProxyFailure {
  return new ProxyFailure(message, 'ERR_INVALID_PROTOCOL');
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '').toLowerCase();
}
