/** Keeps keys out of logs: those it was told of, and whatever looks like one. */
import { HIDDEN, SecretRedactor } from '../../core/util/secretRedactor.ts';

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${HIDDEN}`],
  [/\bsk-[\w-]{8,}/g, HIDDEN],
  [/\bgh[opsur]_\w{16,}|\bgithub_pat_\w{16,}/g, HIDDEN],
  [/((?:api[-_]?key|x-api-key|password|secret|access[-_]?token)["']?\s*[:=]\s*["']?)[^\s"',}]+/gi, `$1${HIDDEN}`],
  [/(--?(?:api[-_]?key|password|passwd|secret|token|access[-_]?token)[= ]\s*["']?)[^\s"']+/gi, `$1${HIDDEN}`],
];

/** An option of a command whose value is the next word. */
const SECRET_OPTION = /^--?(api[-_]?key|password|passwd|secret|token|access[-_]?token)$/i;

const SECRET_VARIABLE = /(^|_)(API_?KEY|KEY|SECRET|TOKEN|PASSWORD|PASSWD)$/i;

/** What the environment holds for others to keep quiet about. */
export function secretsIn(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) => (value && SECRET_VARIABLE.test(name) ? [value] : []));
}

export interface Redactor {
  /** From now on this value is hidden wherever it appears. */
  hide(secret: string): void;
  redact(text: string): string;
  /** What it was told of and nothing that only looks like it: for files that are read again, and texts in pieces. */
  readonly told: SecretRedactor;
}

export function createRedactor(): Redactor {
  const told = new SecretRedactor();
  return {
    told,
    hide: (secret) => told.hold(secret),
    redact(text) {
      let safe = told.hide(text);
      for (const [pattern, replacement] of PATTERNS) safe = safe.replace(pattern, replacement);
      return safe;
    },
  };
}

/** The same value with every text in it made safe; in a list of words also the one that follows `--password`. */
export function redactDeep(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) {
    return value.map((one: unknown, index) => {
      const before: unknown = value[index - 1];
      const isSecret = typeof one === 'string' && typeof before === 'string' && SECRET_OPTION.test(before);
      return isSecret ? HIDDEN : redactDeep(one, redact);
    });
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, redactDeep(one, redact)]));
}
