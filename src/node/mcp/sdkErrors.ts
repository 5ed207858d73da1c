import { McpFault } from '../../core/mcp/connection.ts';
import { inOneSentence } from './protocolFaults.ts';
import { errorCode, messageOf } from '../../core/util/fileErrors.ts';

type Sdk = typeof import('./mcpSdk.ts');

/** The same for an error of a start over HTTP, where the address may be a wrong one. */
export function describeStartError(sdk: Sdk, error: unknown): McpFault {
  const fault = describeError(sdk, error);
  const http = httpErrorIn(sdk, error);
  return http?.status === 404 || http?.status === 405
    ? new McpFault(fault.kind, `${fault.message} ${WRONG_ADDRESS}`, { cause: error })
    : fault;
}

/** Returns true when a server over HTTP has forgotten the session (2025-11-25, "Session Management"). */
export function isExpiredSession(sdk: Sdk, error: unknown): boolean {
  return httpErrorIn(sdk, error)?.status === 404;
}

function httpErrorIn(sdk: Sdk, error: unknown) {
  return causesOf(error).find((cause) => cause instanceof sdk.SdkHttpError);
}

/** Classifies an error of the SDK, of the network or of the server. */
export function describeError(sdk: Sdk, error: unknown): McpFault {
  if (error instanceof McpFault) return error;
  const options = { cause: error };
  const http = httpErrorIn(sdk, error);
  if (http && http.status !== 401) {
    const { status } = http;
    return new McpFault(status === 404 ? 'closed' : 'refused', `It answered with HTTP ${status}.`, options);
  }
  const isUnauthorized = causesOf(error).some((cause) => cause instanceof sdk.UnauthorizedError);
  if (http || isUnauthorized) return new McpFault('auth', NEEDS_AUTH, options);
  const network = causesOf(error).find((cause) => SYSTEM_CODE.test(errorCode(cause) ?? ''));
  if (network) return new McpFault('closed', `It cannot be reached: ${messageOf(network)}.`, options);
  if (error instanceof sdk.SdkError) {
    const { ConnectionClosed, NotConnected, SendFailed } = sdk.SdkErrorCode;
    const isClosed = [ConnectionClosed, NotConnected, SendFailed].some((code) => code === error.code);
    return new McpFault(isClosed ? 'closed' : 'protocol', isClosed ? ENDED : inOneSentence(messageOf(error)), options);
  }
  if (error instanceof sdk.ProtocolError) return new McpFault('refused', messageOf(error), options);
  return new McpFault('protocol', inOneSentence(messageOf(error)) || 'It failed, and gave no reason.', options);
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
const WRONG_ADDRESS = 'Servers for streamable HTTP often have an address that ends in /mcp.';
