/**
 * Addresses that are not on the public internet: this machine, private networks, metadata services of clouds. From the IANA
 * special-purpose registries (RFC 6890, RFC 8190) and multicast.
 */
import { BlockList, isIP } from 'node:net';

/** IPv4. */
const NOT_PUBLIC = [
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
] as const;

/** Addresses of IPv6 that are allocated to the public internet. */
const PUBLIC_IPV6 = [['2000::', 3]] as const;
/** Ranges of these that are not public, or lead to an IPv4 address that is not checked: Teredo, documentation, 6to4. */
const NOT_PUBLIC_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

interface Ranges {
  readonly notPublic: BlockList;
  readonly publicIpv6: BlockList;
  readonly notPublicIpv6: BlockList;
}

/** Made for the first address: it takes 1 ms, and most processes ask for none. */
let ranges: Ranges | undefined;

function makeRanges(): Ranges {
  return {
    notPublic: listOf(NOT_PUBLIC, 'ipv4'),
    publicIpv6: listOf(PUBLIC_IPV6, 'ipv6'),
    notPublicIpv6: listOf(NOT_PUBLIC_IPV6, 'ipv6'),
  };
}

function listOf(subnets: readonly (readonly [network: string, prefix: number])[], type: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, type);
  return list;
}

/** True for an IPv4 or IPv6 address that is not public, and for a text that is not an address. */
export function isPrivateAddress(address: string): boolean {
  ranges ??= makeRanges();
  switch (isIP(address)) {
    case 4:
      return ranges.notPublic.check(address, 'ipv4');
    case 6:
      // Mapped addresses (::ffff:…) are outside 2000::/3, too.
      return !ranges.publicIpv6.check(address, 'ipv6') || ranges.notPublicIpv6.check(address, 'ipv6');
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
