import type { Settings } from '../../protocol/settings.ts';

/** Names under which servers take keys; an `anthropic-version` or an `x-title` is no secret and may stand anywhere. */
const SECRET_NAME = /auth|cookie|credential|key|pass|secret|signature|token|^(?:code|sig)$/i;

/** What the settings hold of keys: in headers, in parameters and in addresses of servers. To stand in no file of ours. */
export function secretsInSettings({ providers, baseUrl }: Pick<Settings, 'providers' | 'baseUrl'>): readonly string[] {
  const servers = Object.values(providers);
  const named = servers.flatMap(({ headers = {}, queryParams = {} }) => [
    ...Object.entries(headers),
    ...Object.entries(queryParams),
  ]);
  const urls = [baseUrl, ...servers.map((server) => server.baseUrl)].flatMap((url) =>
    url !== null && URL.canParse(url) ? [new URL(url)] : [],
  );
  const inUrls = urls.flatMap(({ searchParams }) => [...searchParams]);
  return [
    // Of `Bearer abc` the second word.
    ...[...named, ...inUrls].flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value.replace(/^\w+ +/, '')] : [])),
    ...urls.flatMap(({ password }) => (password === '' ? [] : [decodeURIComponent(password), password])),
  ];
}
