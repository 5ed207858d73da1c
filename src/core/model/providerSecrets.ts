import { parseMcpServers } from '../../protocol/mcp.ts';
import type { Settings } from '../../protocol/settings.ts';
import { type ProviderConfig, withEnvironmentHeaders } from './providerConfig.ts';

/**
 * Names of headers and parameters with keys; an `anthropic-version` or an `x-title` is not secret and may be shown
 * anywhere.
 */
const SECRET_NAME = /auth|cookie|credential|key|pass|secret|signature|token|^(?:code|sig)$/i;

/** True for a name of a header, parameter or variable whose value is probably a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/**
 * Keys in the settings: in headers (also those from the environment), in parameters and in addresses of servers. They
 * must not appear in any file of Tiller.
 */
export function secretsInSettings(
  {
    providers,
    baseUrl,
    mcpServers = {},
  }: Pick<Settings, 'providers' | 'baseUrl'> & Partial<Pick<Settings, 'mcpServers'>>,
  environment: Readonly<Record<string, string | undefined>> = {},
): readonly string[] {
  const servers = Object.values(providers).map((server) => withEnvironmentHeaders(server, environment));
  const urls = [baseUrl, ...servers.map((server) => server.baseUrl)].flatMap(parsed);
  const named = [...servers.flatMap(namedValues), ...urls.flatMap(({ searchParams }) => [...searchParams])];
  return [
    ...named.flatMap(([name, value]) => (SECRET_NAME.test(name) ? secretsInValue(value) : [])),
    ...urls.flatMap(passwordsIn),
    ...secretsOfMcpServers(mcpServers),
  ];
}

/** Values of headers and variables with names of secrets, and bearer tokens; not references to a variable. */
function secretsOfMcpServers(entries: Settings['mcpServers']): readonly string[] {
  return [...parseMcpServers(entries).servers.values()].flatMap((server) => {
    const named =
      'command' in server ? server.env : { ...server.headers, ...(server.bearer && { token: server.bearer }) };
    const secret = Object.entries(named).filter(([name]) => SECRET_NAME.test(name));
    return secret.flatMap(([, value]) => (value.includes('${') ? [] : secretsInValue(value)));
  });
}

/** Names that are useful in a server's error and not secret. */
const PLAIN_NAME = /^(?:accept|content-type|user-agent|referer|http-referer|x-title)$|version$|beta$/i;
/** `2024-10-21-preview`, `v1.2`, `true`. */
const PLAIN_VALUE = /^(?:\d{4}-\d\d-\d\d(?:-[a-z]+)?|v?[\d.]+|true|false)$/i;

/**
 * Values that are redacted when this server repeats them in an error: more than elsewhere, because a header or
 * parameter of any name may be a secret, and redacting it there does no harm.
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

/** Returns the second word of `Bearer abc`; of `Basic …` also the password in it. */
function secretsInValue(value: string): string[] {
  const secret = value.replace(/^\w+ +/, '');
  const [, encoded] = /^Basic +(\S+)$/i.exec(value) ?? [];
  const [, password] = /:(.+)$/s.exec(encoded === undefined ? '' : (tried(() => atob(encoded)) ?? '')) ?? [];
  return password === undefined ? [secret] : [secret, password];
}

function passwordsIn({ username, password }: URL): string[] {
  if (password === '') return [];
  const [user, plain] = [username, password].map((part) => tried(() => decodeURIComponent(part)) ?? part);
  // The last one is the form in the header that is built from it.
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
