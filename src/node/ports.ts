/** All ports of core in plain Node, for the CLI and for tests; the extension replaces the workspace and the secrets. */
import type { Ports } from '../core/ports.ts';
import { createBaselineStore } from './baseline/store.ts';
import { createAuditJournal } from './storage/audit.ts';
import { systemClock } from './host/clock.ts';
import { createExec } from './exec.ts';
import { createNodeFetch } from './network/fetch.ts';
import { describeHost } from './host/host.ts';
import { createIds } from './host/ids.ts';
import { WantedLinks } from './host/wantedLinks.ts';
import { createLocks } from './storage/locks.ts';
import { createLog } from './storage/log.ts';
import type { Resolve } from './network/addresses.ts';
import { createWebGet } from './network/webGet.ts';
import { proxyFor } from './network/proxy/environmentProxy.ts';
import { createRegexps } from './host/regexps.ts';
import { createTextSearch } from './host/textSearch.ts';
import { createImages } from './images/images.ts';
import { createRedactor, type Redactor, secretsIn } from './host/redact.ts';
import { Starter } from './process/starter.ts';
import { Sandboxes } from './sandbox/launch.ts';
import { createEnvironmentSecrets, keysIn } from './host/secrets.ts';
import { createStorage, tillerHome } from './storage/storage.ts';
import { createDiskWorkspace } from './apply/diskWorkspace.ts';

export interface NodePortsOptions {
  /** Open folders, the first one first. */
  readonly roots: readonly string[];
  /** The base URL of the model provider; TILLER_API_KEY is sent to its origin only. */
  readonly baseUrl?: string | undefined;
  readonly environment?: NodeJS.ProcessEnv;
  /** True where the proxies of the environment are not applied otherwise; VS Code applies them itself. */
  readonly usesEnvironmentProxy?: boolean;
  /** The proxy of the machine for commands that may reach some hosts; by the environment where absent. */
  readonly machineProxy?: (url: URL) => URL | undefined;
  /** Looks up the names of these hosts; absent: the system does. */
  readonly resolve?: Resolve | undefined;
  /** Called when a request of `fetch` is sent: what follows is the wait for the answer. */
  readonly onRequestSent?: () => void;
  /** The folder of another node-pty, used when ours is missing. */
  readonly spareTerminals?: string;
  /** VS Code's own folder, with its ripgrep. */
  readonly appRoot?: string;
  /** The built script afterKill.ts; without it the next start removes the leftovers of a kill in a workspace. */
  readonly afterKill?: string;
  /** The built script starterProgram.ts; without it this process starts its commands itself. */
  readonly starter?: string;
  /** The built script baseline/worker.ts; without it changes are recorded on the main thread. */
  readonly baselineWorker?: string;
  /** The built script images/worker.ts; without it images are scaled on the main thread. */
  readonly imageWorker?: string;
  /** The name of this process for other processes. */
  readonly name?: 'vscode' | 'cli';
  /** API keys in the settings. */
  readonly keys?: readonly string[];
  /** The search for hard links, when the front door has a workspace of its own besides. */
  readonly links?: WantedLinks;
  /** The front door's redactor; the keys of the environment and of `keys` are added to it. */
  readonly redactor?: Redactor;
}

/** Has no side effects; folders and files are created when they are first written. */
export function createNodePorts(options: NodePortsOptions): Ports {
  const { roots, baseUrl, environment = process.env, name = 'cli', redactor = createRedactor() } = options;
  const { links = new WantedLinks() } = options;
  const host = describeHost(environment);
  const home = tillerHome(environment, host.platform, host.homeDirectory);
  for (const key of [...keysIn(environment), ...(options.keys ?? [])]) redactor.hide(key);
  const keys = redactor.registered;
  const proxyOf = options.usesEnvironmentProxy ? (url: URL) => proxyFor(url, environment) : undefined;
  const log = createLog({ home, toStderr: environment.TILLER_LOG, redactor });
  const secrets = createRedactor();
  for (const secret of secretsIn(environment)) secrets.hide(secret);
  return {
    workspace: createDiskWorkspace({ roots, home, links }),
    exec: createExec({
      platform: host.platform,
      home,
      sandboxes: new Sandboxes(home, {
        afterKill: options.afterKill,
        marksMountPoints: name === 'vscode',
        moved: links.moved,
        network: {
          proxyFor: options.machineProxy ?? ((url) => proxyFor(url, environment)),
          resolve: options.resolve,
        },
      }),
      spareTerminals: options.spareTerminals,
      starter: starterOf(options.starter, home, host.platform),
    }),
    keys,
    storage: createStorage(home, keys),
    baseline: createBaselineStore({ home, userHome: host.homeDirectory, worker: options.baselineWorker }),
    audit: createAuditJournal({ home, redact: (text) => secrets.redact(keys.hide(text)) }),
    fetch: createNodeFetch({ proxyFor: proxyOf, onSent: options.onRequestSent }),
    locks: createLocks(home, name),
    secrets: createEnvironmentSecrets(environment, baseUrl),
    clock: systemClock,
    ids: createIds(),
    log,
    host,
    regexps: createRegexps(),
    textSearch: createTextSearch({ appRoot: options.appRoot, searchPath: environment.PATH }),
    images: createImages(options.imageWorker),
    web: createWebGet(options.usesEnvironmentProxy ? { proxyFor: (url) => proxyFor(url, environment) } : {}),
  };
}

/** Only Linux forks the whole process: macOS and Windows start a program without a copy of its page tables. */
function starterOf(script: string | undefined, home: string, platform: NodeJS.Platform): Starter | undefined {
  return script === undefined || platform !== 'linux' ? undefined : new Starter(home, script);
}
