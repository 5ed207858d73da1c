/** Definitions of servers: their identity, and the placeholders for folders and variables in them. */
import path from 'node:path';
import type { McpServerSettings } from '../../protocol/mcp.ts';
import { sha256, sorted } from '../util/canonical.ts';
import type { McpDefinition, McpTool } from './connection.ts';

/**
 * Identifies the program or address, and its permissions. Time-outs and lists of tools are excluded: a change of them
 * must not ask for an approval of the same program again.
 */
function definitionHash(settings: McpServerSettings, origin: string | undefined): string {
  const identity =
    'command' in settings
      ? ['stdio', settings.command, settings.args, sorted(settings.env), settings.cwd ?? null, settings.sandbox]
      : ['http', settings.url, sorted(settings.headers), settings.bearer ?? null];
  return sha256([...identity, origin ?? null]);
}

/** Identifies the whole description of a tool by its server: with another description it is another tool. */
export function toolHash({ raw }: McpTool): string {
  return sha256(raw);
}

export interface DefinitionPlace {
  /** The folder that replaces `${workspaceFolder}`, and in which servers run. Absolute. */
  readonly folder: string;
  readonly homeDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * The definition with `${workspaceFolder}`, `${userHome}`, `${env:NAME}`, `${NAME}` and `${NAME:-default}` replaced.
 * Returns a sentence when it names a variable that is not set. Its hash covers the folders, but only the names of
 * variables: a token that is renewed leaves the definition as it is. `origin`: the file of a workspace that it comes from.
 */
export function resolveDefinition(
  name: string,
  settings: McpServerSettings,
  place: DefinitionPlace,
  origin?: string,
): McpDefinition | { readonly problem: string } {
  const missing = new Set<string>();
  const resolved = filledIn(settings, (text) => filled(text, place, missing));
  if (missing.size > 0) return { problem: `The variable ${[...missing].join(', ')} is not set.` };
  const withFolders = filledIn(settings, (text) => withFolderNames(text, place));
  const hash = definitionHash(withFolders, origin);
  if (!('command' in resolved)) return { name, settings: resolved, hash };
  const { cwd = '.', sandbox } = resolved;
  const at = (folder: string) => path.resolve(place.folder, atHome(folder, place));
  const absolute =
    sandbox === 'off' ? sandbox : { ...sandbox, writableRoots: sandbox.writableRoots.map((root) => at(root)) };
  return { name, settings: { ...resolved, cwd: at(cwd), sandbox: absolute }, hash };
}

/** Returns the settings with `fill` applied to each text. */
function filledIn(settings: McpServerSettings, fill: (text: string) => string): McpServerSettings {
  const all = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, fill(value)]));
  if (!('command' in settings)) {
    const { bearer } = settings;
    return {
      ...settings,
      url: fill(settings.url),
      headers: all(settings.headers),
      ...(bearer === undefined ? {} : { bearer: fill(bearer) }),
    };
  }
  const { cwd, sandbox } = settings;
  return {
    ...settings,
    command: fill(settings.command),
    args: settings.args.map(fill),
    env: all(settings.env),
    ...(cwd === undefined ? {} : { cwd: fill(cwd) }),
    sandbox: sandbox === 'off' ? sandbox : { ...sandbox, writableRoots: sandbox.writableRoots.map(fill) },
  };
}

function atHome(place: string, { homeDirectory }: DefinitionPlace): string {
  return place === '~' || place.startsWith('~/') ? path.join(homeDirectory, place.slice(1)) : place;
}

function withFolderNames(text: string, { folder, homeDirectory }: DefinitionPlace): string {
  return text.replaceAll('${workspaceFolder}', folder).replaceAll('${userHome}', homeDirectory);
}

function filled(text: string, place: DefinitionPlace, missing: Set<string>): string {
  return withFolderNames(text, place).replaceAll(
    /\$\{(?:env:)?(\w+)(?::-([^}]*))?\}/g,
    (_whole, name: string, otherwise?: string) => {
      const value = place.environment[name] ?? otherwise;
      if (value === undefined) missing.add(name);
      return value ?? '';
    },
  );
}
