/** Reads the hosts that programs could not find, because there is no network, from their messages. */
import { parseHostPattern } from '../../protocol/hostPattern.ts';

/** Each with the name, and the port where the message has it. */
const MESSAGES: readonly RegExp[] = [
  // curl, git, cargo
  /could not resolve host: ["']?([\w.-]+)/gi,
  // node, npm, pnpm, yarn
  /getaddrinfo E[A-Z_]+ ([\w.-]+)(?::(\d+))?/g,
  // wget
  /unable to resolve host address [\u2018'"`]([\w.-]+)/g,
  // pip and other programs in Python
  /HTTPS?ConnectionPool\(host='([\w.-]+)', port=(\d+)\)/g,
  /failed to resolve '([\w.-]+)'/gi,
  // Go
  /dial tcp: lookup ([\w.-]+)/g,
  // Ruby
  /TCP connection to ([\w.-]+):(\d+) \(getaddrinfo/g,
  // apt
  /temporary failure resolving '([\w.-]+)'/gi,
];
/** In one question to the user. */
const MOST_HOSTS = 10;

/**
 * Returns patterns (protocol/hostPattern.ts), each once, in the order in which the output names them. A guess from
 * messages: the user sees the names before they count.
 */
export function hostsNamedIn(output: string): readonly string[] {
  const found = MESSAGES.flatMap((message) => [...output.matchAll(message)]).toSorted(
    (one, other) => one.index - other.index,
  );
  const patterns = found.flatMap(([, name = '', port]) => {
    const host = name.replace(/\.+$/, '');
    // A name without a dot is of this machine or its network, where no proxy leads.
    if (!host.includes('.')) return [];
    const isUsual = port === undefined || port === '443' || port === '80';
    const parsed = parseHostPattern(isUsual ? host : `${host}:${port}`);
    return 'pattern' in parsed ? [parsed.pattern] : [];
  });
  return [...new Set(patterns)].slice(0, MOST_HOSTS);
}
