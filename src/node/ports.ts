/** All hands of core in plain Node, for the CLI and for tests; the extension replaces the workspace and the secrets. */
import type { Ports } from '../core/ports.ts';
import { createAuditJournal } from './audit.ts';
import { systemClock } from './clock.ts';
import { createExec } from './exec.ts';
import { createNodeFetch } from './fetch.ts';
import { describeHost } from './host.ts';
import { createIds } from './ids.ts';
import { createLocks } from './locks.ts';
import { createLog, type RedactingLog } from './log.ts';
import { proxyFor } from './proxy/environmentProxy.ts';
import { createRedactor, secretsIn } from './redact.ts';
import { Boxes } from './sandbox/launch.ts';
import { createEnvironmentSecrets } from './secrets.ts';
import { createStorage, tillerHome } from './storage.ts';
import { createDiskWorkspace } from './workspace.ts';

export interface NodePortsOptions {
  /** Folders that are open, the first one first. */
  readonly roots: readonly string[];
  /** Of the model provider; TILLER_API_KEY is given to its origin only. */
  readonly baseUrl?: string | undefined;
  readonly environment?: NodeJS.ProcessEnv;
  /** True where nobody else sees to the proxies that the environment names; VS Code does. */
  readonly usesEnvironmentProxy?: boolean;
  /** The folder of another node-pty, for where ours is missing. */
  readonly spareTerminals?: string;
  /** The built script sandbox/afterKill.ts; without it the next start removes what a kill has left in a workspace. */
  readonly afterKill?: string;
  /** What other processes are told this one is. */
  readonly name?: 'vscode' | 'cli';
  /** Hides secrets that only the caller knows. */
  readonly redact?: (text: string) => string;
  /** Keys that stand in the settings. */
  readonly keys?: readonly string[];
  /** Hides the keys that the front door holds, and nothing else. */
  readonly hideKeys?: (text: string) => string;
}

export interface NodePorts extends Ports {
  readonly log: RedactingLog;
}

/** Starts nothing and opens nothing; folders and files are made when they are first written to. */
export function createNodePorts(options: NodePortsOptions): NodePorts {
  const { roots, baseUrl, environment = process.env, name = 'cli', redact, hideKeys = (text) => text } = options;
  const host = describeHost(environment);
  const home = tillerHome(environment, host.platform, host.homeDirectory);
  const log = createLog({ home, toStderr: environment.TILLER_LOG });
  const redactor = createRedactor();
  for (const secret of secretsIn(environment)) redactor.hide(secret);
  const keys = createRedactor();
  for (const key of [environment.TILLER_API_KEY, environment.OPENAI_API_KEY, ...(options.keys ?? [])]) {
    if (!key) continue;
    log.redact(key);
    keys.hide(key);
    redactor.hide(key);
  }
  return {
    workspace: createDiskWorkspace({ roots, home }),
    exec: createExec(host.platform, home, new Boxes(home, options.afterKill), options.spareTerminals),
    storage: createStorage(home, (text) => keys.told.hide(hideKeys(text))),
    audit: createAuditJournal({ home, redact: (text) => redactor.redact(redact?.(text) ?? text) }),
    fetch: createNodeFetch(options.usesEnvironmentProxy ? { proxyFor: (url) => proxyFor(url, environment) } : {}),
    locks: createLocks(home, name),
    secrets: createEnvironmentSecrets(environment, baseUrl),
    clock: systemClock,
    ids: createIds(),
    log,
    host,
  };
}
