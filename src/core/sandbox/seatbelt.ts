/**
 * A sandbox as a Seatbelt profile for macOS (sandbox-exec(1)). Never run: no Mac was available (docs/not-tested.md).
 * Paths are parameters (`-D`), so that none of their characters can be read as a rule.
 */
import type { SandboxLimits } from '../ports.ts';
import { isWithin } from './within.ts';
import { PROTECTED_ENDING } from './writableRoots.ts';

/**
 * Arguments of `/usr/bin/sandbox-exec` up to the program. The paths must be real: Seatbelt does not follow links.
 * `proxyPort`: of the proxy at 127.0.0.1 that leads to the allowed hosts.
 */
export function seatbeltArguments(limits: SandboxLimits, proxyPort?: number): string[] {
  const { text, parameters } = seatbeltProfile(limits, proxyPort);
  return ['-p', text, ...Object.entries(parameters).flatMap(([name, value]) => ['-D', `${name}=${value}`]), '--'];
}

export interface SeatbeltProfile {
  readonly text: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A later rule wins over an earlier one (Apple's sandbox guide), so the denials inside a folder come after it. */
export function seatbeltProfile(
  { writableRoots, visible, unreadable, network, temporary }: SandboxLimits,
  proxyPort?: number,
): SeatbeltProfile {
  const parameters: Record<string, string> = {};
  const name = (stem: string, index: number, value: string): string => {
    parameters[`${stem}_${index}`] = value;
    return `(param "${stem}_${index}")`;
  };
  const roots = writableRoots.map(({ path }) => path);
  const protectedPaths = writableRoots.flatMap((root) => root.protectedPaths);
  const denied = unreadable.map((path, index) => ({ path, parameter: name('UNREADABLE', index, path) }));
  const isInside = (path: string, folder: string) => path !== folder && isWithin(path, folder);
  const around = denied.filter(({ path }) => visible.some((folder) => isInside(folder, path)));
  const shown = visible.filter((folder) => around.some(({ path }) => isInside(folder, path)));
  const deny = ({ parameter }: (typeof denied)[number]) =>
    `(deny file-read-data file-write* (literal ${parameter}) (subpath ${parameter}))`;
  const lines = [
    ...BASE,
    ...roots.map((path, index) => `(allow file-write* (subpath ${name('WRITABLE', index, path)}))`),
    ...protectedPaths.map((path, index) => {
      const parameter = name('PROTECTED', index, path);
      // Includes the name itself: a process that may rename it may replace it.
      return `(deny file-write* (literal ${parameter}) (subpath ${parameter}))`;
    }),
    ...roots.map(
      (_, index) =>
        `(deny file-write* (require-all (subpath (param "WRITABLE_${index}")) (regex #"${ENDING_PATTERN}")))`,
    ),
    ...around.map(deny),
    ...shown.map((path, index) => `(allow file-read* (subpath ${name('VISIBLE', index, path)}))`),
    ...denied.filter((place) => !around.includes(place)).map(deny),
    // It is in TILLER_HOME, which is unreadable.
    ...(temporary.isTmpdir
      ? [`(allow file-read* file-write* (subpath ${name('TEMPORARY', 0, temporary.folder)}))`]
      : []),
    ...(network ? NETWORK : []),
    ...(proxyPort === undefined ? [] : [`(allow network-outbound (remote ip "localhost:${proxyPort}"))`]),
  ];
  return { text: lines.join('\n'), parameters };
}

const ENDING_PATTERN = `${PROTECTED_ENDING.replaceAll('.', '\\.')}$`;

/** Reading is allowed; writing, and everything that reaches another process, is not. */
const BASE: readonly string[] = [
  '(version 1)',
  '(deny default)',
  '(allow process-exec)',
  '(allow process-fork)',
  '(allow signal (target same-sandbox))',
  '(allow process-info* (target same-sandbox))',
  '(allow file-read*)',
  '(allow file-write-data (require-all (path "/dev/null") (vnode-type CHARACTER-DEVICE)))',
  '(allow file-ioctl file-write-data (regex #"^/dev/(ttys[0-9]+|tty|dtracehelper)$"))',
  '(allow pseudo-tty)',
  '(allow file-read* file-write* file-ioctl (literal "/dev/ptmx"))',
  '(allow sysctl-read)',
  '(allow user-preference-read)',
  '(allow ipc-posix-sem)',
  '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
  '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.membership"))',
  '(allow mach-lookup (global-name "com.apple.system.logger"))',
];

const NETWORK: readonly string[] = [
  '(allow network-outbound (remote ip))',
  '(allow network-inbound (local ip))',
  '(allow network-bind (local ip))',
  '(allow system-socket)',
  '(allow mach-lookup (global-name "com.apple.SystemConfiguration.configd"))',
  '(allow mach-lookup (global-name "com.apple.trustd.agent"))',
  '(allow mach-lookup (global-name "com.apple.dnssd.service"))',
  '(allow network-outbound (literal "/private/var/run/mDNSResponder"))',
];
