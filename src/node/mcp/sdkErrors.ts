import { McpFault } from '../../core/mcp/connection.ts';
import { errorCode, messageOf } from '../../core/util/fileErrors.ts';

type Sdk = typeof import('./mcpSdk.ts');

/** What an error of the SDK, of the network or of the server means. */
export function describeError(sdk: Sdk, error: unknown): McpFault {
  if (error instanceof McpFault) return error;
  const options = { cause: error };
  if (error instanceof sdk.UnauthorizedError) return new McpFault('auth', NEEDS_AUTH, options);
  if (error instanceof sdk.SdkHttpError) {
    const { status } = error;
    if (status === 401) return new McpFault('auth', NEEDS_AUTH, options);
    const kind = status === 404 ? 'closed' : 'refused';
    return new McpFault(
      kind,
      `It answered with HTTP ${status}.${status === 404 || status === 405 ? WRONG_ADDRESS : ''}`,
      options,
    );
  }
  if (error instanceof sdk.SdkError) {
    const isClosed =
      error.code === sdk.SdkErrorCode.ConnectionClosed ||
      error.code === sdk.SdkErrorCode.NotConnected ||
      error.code === sdk.SdkErrorCode.SendFailed;
    return new McpFault(
      isClosed ? 'closed' : 'protocol',
      isClosed ? 'The connection has ended.' : messageOf(error),
      options,
    );
  }
  if (error instanceof sdk.ProtocolError) return new McpFault('refused', error.message, options);
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = errorCode(error) ?? errorCode(cause);
  const isNetwork = code !== undefined;
  return new McpFault(
    isNetwork ? 'closed' : 'protocol',
    isNetwork ? `It cannot be reached: ${messageOf(cause)}.` : messageOf(error),
    options,
  );
}

const NEEDS_AUTH = 'It demands an authorisation.';
const WRONG_ADDRESS = ' Servers for streamable HTTP often have an address that ends in /mcp.';
