/** The parts of the MCP SDK that Tiller uses: a file of its own in the product, loaded when a server is first connected. */
export {
  auth,
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client';
