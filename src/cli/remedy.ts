import type { ProviderConfig } from '../core/model/provider.ts';
import { keyVariablesFor } from '../node/host/secrets.ts';
import type { EventMsgOf } from '../protocol/event.ts';

/**
 * Returns what a user of the command line can do about an error; in VS Code a button does this. `undefined` where the
 * message of the error says it.
 */
export function remedyOf(
  { kind, action }: Pick<EventMsgOf<'error'>, 'kind' | 'action'>,
  { baseUrl }: Pick<ProviderConfig, 'baseUrl'>,
): string | undefined {
  const address = shownAddress(baseUrl);
  if (action === 'set_api_key') return `Set ${keyVariablesFor(baseUrl).join(' or ')} to a key of ${address}.`;
  switch (kind) {
    case 'model_not_found':
      return `Give --model a name that ${address}/models lists.`;
    case 'network':
      return `The address is ${address}: --base-url or --provider changes it.`;
    case 'proxy':
      return 'The proxy is that of the variables https_proxy, http_proxy and all_proxy; no_proxy names hosts without one.';
    default:
      return undefined;
  }
}

/** An address without the parts that can contain a secret. */
function shownAddress(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname}`.replace(/\/$/, '');
}
