/**
 * The user's rules and decisions for one workspace. Kept in TILLER_HOME, so that a workspace cannot write them (design
 * decision 12).
 */
import * as z from 'zod';
import { ruleSchema } from '../../protocol/policy.ts';
import { lazyStrictObject } from '../../protocol/lazyObject.ts';

export const WORKSPACE_RULES = 'workspace-rules.json';

const settledSchema = lazyStrictObject(() => ({
  rules: z.array(ruleSchema).default([]),
  /** Hashes of the proposals in the workspace's own file. */
  accepted: z.array(z.string()).default([]),
  refused: z.array(z.string()).default([]),
}));
export type Settled = z.infer<typeof settledSchema>;

const fileSchema = lazyStrictObject(() => ({ version: z.literal(1), folders: z.record(z.string(), settledSchema) }));

export const NOTHING_SETTLED: Settled = { rules: [], accepted: [], refused: [] };

/** Returns the rules by folder. @throws Error with a message when the file is broken. */
export function parseWorkspaceRules(text: string | undefined): ReadonlyMap<string, Settled> {
  if (text === undefined) return new Map();
  const result = fileSchema.safeParse(parseJson(text));
  if (result.success) return new Map(Object.entries(result.data.folders));
  const [issue] = result.error.issues;
  throw new Error(`${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'is not valid'}`);
}

/** @throws Error when the file is broken; a broken file is not overwritten. */
export function changeWorkspaceRules(
  text: string | undefined,
  folder: string,
  change: (settled: Settled) => Settled,
): string {
  const folders = new Map(parseWorkspaceRules(text));
  folders.set(folder, change(folders.get(folder) ?? NOTHING_SETTLED));
  return `${JSON.stringify({ version: 1, folders: Object.fromEntries(folders) }, null, 2)}\n`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('not valid JSON');
  }
}
