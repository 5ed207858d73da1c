/** Planning and landing of a patch, whichever way the model sent it. */
import path from 'node:path';
import type { TurnSettings } from '../../../protocol/event.ts';
import type { FileChangeSummary, TurnItemOf } from '../../../protocol/item.ts';
import type { ReviewSetting } from '../../../protocol/policy.ts';
import type { PatchOperation } from '../../patch/operation.ts';
import { parsePatch } from '../../patch/parse.ts';
import { type PatchPlan, pathsOf } from '../../patch/plan.ts';
import { unifiedDiff, unifiedDiffOfAll } from '../../patch/unifiedDiff.ts';
import { patchApprovalKeys, patchBinding } from '../../policy/approvalKeys.ts';
import { decidePatch } from '../../policy/decidePatch.ts';
import type { WritableScope } from '../../policy/pathScope.ts';
import type { FileChange, Host, Workspace } from '../../ports.ts';
import { PROTECTED_NAMES, writableRoots } from '../../sandbox/writableRoots.ts';
import type { Attempt, Preparation, ToolContext, ToolResult } from '../handler.ts';
import { planPatchIn } from '../planPatchIn.ts';
import { failureText, successText } from './patchTexts.ts';

/** How often a plan is made anew because somebody typed between plan and landing. */
const MAX_REPLANS = 5;

export interface LandPlan {
  readonly operations: readonly PatchOperation[];
  /** Where its relative paths start. */
  readonly cwd: string;
  readonly planned: Extract<PatchPlan, { type: 'planned' }>;
  readonly item: TurnItemOf<'file_change'>;
}

/** Parses, reads, plans and decides; a patch that does not fit is answered and nothing is touched. */
export async function preparePatch(
  patch: string,
  review: ReviewSetting,
  context: ToolContext,
  workdirs: readonly string[] = [],
): Promise<Preparation<LandPlan>> {
  const workdir = path.resolve(context.settings.cwd, ...workdirs);
  const parsed = parsePatch(patch);
  if (parsed.type === 'invalid') return failure(parsed.message);
  const planned = await planPatchIn(context.workspace, parsed.operations, workdir, context.signal);
  if (planned.type === 'failed') return failure(planned.message);

  const { settings, host } = context;
  const paths = pathsOf(parsed.operations, workdir);
  const requirement = decidePatch({
    paths,
    approvalPolicy: settings.approvalPolicy,
    sandboxPolicy: settings.sandboxPolicy,
    writable: await scopeOf(settings, host, context.workspace, paths),
    review,
    platform: host.platform,
  });
  const changes = planned.changes.map((change) => summaryOf(change, settings.cwd));
  const diff = unifiedDiffOfAll(planned.changes, settings.cwd).text;
  const item = fileChangeItem(context.itemId, context.callId, changes, diff);
  return {
    type: 'ready',
    plan: { operations: parsed.operations, cwd: workdir, planned, item },
    requirement,
    item,
    card: { kind: 'patch', cwd: workdir, changes, diff },
    proposal: planned.changes,
    approvalKeys: patchApprovalKeys(paths),
    binding: patchBinding(planned.changes),
  };
}

/** Lands the plan, made anew while the files move under it. */
export async function landPatch(
  { operations, cwd, planned, item }: LandPlan,
  { boundTo }: Attempt,
  context: ToolContext,
): Promise<ToolResult> {
  const { workspace, clock, signal, settings } = context;
  const startedAt = clock.monotonic();
  await context.flush();
  let current: PatchPlan = planned;
  let others = '';
  for (let replans = 0; current.type === 'planned'; replans++) {
    const result = await workspace.apply(current.changes, signal, { turnId: context.turnId, itemId: item.id });
    if (result.type === 'applied') {
      context.landed(current.changes);
      const changes = current.changes.map((change) => ({
        ...summaryOf(change, settings.cwd),
        decision: 'accepted' as const,
      }));
      return {
        output: successText(current.report, result.files, (clock.monotonic() - startedAt) / 1000),
        success: true,
        item: { ...item, status: 'completed', changes, diff: unifiedDiffOfAll(current.changes, settings.cwd).text },
      };
    }
    if (result.type === 'failed') return failed(item, failureText(result.message, result.notRestored));
    if (replans === MAX_REPLANS) {
      return failed(
        item,
        `The files keep changing while the patch lands: ${result.paths.join(', ')}. Nothing was changed.`,
      );
    }
    if (result.byAnotherThread) others = ' by another thread';
    current = await planPatchIn(workspace, operations, cwd, signal);
    if (current.type === 'planned' && boundTo !== undefined && patchBinding(current.changes) !== boundTo) {
      return { ...failed(item, 'The files keep changing while the patch waits for approval.'), changedSince: true };
    }
  }
  return failed(
    item,
    `The files were changed${others} in the meantime, and the patch no longer fits: ${current.message}`,
  );
}

async function scopeOf(
  settings: TurnSettings,
  host: Host,
  workspace: Workspace,
  paths: readonly string[],
): Promise<WritableScope> {
  const { TMPDIR } = host.environment;
  const writable = writableRoots(settings.sandboxPolicy, {
    cwd: settings.cwd,
    platform: host.platform,
    tmpdirVariable: TMPDIR,
  });
  const roots = writable.type === 'roots' ? writable.roots.map((root) => root.path) : [];
  return { roots, protectedNames: PROTECTED_NAMES, protectedPaths: await linksBelow(roots, paths, workspace) };
}

/**
 * Links that lie on the way from a root to a file. A patch is written through them, to places that a comparison of paths
 * cannot know, so whatever lies behind one is asked about.
 */
async function linksBelow(
  roots: readonly string[],
  paths: readonly string[],
  workspace: Workspace,
): Promise<readonly string[]> {
  const places = new Set(paths.flatMap((file) => roots.flatMap((root) => placesBetween(root, file))));
  const links = await Promise.all(
    [...places].map(async (place) => ((await workspace.stat(place))?.symbolicLink ? [place] : [])),
  );
  return links.flat();
}

/** Every folder below the root on the way to the file, and the file; nothing when it lies elsewhere. */
function placesBetween(root: string, file: string): string[] {
  const relative = path.relative(root, file);
  if (relative === '' || relative.startsWith('..') || path.isAbsolute(relative)) return [];
  const names = relative.split(path.sep);
  return names.map((_, index) => path.join(root, ...names.slice(0, index + 1)));
}

function summaryOf(change: FileChange, cwd: string): FileChangeSummary {
  const { added, removed } = unifiedDiff(change, cwd);
  const moved = change.kind === 'update' && change.movedTo !== null ? { movedTo: shown(change.movedTo, cwd) } : {};
  return { path: shown(change.path, cwd), kind: change.kind, ...moved, added, removed };
}

/** Relative to the working directory where it lies inside. */
function shown(file: string, cwd: string): string {
  const relative = path.relative(cwd, file);
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? file : relative;
}

export function fileChangeItem(
  id: string,
  callId: string,
  changes: FileChangeSummary[],
  diff: string,
): TurnItemOf<'file_change'> {
  return { id, type: 'file_change', status: 'in_progress', callId, changes, diff };
}

function failed(item: TurnItemOf<'file_change'>, output: string): ToolResult {
  return { output, success: false, item: { ...item, status: 'failed' } };
}

function failure(message: string): { type: 'failure'; output: string } {
  return { type: 'failure', output: `apply_patch verification failed: ${message}` };
}
