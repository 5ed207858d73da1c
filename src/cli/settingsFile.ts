import { parse, type ParseError, printParseErrorCode } from 'jsonc-parser';
import type { Storage } from '../core/ports.ts';
import { describeFileError } from '../core/util/fileErrors.ts';
import { withoutByteOrderMark } from '../core/util/textBytes.ts';
import { countLineBreaks } from '../core/util/tokens.ts';
import { parseSettings, placeSetting, type Settings, SETTING_KEYS } from '../protocol/settings.ts';
import { UsageError } from './usage.ts';

/**
 * Reads the settings. Flags take precedence over `-c`, then come the environment, `settings.json` and the defaults
 * (docs/cli.md, "State").
 * @throws UsageError for an invalid value. An unknown key in the file only causes a warning, because a newer Tiller may
 * have written it.
 */
export async function loadSettings(
  storage: Storage,
  layers: {
    readonly flags: Readonly<Record<string, unknown>>;
    readonly config: readonly string[];
    readonly environment: Readonly<Record<string, string | undefined>>;
  },
  warn: (message: string) => void,
): Promise<Settings> {
  let values = await readSettingsFile(storage, warn);
  const { TILLER_MODEL, TILLER_BASE_URL } = layers.environment;
  if (TILLER_MODEL) values = { ...values, model: TILLER_MODEL };
  if (TILLER_BASE_URL) values = { ...values, baseUrl: TILLER_BASE_URL };
  for (const assignment of layers.config) values = withAssignment(values, assignment);
  const result = parseSettings({ ...values, ...layers.flags });
  if (result.type === 'invalid') throw new UsageError(result.message);
  return result.settings;
}

async function readSettingsFile(storage: Storage, warn: (message: string) => void): Promise<Record<string, unknown>> {
  const text = await storage.readText('settings.json').catch((error: unknown) => {
    throw new UsageError(describeFileError(error, `${storage.home}/settings.json`));
  });
  if (text === undefined) return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(withoutByteOrderMark(text), errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) {
    const line = 1 + countLineBreaks(text.slice(0, error.offset));
    throw new UsageError(`${storage.home}/settings.json:${line}: not valid JSON (${printParseErrorCode(error.error)})`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${storage.home}/settings.json: must hold an object`);
  }
  const known = Object.entries(value).filter(([key]) => {
    const isKnown = (SETTING_KEYS as readonly string[]).includes(key);
    if (!isKnown) warn(`${storage.home}/settings.json: there is no setting "${key}"`);
    return isKnown;
  });
  return Object.fromEntries(known);
}

/** Applies `-c a.b=V`. If V is valid JSON it is parsed, otherwise it is a string. */
function withAssignment(values: Record<string, unknown>, assignment: string): Record<string, unknown> {
  const at = assignment.indexOf('=');
  if (at <= 0) throw new UsageError(`-c ${assignment}: must be KEY=VALUE`);
  const key = assignment.slice(0, at);
  const placed = placeSetting(values, key, jsonOrString(assignment.slice(at + 1)));
  if (placed === undefined) throw new UsageError(`-c ${key}: there is no such setting`);
  return placed;
}

function jsonOrString(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
