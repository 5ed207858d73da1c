import type { Secrets } from '../../core/ports.ts';
import { ownValue } from '../../protocol/ownValue.ts';

/** The variables of providers, whose keys are for one origin each. */
const VARIABLES = {
  'https://api.openai.com': 'OPENAI_API_KEY',
  'https://api.anthropic.com': 'ANTHROPIC_API_KEY',
} as const satisfies Readonly<Record<string, string>>;

/**
 * Keys from the environment. TILLER_API_KEY belongs to the origin of the configured base URL, OPENAI_API_KEY to
 * OpenAI's, ANTHROPIC_API_KEY to Anthropic's; none is ever sent to another (docs/design.md decision 12).
 */
export function createEnvironmentSecrets(
  environment: Readonly<Record<string, string | undefined>>,
  baseUrl: string | undefined,
): Secrets {
  const configuredOrigin = baseUrl === undefined ? undefined : originOf(baseUrl);
  return {
    async keyFor(origin) {
      const asked = originOf(origin);
      if (asked === undefined) return undefined;
      if (asked === configuredOrigin && environment.TILLER_API_KEY) return environment.TILLER_API_KEY;
      const variable = ownValue<string>(VARIABLES, asked);
      return variable === undefined ? undefined : environment[variable] || undefined;
    },
  };
}

/** The variables that can contain the key for this address; the first one that is set counts. */
export function keyVariablesFor(baseUrl: string): readonly string[] {
  const variable = ownValue<string>(VARIABLES, originOf(baseUrl) ?? '');
  return ['TILLER_API_KEY', ...(variable === undefined ? [] : [variable])];
}

/** Tiller's own keys in an environment. */
export function keysIn(environment: Readonly<Record<string, string | undefined>>): string[] {
  return ['TILLER_API_KEY', ...Object.values(VARIABLES)].flatMap((variable) => environment[variable] ?? []);
}

/** `undefined` for URLs without an origin, such as `file:`, and for other texts. */
function originOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { origin } = new URL(address);
  return origin === 'null' ? undefined : origin;
}
