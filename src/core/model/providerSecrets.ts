import type { Settings } from '../../protocol/settings.ts';
import type { ProviderConfig } from './providerConfig.ts';

/** Names under which servers take keys; an `anthropic-version` or an `x-title` is no secret and may stand anywhere. */
const SECRET_NAME = /auth|cookie|credential|key|pass|secret|signature|token|^(?:code|sig)$/i;

/** What the settings hold of keys: in headers, in parameters and in addresses of servers. To stand in no file of ours. */
export function secretsInSettings({ providers, baseUrl }: Pick<Settings, 'providers' | 'baseUrl'>): readonly string[] {
  const servers = Object.values(providers);
  const urls = [baseUrl, ...servers.map((server) => server.baseUrl)].flatMap(parsed);
  const named = [...servers.flatMap(namedValues), ...urls.flatMap(({ searchParams }) => [...searchParams])];
  return [
    ...named.flatMap(([name, value]) => (SECRET_NAME.test(name) ? secretsInValue(value) : [])),
    ...urls.flatMap(passwordsIn),
  ];
}

/** What tells a server how to answer, and is worth reading in its error. */
const PLAIN_NAME = /^(?:accept|content-type|user-agent|referer|http-referer|x-title)$|version$|beta$/i;
/** `2024-10-21-preview`, `v1.2`, `true`. */
const PLAIN_VALUE = /^(?:\d{4}-\d\d-\d\d(?:-[a-z]+)?|v?[\d.]+|true|false)$/i;

/**
 * What is hidden when this server repeats it in an error: more than elsewhere, since a header or parameter of any name may
 * be a secret and nothing is lost when it is hidden there.
 */
export function valuesSentTo(provider: Pick<ProviderConfig, 'baseUrl' | 'headers' | 'queryParams'>): readonly string[] {
  const urls = parsed(provider.baseUrl);
  const named = [...namedValues(provider), ...urls.flatMap(({ searchParams }) => [...searchParams])];
  return [
    ...named.flatMap(([name, value]) =>
      SECRET_NAME.test(name) || !(PLAIN_NAME.test(name) || PLAIN_VALUE.test(value)) ? secretsInValue(value) : [],
    ),
    ...urls.flatMap(passwordsIn),
  ];
}

function namedValues({ headers = {}, queryParams = {} }: Pick<ProviderConfig, 'headers' | 'queryParams'>) {
  return [...Object.entries(headers), ...Object.entries(queryParams)];
}

/** Of `Bearer abc` the second word; of `Basic …` also the password in it. */
function secretsInValue(value: string): string[] {
  const secret = value.replace(/^\w+ +/, '');
  const [, encoded] = /^Basic +(\S+)$/i.exec(value) ?? [];
  const [, password] = /:(.+)$/s.exec(encoded === undefined ? '' : (tried(() => atob(encoded)) ?? '')) ?? [];
  return password === undefined ? [secret] : [secret, password];
}

function passwordsIn({ username, password }: URL): string[] {
  if (password === '') return [];
  const [user, plain] = [username, password].map((part) => tried(() => decodeURIComponent(part)) ?? part);
  // The last one is how it travels in the header that is made of it.
  return [plain ?? '', password, btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${plain}`)))];
}

function tried(decode: () => string): string | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

function parsed(url: string | null): URL[] {
  return url !== null && URL.canParse(url) ? [new URL(url)] : [];
}
