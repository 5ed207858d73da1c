/** The user's approvals of third-party programs and tools, stored in TILLER_HOME by the hash of their definition. */
import * as z from 'zod';
import type { Log, Storage } from '../ports.ts';
import { messageOf } from '../util/fileErrors.ts';
import { parseJson } from '../util/json.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';

/** The oldest records of tools are dropped first. */
const MAX_TOOLS = 2_000;

const toolRecordSchema = lazyObject(() => ({
  /** The hash of the server's definition; for a tool of an extension, the extension's id. */
  server: z.string(),
  tool: z.string(),
  /** The hash of the whole description by the server. */
  hash: z.string(),
  /** The definition as text, to show later changes. */
  definition: z.string(),
  /** The workspaces in which the tool runs without approval, or `everywhere`. */
  allowed: z.union([z.literal('everywhere'), z.array(z.string())]),
}));
const serverRecordSchema = lazyObject(() => ({
  hash: z.string(),
  about: z.enum(['proposal', 'outside']),
  accepted: z.boolean(),
}));
const fileSchema = lazyObject(() => ({
  version: z.literal(1),
  tools: z.array(toolRecordSchema),
  servers: z.array(serverRecordSchema),
}));
type TrustFile = z.infer<typeof fileSchema>;

const NOTHING: TrustFile = { version: 1, tools: [], servers: [] };

/** A tool as it was shown to the user. */
export interface ToolIdentity {
  readonly server: string;
  readonly tool: string;
  readonly hash: string;
  readonly definition: string;
}

export type AllowScope = 'workspace' | 'user';

/** `proposal`: a file of others names it, and the user has to approve it. `outside`: it runs without a sandbox. */
export type TrustQuestion = 'proposal' | 'outside';

/** `open`: the user has not decided, or has taken the decision back. */
export type TrustDecision = 'approved' | 'refused' | 'open';

/** Read before each decision, so that a change by another window applies at once. */
export class Trust {
  readonly #file: string;
  readonly #storage: Storage;
  readonly #log: Log;

  /** `file`: in TILLER_HOME. */
  constructor(
    file: 'mcp.json' | 'hooks.json' | 'tools.json' | 'agents.json' | 'skills.json',
    storage: Storage,
    log: Log,
  ) {
    this.#file = file;
    this.#storage = storage;
    this.#log = log;
  }

  /**
   * Resolves to the allowance of this workspace, and to the definition that was last allowed, if it was another one.
   */
  async about(
    { server, tool, hash }: ToolIdentity,
    workspace: string,
  ): Promise<{ readonly isAllowed: boolean; readonly before: string | undefined }> {
    const { tools } = await this.#read();
    const known = tools.filter((record) => record.server === server && record.tool === tool);
    const same = known.find((record) => record.hash === hash);
    const isAllowed = same !== undefined && (same.allowed === 'everywhere' || same.allowed.includes(workspace));
    return { isAllowed, before: same === undefined ? known.at(-1)?.definition : undefined };
  }

  /** Remembers the definition that the user has approved; with a scope, it is not asked about again there. */
  async approved(
    identity: ToolIdentity,
    allow: { readonly scope: AllowScope; readonly workspace: string } | null,
  ): Promise<void> {
    const { server, tool, hash, definition } = identity;
    await this.#update((file) => {
      const known = file.tools.find(
        (record) => record.server === server && record.tool === tool && record.hash === hash,
      );
      const before = known?.allowed ?? [];
      const allowed = widened(before, allow);
      const others = file.tools.filter((record) => record !== known);
      return { ...file, tools: [...others, { server, tool, hash, definition, allowed }].slice(-MAX_TOOLS) };
    });
  }

  /** Removes all approvals of the tools of a server. */
  async forgetTools(server: string): Promise<void> {
    await this.#update((file) => ({ ...file, tools: file.tools.filter((record) => record.server !== server) }));
  }

  async decisionOn(hash: string, about: TrustQuestion): Promise<TrustDecision> {
    const { servers } = await this.#read();
    const record = servers.find((known) => known.hash === hash && known.about === about);
    if (record === undefined) return 'open';
    return record.accepted ? 'approved' : 'refused';
  }

  async decide(hash: string, about: TrustQuestion, decision: TrustDecision): Promise<void> {
    await this.#update((file) => {
      const others = file.servers.filter((record) => record.hash !== hash || record.about !== about);
      if (decision === 'open') return { ...file, servers: others };
      return { ...file, servers: [...others, { hash, about, accepted: decision === 'approved' }] };
    });
  }

  async #read(): Promise<TrustFile> {
    const text = await this.#storage.readText(this.#file);
    return text === undefined ? NOTHING : this.#parse(text);
  }

  /** Returns an empty file, which allows no tool, where the text is not valid. */
  #parse(text: string): TrustFile {
    const parsed = fileSchema.safeParse(parseJson(text));
    if (parsed.success) return parsed.data;
    this.#log.warn(`${this.#file} is not valid, so nothing in it is allowed: ${messageOf(parsed.error)}`);
    return NOTHING;
  }

  async #update(change: (file: TrustFile) => TrustFile): Promise<void> {
    await this.#storage.updateText(this.#file, (text) => {
      const file = text === undefined ? NOTHING : this.#parse(text);
      return `${JSON.stringify(change(file), null, 2)}\n`;
    });
  }
}

function widened(
  before: TrustFile['tools'][number]['allowed'],
  allow: { readonly scope: AllowScope; readonly workspace: string } | null,
): TrustFile['tools'][number]['allowed'] {
  if (allow === null || before === 'everywhere') return before;
  return allow.scope === 'user' ? 'everywhere' : [...new Set([...before, allow.workspace])];
}
