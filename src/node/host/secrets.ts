import type { Secrets } from '../../core/ports.ts';

const OPENAI_ORIGIN = 'https://api.openai.com';

/**
 * Keys from the environment. TILLER_API_KEY belongs to the origin of the configured base URL, OPENAI_API_KEY to
 * OpenAI's; neither is ever sent to another (docs/design.md decision 12).
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
      return asked === OPENAI_ORIGIN ? environment.OPENAI_API_KEY || undefined : undefined;
    },
  };
}

/** Tiller's own keys in an environment. */
export function keysIn({ TILLER_API_KEY, OPENAI_API_KEY }: Readonly<Record<string, string | undefined>>): string[] {
  return [TILLER_API_KEY, OPENAI_API_KEY].filter((key) => key !== undefined);
}

/** `undefined` for URLs without an origin, such as `file:`, and for other texts. */
function originOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { origin } = new URL(address);
  return origin === 'null' ? undefined : origin;
}
