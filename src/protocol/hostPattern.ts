/**
 * Hosts that commands in the sandbox may reach, as settings and rules name them: `registry.npmjs.org`, `*.pypi.org`,
 * `github.com:22`, `10.1.2.3:8080`, `[fd00::1]`. Without a port a pattern means the two usual ones. `*.` stands for one
 * or more labels in front of a domain, and not for the domain itself.
 */
import * as z from 'zod';

/** The ports of http and https. */
const USUAL_PORTS: readonly number[] = [80, 443];
const PATTERN = /^(\*\.)?([^\s/:@?#%\\[\]*]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;
/** Characters of a name in the domain name system (RFC 1035). */
const MAX_NAME = 253;

/** A name in lower case, or an address as URLs write it (IPv6 in brackets), with a port. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

export type ParsedHost = { readonly pattern: string } | { readonly problem: string };

/** Returns the one form of a pattern, in which equal ones are equal texts, or why it names no host. */
export function parseHostPattern(text: string): ParsedHost {
  const [, wildcard = '', name = '', digits] = PATTERN.exec(text) ?? [];
  const host = name === '' ? undefined : canonicalHost(name);
  if (host === undefined) {
    return { problem: 'must be a host such as registry.npmjs.org, *.pypi.org or github.com:22, without https://' };
  }
  if (wildcard !== '' && (isAddress(host) || !host.includes('.'))) {
    return { problem: 'must name a domain of at least two parts after *.' };
  }
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && !isPort(port)) return { problem: 'must have a port between 1 and 65535' };
  return { pattern: `${wildcard}${host}${port === undefined ? '' : `:${port}`}` };
}

/** A host as `parseHostPattern` takes it. */
export const hostPatternSchema = z.string().superRefine((text, context) => {
  const parsed = parseHostPattern(text);
  if ('problem' in parsed) context.addIssue({ code: 'custom', message: parsed.problem });
});

/**
 * The host of a URL or a request in its one form: names in lower case and ASCII without a dot at the end, addresses as
 * URLs write them. `undefined` where it is none.
 */
export function canonicalHost(text: string): string | undefined {
  const written = `http://${text}/`;
  if (/[\s/@?#\\]/.test(text) || !URL.canParse(written)) return undefined;
  const host = new URL(written).hostname.replace(/\.$/, '');
  if (host.startsWith('[')) return host;
  return host.length <= MAX_NAME && host.split('.').every((label) => LABEL.test(label)) ? host : undefined;
}

/** Reads `host:port`, as a CONNECT request names its target. */
export function parseHostAndPort(text: string): HostAndPort | undefined {
  const [, name = '', digits = ''] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(text) ?? [];
  const host = canonicalHost(name);
  const port = Number(digits);
  return host === undefined || !isPort(port) ? undefined : { host, port };
}

/** `host:port`: the form in which refused hosts are named. */
export function formatHost({ host, port }: HostAndPort): string {
  return `${host}:${port}`;
}

/** Every pattern that covers a host, the narrowest first. */
export function patternsCovering({ host, port }: HostAndPort): readonly string[] {
  return [host, ...(isAddress(host) ? [] : domainsOf(host))].flatMap((name) => [
    `${name}:${port}`,
    ...(USUAL_PORTS.includes(port) ? [name] : []),
  ]);
}

/** True for an IPv4 address and an IPv6 address in brackets, in their one form. */
export function isAddress(host: string): boolean {
  return host.startsWith('[') || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host);
}

/** `a.b.c.org` lies in `*.b.c.org` and `*.c.org`; no pattern names `*.org`. */
function domainsOf(host: string): readonly string[] {
  const labels = host.split('.');
  return labels.slice(1, -1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`);
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}
