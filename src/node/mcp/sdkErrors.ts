import { McpFault } from '../../core/mcp/connection.ts';
import { errorCode, messageOf } from '../../core/util/fileErrors.ts';

type Sdk = typeof import('./mcpSdk.ts');

/** Classifies an error of the SDK, of the network or of the server. */
export function describeError(sdk: Sdk, error: unknown): McpFault {
  if (error instanceof McpFault) return error;
  const options = { cause: error };
  const http = causesOf(error).find((cause) => cause instanceof sdk.SdkHttpError);
  if (http instanceof sdk.SdkHttpError && http.status !== 401) {
    const { status } = http;
    const hint = status === 404 || status === 405 ? WRONG_ADDRESS : '';
    return new McpFault(status === 404 ? 'closed' : 'refused', `It answered with HTTP ${status}.${hint}`, options);
  }
  const isUnauthorized = causesOf(error).some((cause) => cause instanceof sdk.UnauthorizedError);
  if (http || isUnauthorized) return new McpFault('auth', NEEDS_AUTH, options);
  const network = causesOf(error).find((cause) => SYSTEM_CODE.test(errorCode(cause) ?? ''));
  if (network) return new McpFault('closed', `It cannot be reached: ${messageOf(network)}.`, options);
  if (error instanceof sdk.SdkError) {
    const { ConnectionClosed, NotConnected, SendFailed } = sdk.SdkErrorCode;
    const isClosed = [ConnectionClosed, NotConnected, SendFailed].some((code) => code === error.code);
    return new McpFault(isClosed ? 'closed' : 'protocol', isClosed ? ENDED : messageOf(error), options);
  }
  return new McpFault(error instanceof sdk.ProtocolError ? 'refused' : 'protocol', messageOf(error), options);
}

/** Error codes of the operating system, not of the SDK. */
const SYSTEM_CODE = /^(?:E[A-Z]{3,}|ERR_TLS_\w+|CERT_\w+|\w+_CERT\w*)$/;

/** The error and its causes, outermost first. */
function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let at = error; at !== undefined && at !== null && causes.length < 8; ) {
    causes.push(at);
    const { data, cause } = at as { readonly data?: unknown; readonly cause?: unknown };
    at = cause ?? (typeof data === 'object' && data !== null && 'cause' in data ? data.cause : undefined);
  }
  return causes;
}

/** The connection has ended; the transport may know why. */
export const ENDED = 'The connection has ended.';
const NEEDS_AUTH = 'It demands an authorization.';
const WRONG_ADDRESS = ' Servers for streamable HTTP often have an address that ends in /mcp.';
