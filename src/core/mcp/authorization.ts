/** The stored authorization of one MCP server: a secret that is kept only in the keychain. */
export interface McpSecrets {
  /** `key`: the address of the server. */
  read(key: string): Promise<string | undefined>;
  /** `undefined` removes it. */
  write(key: string, text: string | undefined): Promise<void>;
}

/** The way in which an authorization server sends the user back: by an address that VS Code opens in this window. */
export interface McpRedirect {
  /** The address of the redirect. */
  readonly url: string;
  /** Opens a page for the user. */
  open(page: URL): Promise<void>;
  /**
   * The query of the address that the user comes back to with this state: several sign-ins may be open. Rejects with the
   * signal's reason.
   */
  callback(state: string, signal: AbortSignal): Promise<URLSearchParams>;
}
