/** MCP servers in the settings of other products, for the import into those of Tiller. */
import path from 'node:path';
import { parse as parseJson, type ParseError } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { type McpServerSettings, parseMcpServers } from '../../protocol/mcp.ts';
import type { Host } from '../ports.ts';
import { productFolder } from '../util/productFolder.ts';
import { withoutByteOrderMark } from '../util/textBytes.ts';

/** A file in which another product keeps its MCP servers. */
export interface ImportSource {
  /** Its name, for the user. */
  readonly product: string;
  /** Absolute. */
  readonly file: string;
  readonly format: 'mcpServers' | 'servers' | 'claude' | 'codex';
}

/** A value that VS Code asks the user for (`${input:ID}`). */
export interface ServerInput {
  readonly id: string;
  readonly description: string;
  readonly isSecret: boolean;
}

export interface ImportedServer {
  readonly name: string;
  /** As Tiller's setting has it, without defaults. Valid. */
  readonly entry: ServerEntry;
  readonly settings: McpServerSettings;
  readonly source: ImportSource;
  /** The inputs that its settings use. */
  readonly inputs: readonly ServerInput[];
}

export interface ImportedServers {
  readonly servers: readonly ImportedServer[];
  /** One sentence for each entry or file that cannot be imported, with the reason. */
  readonly problems: readonly string[];
}

export type ImportHost = Pick<Host, 'homeDirectory' | 'environment' | 'platform'>;

/** An entry of the setting `mcpServers`. */
export type ServerEntry = Readonly<Record<string, unknown>>;

type Table = Readonly<Record<string, unknown>>;

/** The files of products with servers of the user and of the folders; most do not exist. `folders`: absolute. */
export function importSources(host: ImportHost, folders: readonly string[]): readonly ImportSource[] {
  const { homeDirectory } = host;
  const home = (...parts: readonly string[]) => path.join(homeDirectory, ...parts);
  const inApplicationData = (...parts: readonly string[]) => path.join(applicationData(host), ...parts);
  const ownFolder = productFolder('claude', host);
  // Claude Code keeps this file beside its usual folder, but inside of one that its variable names.
  const claude = ownFolder === home('.claude') ? homeDirectory : ownFolder;
  return [
    { product: 'Claude Code', file: path.join(claude, '.claude.json'), format: 'claude' },
    {
      product: 'Claude Desktop',
      file: inApplicationData('Claude', 'claude_desktop_config.json'),
      format: 'mcpServers',
    },
    { product: 'Codex', file: path.join(productFolder('codex', host), 'config.toml'), format: 'codex' },
    { product: 'Cursor', file: home('.cursor', 'mcp.json'), format: 'mcpServers' },
    { product: 'VS Code', file: inApplicationData('Code', 'User', 'mcp.json'), format: 'servers' },
    { product: 'Windsurf', file: home('.codeium', 'windsurf', 'mcp_config.json'), format: 'mcpServers' },
    ...folders.flatMap((folder): ImportSource[] => [
      { product: 'Codex', file: path.join(folder, '.codex', 'config.toml'), format: 'codex' },
      { product: 'Cursor', file: path.join(folder, '.cursor', 'mcp.json'), format: 'mcpServers' },
    ]),
  ];
}

/** The folder in which programs with a window keep their settings. */
function applicationData({ homeDirectory, environment, platform }: ImportHost): string {
  const named = environment[platform === 'win32' ? 'APPDATA' : 'XDG_CONFIG_HOME'];
  if (platform !== 'darwin' && named !== undefined && path.isAbsolute(named)) return named;
  const usual = { win32: 'AppData/Roaming', darwin: 'Library/Application Support', linux: '.config' };
  return path.join(homeDirectory, usual[platform]);
}

/**
 * Reads the servers in such a file. What a server may do in the sandbox is not taken over: only the user decides about it.
 * `folders`: of Claude Code's servers of single projects, those of these folders are read.
 */
export function readImportedServers(text: string, source: ImportSource, folders: readonly string[]): ImportedServers {
  const content = contentOf(withoutByteOrderMark(text), source.format);
  if (content === undefined) {
    const language = source.format === 'codex' ? 'TOML' : 'JSON';
    return { servers: [], problems: [`${source.file} is not valid ${language}.`] };
  }
  const named = Object.entries(serversIn(content, source.format, folders));
  const entries = Object.fromEntries(
    named.map(([name, entry]) => [serverName(name), translated(entry, source.format)]),
  );
  const { servers, problems } = parseMcpServers(entries, { ignoresUnknown: true });
  const inputs = inputsIn(content);
  const imported = [...servers].map(([name, settings]): ImportedServer => {
    const entry = Object.fromEntries(Object.entries(tableOf(entries[name])).filter(([key]) => key in settings));
    return { name, entry, settings, source, inputs: inputsOf(entry, inputs) };
  });
  return {
    servers: imported,
    problems: problems.map(({ server, problem }) => `${source.file}: ${server}: ${problem}.`),
  };
}

