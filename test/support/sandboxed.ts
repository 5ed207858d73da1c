/** Runs commands in a real sandbox, on a machine that has everything that they must not reach. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { ExecRequest, HostLimits, HostReport, SandboxFinding, SandboxLimits } from '../../src/core/ports.ts';
import { confine } from '../../src/core/sandbox/confinement.ts';
import { createExec } from '../../src/node/exec.ts';
import type { HostProxyOptions } from '../../src/node/network/hostProxy.ts';
import { Sandboxes } from '../../src/node/sandbox/launch.ts';
import { sandboxSupport } from '../../src/node/sandbox/support.ts';
import { type SandboxPolicy, sandboxPolicySchema } from '../../src/protocol/policy.ts';
import { type TempFolder, tempFolder } from './tempFolder.ts';

const support = sandboxSupport();
/** The reason why tests that need a sandbox cannot run here; `false` if they can. */
export const noSandbox: string | false = support.type === 'fails' ? support.cause : false;
if (noSandbox !== false) console.warn(`Tests in the box are left out: ${noSandbox}`);

export interface Story {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly findings: readonly SandboxFinding[];
  readonly hosts?: HostReport;
}

export interface SandboxedOptions {
  readonly policy?: Partial<Extract<SandboxPolicy, { type: 'workspace-write' }>> | { readonly type: 'read-only' };
  readonly unreadable?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly tmpdir?: string;
  /** An existing folder to use as the workspace; by default a new one is created. */
  readonly workspace?: string;
  /** Hosts that commands may reach, and how their names are looked up. */
  readonly hosts?: HostLimits;
  readonly network?: HostProxyOptions;
  /** True to mark mount points, as VS Code does. */
  readonly marksMountPoints?: boolean;
}

/** A workspace and a TILLER_HOME, with sandboxes for commands. */
export class Playground implements Disposable {
  readonly folder: TempFolder = tempFolder();
  readonly workspace: string;
  readonly home: string;
  readonly sandboxes: Sandboxes;
  readonly #options: SandboxedOptions;

  constructor(options: SandboxedOptions = {}) {
    this.#options = options;
    this.workspace = options.workspace ?? this.folder.at('workspace');
    this.home = this.folder.at('home');
    mkdirSync(this.workspace, { recursive: true });
    mkdirSync(this.home);
    this.sandboxes = new Sandboxes(this.home, {
      marksMountPoints: options.marksMountPoints,
      network: options.network,
    });
  }

  at(...names: string[]): string {
    return path.join(this.workspace, ...names);
  }

  get limits(): SandboxLimits {
    const { policy, unreadable = [], tmpdir } = this.#options;
    const confinement = confine('bubblewrap', sandboxPolicySchema.parse({ type: 'workspace-write', ...policy }), {
      cwd: this.workspace,
      platform: 'linux',
      tmpdirVariable: tmpdir,
      temporaryFolder: this.folder.at('home', 'tmp', 'thread'),
      unreadable: [...unreadable, this.home],
      unreadableGlobs: unreadable,
    });
    if (confinement.type === 'none') throw new Error('This policy has no box.');
    const { hosts } = this.#options;
    return { ...confinement.limits, ...(hosts && { hosts }) };
  }

  request(argv: ExecRequest['argv'], more: Partial<ExecRequest> = {}): ExecRequest {
    const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: '/root', ...this.#options.env };
    const confinement = { type: 'sandbox', limits: this.limits } as const;
    return { argv, cwd: this.workspace, env, stdin: 'none', confinement, ...more };
  }

  start(argv: ExecRequest['argv'], more: Partial<ExecRequest> = {}) {
    return createExec({ home: this.home, sandboxes: this.sandboxes }).spawn(this.request(argv, more));
  }

  async run(argv: ExecRequest['argv'], more: Partial<ExecRequest> = {}): Promise<Story> {
    const child = await this.start(argv, more);
    const chunks = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
    child.onOutput(({ stream, bytes }) => chunks[stream].push(bytes));
    const { code, findings = [], hosts } = await child.exited;
    const text = (stream: 'stdout' | 'stderr') => Buffer.concat(chunks[stream]).toString();
    return { code, stdout: text('stdout'), stderr: text('stderr'), findings, ...(hosts && { hosts }) };
  }

  bash(script: string, more: Partial<ExecRequest> = {}): Promise<Story> {
    return this.run(['/bin/bash', '-c', script], more);
  }

  [Symbol.dispose](): void {
    this.sandboxes.dispose();
    this.folder[Symbol.dispose]();
  }
}
