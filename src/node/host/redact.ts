/** Redacts secrets from logs: registered ones, and text that looks like one. */
import { HIDDEN, SecretRedactor } from '../../core/util/secretRedactor.ts';

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${HIDDEN}`],
  [/\bsk-[\w-]{8,}/g, HIDDEN],
  [/\bgh[opsur]_\w{16,}|\bgithub_pat_\w{16,}/g, HIDDEN],
  [/((?:api[-_]?key|x-api-key|password|secret|access[-_]?token)["']?\s*[:=]\s*["']?)[^\s"',}]+/gi, `$1${HIDDEN}`],
  [/(--?(?:api[-_]?key|password|passwd|secret|token|access[-_]?token)[= ]\s*["']?)[^\s"']+/gi, `$1${HIDDEN}`],
];

/** An option of a command whose value is the next argument. */
const SECRET_OPTION = /^--?(api[-_]?key|password|passwd|secret|token|access[-_]?token)$/i;

const SECRET_VARIABLE = /(^|_)(API_?KEY|KEY|SECRET|TOKEN|PASSWORD|PASSWD)$/i;

/** The values of environment variables whose names mark them as secrets. */
export function secretsIn(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) => (value && SECRET_VARIABLE.test(name) ? [value] : []));
}

export interface Redactor {
  /** Redacts this value from now on wherever it appears. */
  hide(secret: string): void;
  redact(text: string): string;
  /** Redacts registered secrets only: for files that are read again, and for texts that arrive in pieces. */
  readonly registered: SecretRedactor;
}

/** Makes a redactor that knows no secret yet, but the forms of the usual keys. */
export function createRedactor(): Redactor {
  const registered = new SecretRedactor();
  return {
    registered,
    hide: (secret) => registered.hold(secret),
    redact(text) {
      let safe = registered.hide(text);
      for (const [pattern, replacement] of PATTERNS) safe = safe.replace(pattern, replacement);
      return safe;
    },
  };
}

/** `parseJson` returns nothing that is nested deeper; values of libraries may be. */
const MAX_LEVELS = 600;

/**
 * Returns the value with every text in it redacted; in a list of arguments also the one after `--password`. Parts that
 * are nested too deeply are replaced by a text that says so.
 */
export function redactDeep(value: unknown, redact: (text: string) => string, level = 0): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (level > MAX_LEVELS) return '[nested too deeply]';
  const inner = (part: unknown) => redactDeep(part, redact, level + 1);
  if (Array.isArray(value)) {
    return value.map((element: unknown, index) => {
      const before: unknown = value[index - 1];
      const isSecret = typeof element === 'string' && typeof before === 'string' && SECRET_OPTION.test(before);
      return isSecret ? HIDDEN : inner(element);
    });
  }
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, inner(field)]));
}
