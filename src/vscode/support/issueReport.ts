import { DEFAULT_SETTINGS, type Settings } from '../../protocol/settings.ts';

const LEFT_OUT = '[left out]';

export interface IssueFacts {
  /** Names and values, e.g. versions. */
  readonly environment: readonly (readonly [name: string, value: string])[];
  readonly settings: Settings;
  /** The last lines of the log. */
  readonly log: readonly string[];
}

/**
 * A report for the issue tracker, as Markdown: headings for the user to fill in, the facts, settings that differ from
 * their defaults, the end of the log. The values of headers, query parameters and variables are always left out, as are
 * paths of servers and the user's own instructions; `redact` replaces known secrets in all the rest.
 */
export function issueReport({ environment, settings, log }: IssueFacts, redact: (text: string) => string): string {
  const defaults: Readonly<Record<string, unknown>> = withoutSecrets(DEFAULT_SETTINGS);
  const changed = Object.entries(withoutSecrets(settings)).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(defaults[key]),
  );
  const lines = [
    '## What happened, and what did you expect?',
    '',
    '',
    '## Steps to reproduce',
    '',
    '1. ',
    '',
    '## Environment',
    '',
    ...environment.map(([name, value]) => `- ${name}: ${value}`),
    '',
    '## Settings that differ from their defaults',
    '',
    '```json',
    JSON.stringify(Object.fromEntries(changed), null, 2),
    '```',
    '',
    `## The last ${log.length} lines of the log`,
    '',
    '```',
    ...log.map((line) => line.replaceAll('```', "'''")),
    '```',
    '',
  ];
  return redact(lines.join('\n'));
}

function withoutSecrets(settings: Settings): Record<string, unknown> {
  const { providers, baseUrl, environment, userInstructions } = settings;
  const shown = Object.entries(providers).map(([id, { headers, queryParams, ...provider }]) => {
    const values = { headers: valuesLeftOut(headers), queryParams: valuesLeftOut(queryParams) };
    return [id, { ...provider, ...values, baseUrl: originOf(provider.baseUrl) }] as const;
  });
  return {
    ...settings,
    baseUrl: baseUrl === null ? null : originOf(baseUrl),
    providers: Object.fromEntries(shown),
    environment: { ...environment, set: valuesLeftOut(environment.set) },
    userInstructions: userInstructions === '' ? '' : LEFT_OUT,
  };
}

function valuesLeftOut(record: Readonly<Record<string, string>> | undefined): Record<string, string> | undefined {
  return record && Object.fromEntries(Object.keys(record).map((name) => [name, LEFT_OUT]));
}

/** The rest of a URL may contain a password or a token. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : LEFT_OUT;
}
