/** MCP servers in the settings of other products, as these write them. */
import { describe, expect, it } from 'vitest';
import {
  type ImportHost,
  importSources,
  type ImportSource,
  readImportedServers,
  withInputs,
} from '../../../src/core/mcp/importedServers.ts';

function sourceOf(format: ImportSource['format']): ImportSource {
  return { product: 'P', file: '/home/me/f', format };
}

function read(text: string, format: ImportSource['format'], folders: readonly string[] = []) {
  const { servers, problems } = readImportedServers(text, sourceOf(format), folders);
  return { entries: Object.fromEntries(servers.map(({ name, entry }) => [name, entry])), problems, servers };
}

describe('servers of other products', () => {
  it('are read from the TOML of Codex, with references in place of variables', () => {
    const { entries, problems } = read(
      `model = "gpt-5"
[mcp_servers.tools]
command = "npx"
args = ["-y", "tools"]
env_vars = ["TOOLS_HOME"]
startup_timeout_sec = 20.5
tool_timeout_sec = 45
enabled_tools = ["a"]
enabled = false
[mcp_servers.tools.env]
LEVEL = "2"
[mcp_servers.docs]
url = "https://docs.example.com/mcp"
bearer_token_env_var = "DOCS_TOKEN"
http_headers = { "X-Team" = "a" }
env_http_headers = { "X-Key" = "DOCS_KEY" }
[mcp_servers.broken]
args = []
`,
      'codex',
    );
    expect(entries).toEqual({
      tools: {
        command: 'npx',
        args: ['-y', 'tools'],
        env: { TOOLS_HOME: '${env:TOOLS_HOME}', LEVEL: '2' },
        startupTimeoutMs: 20_500,
        toolTimeoutMs: 45_000,
        enabledTools: ['a'],
        enabled: false,
      },
      docs: {
        url: 'https://docs.example.com/mcp',
        bearer: '${env:DOCS_TOKEN}',
        headers: { 'X-Team': 'a', 'X-Key': '${env:DOCS_KEY}' },
      },
    });
    expect(problems).toEqual(['/home/me/f: broken: has neither a command nor a url.']);
  });

  it('are read from the JSON of Cursor, Windsurf and Claude Desktop, without what Tiller does not know', () => {
    const { entries, problems } = read(
      `\uFEFF{ "mcpServers": { // as people write it
        "a b.c": { "command": "x", "disabled": true, "autoApprove": ["all"], "sandbox": "off" },
        "web": { "type": "streamableHttp", "serverUrl": "https://a.example/mcp" },
        "old": { "type": "sse", "url": "https://a.example/sse" },
        "odd": 3,
      } }`,
      'mcpServers',
    );
    expect(entries).toEqual({ 'a-b-c': { command: 'x', enabled: false }, web: { url: 'https://a.example/mcp' } });
    expect(problems).toEqual([
      expect.stringMatching(/^\/home\/me\/f: old: the transport "sse" is not supported any more/),
      '/home/me/f: odd: must be an object.',
    ]);
  });

  it('of Claude Code are those of the user and of the folders that are open', () => {
    const text = JSON.stringify({
      history: ['…'],
      mcpServers: { all: { command: 'x' } },
      projects: { '/w': { mcpServers: { here: { command: 'y' } } }, '/v': { mcpServers: { there: { command: 'z' } } } },
    });
    expect(Object.keys(read(text, 'claude', ['/w', '/u']).entries)).toEqual(['all', 'here']);
  });

  it('of VS Code name the inputs that they use, whose values are put in', () => {
    const { servers } = read(
      JSON.stringify({
        inputs: [
          { id: 'key', type: 'promptString', description: 'The key', password: true },
          { id: 'unused', type: 'promptString' },
        ],
        servers: {
          web: { url: 'https://a.example/mcp', headers: { 'X-Key': 'Key ${input:key}', 'X-Who': '${input:who}' } },
        },
      }),
      'servers',
    );
    const [web] = servers;
    expect(web?.inputs).toEqual([
      { id: 'key', description: 'The key', isSecret: true },
      { id: 'who', description: 'who', isSecret: true },
    ]);
    const values = new Map([
      ['key', '$& "1"\\'],
      ['who', 'me'],
    ]);
    expect(withInputs(web?.entry ?? {}, values)['headers']).toEqual({ 'X-Key': 'Key $& "1"\\', 'X-Who': 'me' });
  });

  it('are none in an empty file, and a problem in a damaged one', () => {
    expect(read('', 'mcpServers').problems).toEqual([]);
    expect(read('{"mcpServers": {"a"', 'mcpServers').problems).toEqual(['/home/me/f is not valid JSON.']);
    expect(read('[mcp_servers', 'codex').problems).toEqual(['/home/me/f is not valid TOML.']);
    expect(read('['.repeat(100_000), 'claude').problems).toEqual(['/home/me/f is not valid JSON.']);
  });
});

describe('files of other products', () => {
  const filesOf = (host: Partial<ImportHost>, folders: readonly string[] = []) =>
    importSources({ homeDirectory: '/home/me', environment: {}, platform: 'linux', ...host }, folders).map(
      ({ file }) => file,
    );

  it('are in the home directory and in the folders', () => {
    expect(filesOf({}, ['/w'])).toEqual([
      '/home/me/.claude.json',
      '/home/me/.config/Claude/claude_desktop_config.json',
      '/home/me/.codex/config.toml',
      '/home/me/.cursor/mcp.json',
      '/home/me/.config/Code/User/mcp.json',
      '/home/me/.codeium/windsurf/mcp_config.json',
      '/w/.codex/config.toml',
      '/w/.cursor/mcp.json',
    ]);
  });

  it('are where the variables of the products and the platform say', () => {
    const environment = { CLAUDE_CONFIG_DIR: '/c', CODEX_HOME: '/x', XDG_CONFIG_HOME: '/g' };
    expect(filesOf({ environment }).slice(0, 3)).toEqual([
      '/c/.claude.json',
      '/g/Claude/claude_desktop_config.json',
      '/x/config.toml',
    ]);
    expect(filesOf({ environment: { XDG_CONFIG_HOME: 'relative' } })[1]).toMatch(/^\/home\/me\/\.config\//);
    expect(filesOf({ platform: 'darwin' })[1]).toBe(
      '/home/me/Library/Application Support/Claude/claude_desktop_config.json',
    );
  });
});
