/** Keeps keys out of logs: those it was told of, and whatever looks like one. */

const HIDDEN = '[hidden]';
/** A shorter one would hide half of every line. */
const SHORTEST_SECRET = 6;

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${HIDDEN}`],
  [/\bsk-[\w-]{8,}/g, HIDDEN],
  [/\bgh[opsur]_\w{16,}|\bgithub_pat_\w{16,}/g, HIDDEN],
  [/((?:api[-_]?key|x-api-key|password|secret|access[-_]?token)["']?\s*[:=]\s*["']?)[^\s"',}]+/gi, `$1${HIDDEN}`],
];

export interface Redactor {
  /** From now on this value is hidden wherever it appears. */
  hide(secret: string): void;
  redact(text: string): string;
}

export function createRedactor(): Redactor {
  const secrets = new Set<string>();
  return {
    hide(secret) {
      if (secret.length >= SHORTEST_SECRET) secrets.add(secret);
    },
    redact(text) {
      let safe = text;
      for (const secret of secrets) safe = safe.replaceAll(secret, HIDDEN);
      for (const [pattern, replacement] of PATTERNS) safe = safe.replace(pattern, replacement);
      return safe;
    },
  };
}
