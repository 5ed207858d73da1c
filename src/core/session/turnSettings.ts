import path from 'node:path';
import type { TurnSettings } from '../../protocol/event.ts';
import type { UserInput } from '../../protocol/item.ts';
import type { OpOf, TurnOverrides } from '../../protocol/op.ts';
import type { SandboxPolicy } from '../../protocol/policy.ts';
import type { Workspace } from '../ports.ts';
import { RefusedSettings } from './failure.ts';
import type { MessageOp, ThreadHost } from './sessionOptions.ts';
import type { ThreadModels } from './threadModels.ts';

/**
 * Returns why the overrides cannot be used: their working directory is not a folder. The present directory of the
 * thread is not checked: it may have been removed, and other settings can still be changed.
 */
export async function refusalOf(
  { cwd: current }: TurnSettings,
  { cwd }: TurnOverrides,
  workspace: Pick<Workspace, 'stat'>,
): Promise<RefusedSettings | undefined> {
  const folder = cwd === undefined ? current : path.resolve(current, cwd);
  if (folder === current) return undefined;
  const kept = `The thread keeps its settings and works in ${current}.`;
  try {
    const stat = await workspace.stat(folder);
    if (stat?.type === 'directory') return undefined;
    const why = stat === undefined ? 'does not exist' : 'is not a folder';
    return new RefusedSettings(`The working directory ${folder} ${why}. ${kept}`);
  } catch (error) {
    return new RefusedSettings(`The working directory ${folder} cannot be used. ${kept}`, { cause: error });
  }
}

/** The settings with the overrides of a client. Its folders are resolved against the working directory. */
export function overridden(
  settings: TurnSettings,
  overrides: TurnOverrides,
  { models, host }: { readonly models: ThreadModels; readonly host: Pick<ThreadHost, 'sandboxFor'> },
): TurnSettings {
  const { model, effort, summary, cwd, policy, box } = overrides;
  const provider = models.named(overrides.provider ?? settings.provider);
  const newCwd = cwd === undefined ? settings.cwd : path.resolve(settings.cwd, cwd);
  const sandboxPolicy = box ? resolved(box, newCwd) : settings.sandboxPolicy;
  return {
    model: model ?? settings.model,
    ...(provider === undefined ? {} : { provider }),
    effort: effort === undefined ? settings.effort : effort,
    summary: summary ?? settings.summary,
    cwd: newCwd,
    approvalPolicy: policy ?? settings.approvalPolicy,
    sandboxPolicy,
    ...host.sandboxFor(sandboxPolicy),
    ...((overrides.planMode ?? settings.planMode) === true ? { planMode: true as const } : {}),
  };
}

/**
 * Makes the op for a message. Without overrides it is a `steer`, which any session can take: it joins a running turn.
 */
export function messageOp(
  input: readonly UserInput[],
  overrides: TurnOverrides | undefined,
  outputSchema: OpOf<'user_turn'>['outputSchema'],
): MessageOp {
  if (overrides === undefined && outputSchema === undefined) return { type: 'steer', input: [...input] };
  return {
    type: 'user_turn',
    input: [...input],
    ...(overrides && { overrides }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

function resolved(policy: SandboxPolicy, cwd: string): SandboxPolicy {
  if (policy.type !== 'workspace-write') return policy;
  return { ...policy, writableRoots: policy.writableRoots.map((root) => path.resolve(cwd, root)) };
}
