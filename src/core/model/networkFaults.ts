/** Failures of the network before and during an answer: names, connections, proxies and certificates. */
import { ModelFault } from './client.ts';
import { causesOf, faultOf, type Verdict, wordsOf } from './faultOf.ts';

/** A proxy demands a sign-in, by HTTP or at the connection. */
export const PROXY_AUTH: Verdict = {
  kind: 'proxy',
  message: 'The proxy requires a user name and password.',
  retryable: false,
  action: 'check_network',
};

const UNUSABLE_ADDRESS = /^(?:ERR_INVALID_URL|ERR_INVALID_PROTOCOL|ERR_UNESCAPED_CHARACTERS|ERR_INVALID_CHAR)$/;
const CLOSED_CODE = /^(?:ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|ERR_STREAM_PREMATURE_CLOSE)$/;
const NOT_HTTP_CODE = /^(?:HPE_\w+|ERR_UNUSABLE_ANSWER)$/;

/**
 * Verdicts by an error code of the chain: the first row that matches one decides. Codes of certificates are those of
 * Node (nodejs.org/api/tls.html, “X509 certificate error codes”).
 */
const BY_CODE: readonly (readonly [codes: RegExp, verdict: Verdict])[] = [
  [
    /^(?:ERR_SSL_|EPROTO$)/,
    {
      kind: 'tls',
      message:
        'No secure connection to the server could be established: check whether its address must begin with http://.',
      retryable: false,
      action: 'check_settings',
    },
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$|^HOSTNAME_MISMATCH$/,
    {
      kind: 'tls',
      message: 'The server’s certificate is for another name: check the base URL.',
      retryable: false,
      action: 'check_settings',
    },
  ],
  [
    /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/,
    {
      kind: 'tls',
      message: 'The server’s certificate has expired or is not valid yet: check also the clock of this machine.',
      retryable: false,
      action: 'check_network',
    },
  ],
  [
    /^(?:CERT_|ERR_TLS_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH)/,
    {
      kind: 'tls',
      message:
        'The server’s certificate is not trusted on this machine. If it is the right one, let the variable NODE_EXTRA_CA_CERTS name a file with the certificate that signed it, and start again. VS Code also trusts the certificates of the system (setting http.systemCertificates). Tiller checks every certificate: the setting http.proxyStrictSSL does not change that.',
      retryable: false,
      action: 'check_network',
    },
  ],
  [
    UNUSABLE_ADDRESS,
    {
      kind: 'config',
      message: 'The request cannot be sent: check the base URL, the headers and the key.',
      retryable: false,
      action: 'check_settings',
    },
  ],
  [
    /^(?:ETIMEDOUT|ESOCKETTIMEDOUT|UND_ERR_\w+_TIMEOUT)$/,
    { kind: 'timeout', message: 'The server did not answer in time.', retryable: true, action: 'retry' },
  ],
  [
    /^(?:ENOTFOUND|EAI_AGAIN|EAI_NODATA)$/,
    {
      kind: 'network',
      message: 'The server’s name cannot be resolved: check the network and the address.',
      retryable: true,
      action: 'check_network',
    },
  ],
  [
    /^ECONNREFUSED$/,
    {
      kind: 'network',
      message: 'Nothing answers at the server’s address: is the server running?',
      retryable: true,
      action: 'check_network',
    },
  ],
];

/** The fault of an exception from the network. If a `ModelFault` is among its causes, that one. */
export function networkFault(error: unknown, phase: 'connecting' | 'streaming'): ModelFault {
  const chain = causesOf(error);
  const known = chain.find((link) => link instanceof ModelFault);
  if (known) return known;
  const codes = chain.map((link) => ('code' in link && typeof link.code === 'string' ? link.code : ''));
  const messages = chain.map((link) => link.message).join(' ');
  return faultOf(networkVerdict(codes, messages, phase), { detail: wordsOf(error), cause: error });
}

function networkVerdict(codes: readonly string[], messages: string, phase: 'connecting' | 'streaming'): Verdict {
  const any = (pattern: RegExp) => codes.some((code) => pattern.test(code));
  if (/\bproxy\b|tunneling socket|CONNECT (?:request|response)/i.test(messages)) {
    return proxyVerdict(messages, any(UNUSABLE_ADDRESS));
  }
  const row = BY_CODE.find(([pattern]) => any(pattern));
  if (row !== undefined) return row[1];
  if (phase === 'connecting' && any(NOT_HTTP_CODE)) {
    return {
      kind: 'bad_response',
      message: 'The server at this address did not answer with valid HTTP: check the base URL.',
      retryable: true,
      action: 'check_settings',
    };
  }
  if (phase === 'streaming' || any(CLOSED_CODE)) {
    return {
      kind: 'stream_closed',
      message: 'The connection closed before the answer was complete.',
      retryable: true,
      action: 'retry',
    };
  }
  return { kind: 'network', message: 'The server cannot be reached.', retryable: true, action: 'check_network' };
}

/** A proxy that does not answer: the words of node/network/proxy, and those of other programs. */
const NOT_REACHED = /proxy \S+ cannot be reached|connect to the proxy/i;

function proxyVerdict(messages: string, isUnusable: boolean): Verdict {
  if (/\b407\b/.test(messages)) return PROXY_AUTH;
  if (isUnusable) {
    return { kind: 'proxy', message: 'The proxy cannot be used.', retryable: false, action: 'check_network' };
  }
  const message = NOT_REACHED.test(messages) ? 'The proxy cannot be reached.' : 'The proxy blocked the request.';
  return { kind: 'proxy', message, retryable: true, action: 'check_network' };
}