/** Returns the entry with the values of inputs in place. */
export function withInputs(entry: ServerEntry, values: ReadonlyMap<string, string>): ServerEntry {
  const text = JSON.stringify(entry, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(INPUT, (whole, id: string) => values.get(id) ?? whole) : value,
  );
  return JSON.parse(text) as ServerEntry;
}

const INPUT = /\$\{input:([^}]+)\}/g;

function inputsOf(entry: ServerEntry, declared: ReadonlyMap<string, ServerInput>): readonly ServerInput[] {
  const ids = new Set([...JSON.stringify(entry).matchAll(INPUT)].map(([, id = '']) => id));
  return [...ids].map((id) => declared.get(id) ?? { id, description: id, isSecret: true });
}

function inputsIn({ inputs }: Table): ReadonlyMap<string, ServerInput> {
  const declared = (Array.isArray(inputs) ? inputs : []).filter(isTable);
  return new Map(
    declared.map(({ id, description, password }) => {
      const name = String(id);
      return [
        name,
        { id: name, description: typeof description === 'string' ? description : name, isSecret: password === true },
      ];
    }),
  );
}

/** `undefined` where the text is not valid, or nested too deeply to be read. */
function contentOf(text: string, format: ImportSource['format']): Table | undefined {
  try {
    if (format === 'codex') return parseToml(text);
    const errors: ParseError[] = [];
    const content: unknown = parseJson(text, errors, { allowTrailingComma: true });
    // Products create the file empty.
    if (content === undefined && text.trim() === '') return {};
    return errors.length > 0 || !isTable(content) ? undefined : content;
  } catch {
    return undefined;
  }
}

function serversIn(content: Table, format: ImportSource['format'], folders: readonly string[]): Table {
  switch (format) {
    case 'servers':
      return tableOf(content['servers']);
    case 'codex':
      return tableOf(content['mcp_servers']);
    case 'mcpServers':
      return tableOf(content['mcpServers']);
    case 'claude': {
      const projects = tableOf(content['projects']);
      const ofFolders = folders.map((folder) => tableOf(tableOf(projects[folder])['mcpServers']));
      return Object.assign({}, tableOf(content['mcpServers']), ...ofFolders) as Table;
    }
  }
}

/** The entry with the keys of Tiller. */
function translated(entry: unknown, format: ImportSource['format']): unknown {
  if (!isTable(entry)) return entry;
  // The names of the transport differ ("streamableHttp"); the key that is there tells it.
  const { sandbox: _sandbox, type, serverUrl, disabled, ...kept } = entry;
  return {
    ...(format === 'codex' ? fromCodex(kept) : kept),
    ...(type === 'sse' && { type }),
    ...(typeof serverUrl === 'string' && { url: serverUrl }),
    ...(disabled === true && { enabled: false }),
  };
}

/** Seconds become milliseconds, and names of variables references to them, so that no secret is copied. */
function fromCodex(entry: Table): Table {
  const { http_headers, env_http_headers, bearer_token_env_var, env_vars, ...kept } = entry;
  const { startup_timeout_sec, startup_timeout_ms, tool_timeout_sec, enabled_tools, disabled_tools, ...rest } = kept;
  const references = Object.entries(tableOf(env_http_headers)).map(([name, variable]) => [name, reference(variable)]);
  const passed = (Array.isArray(env_vars) ? env_vars : []).filter((name) => typeof name === 'string');
  const env = { ...Object.fromEntries(passed.map((name) => [name, reference(name)])), ...tableOf(rest['env']) };
  const headers = { ...tableOf(http_headers), ...Object.fromEntries(references) };
  const startup = typeof startup_timeout_sec === 'number' ? startup_timeout_sec * 1000 : startup_timeout_ms;
  return {
    ...rest,
    ...(Object.keys(env).length > 0 && { env }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(typeof bearer_token_env_var === 'string' && { bearer: reference(bearer_token_env_var) }),
    ...(typeof startup === 'number' && { startupTimeoutMs: Math.round(startup) }),
    ...(typeof tool_timeout_sec === 'number' && { toolTimeoutMs: Math.round(tool_timeout_sec * 1000) }),
    ...(enabled_tools !== undefined && { enabledTools: enabled_tools }),
    ...(disabled_tools !== undefined && { disabledTools: disabled_tools }),
  };
}

function reference(variable: unknown): string {
  return `\${env:${String(variable)}}`;
}

/** Other products allow names of all characters. */
function serverName(name: string): string {
  return name.replaceAll(/[^\w-]+/g, '-');
}

function tableOf(value: unknown): Table {
  return isTable(value) ? value : {};
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
