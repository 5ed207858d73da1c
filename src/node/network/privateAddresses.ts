/**
 * Addresses that are not on the public internet: this machine, private networks, metadata services of clouds. From the IANA
 * special-purpose registries (RFC 6890, RFC 8190) and multicast.
 */
import { BlockList, isIP } from 'node:net';

const NOT_PUBLIC = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv4');
}

/** Addresses of IPv6 that are allocated to the public internet. */
const PUBLIC_IPV6 = new BlockList();
PUBLIC_IPV6.addSubnet('2000::', 3, 'ipv6');
/** Ranges of these that are not public, or lead to an IPv4 address that is not checked: Teredo, documentation, 6to4. */
const NOT_PUBLIC_IPV6 = new BlockList();
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  NOT_PUBLIC_IPV6.addSubnet(network, prefix, 'ipv6');
}

/** True for an IPv4 or IPv6 address that is not public, and for a text that is not an address. */
export function isPrivateAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return NOT_PUBLIC.check(address, 'ipv4');
    case 6:
      // Mapped addresses (::ffff:…) are outside 2000::/3, too.
      return !PUBLIC_IPV6.check(address, 'ipv6') || NOT_PUBLIC_IPV6.check(address, 'ipv6');
    default:
      return true;
  }
}

/** True for the host of a URL that is a private address, or a name that is never public (RFC 6761, RFC 6762). */
export function isPrivateName(hostname: string): boolean {
  const name = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (isIP(name) !== 0) return isPrivateAddress(name);
  return /(?:^|\.)(?:localhost|local|internal|home\.arpa|lan)$/.test(name) || !name.includes('.');
}
