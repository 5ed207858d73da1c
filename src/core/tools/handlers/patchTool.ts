/** Planning and deciding of a patch, whichever way the model sent it. */
import path from 'node:path';
import type { FileChangeSummary, TurnItemOf } from '../../../protocol/item.ts';
import type { ReviewSetting } from '../../../protocol/policy.ts';
import type { PatchOperation } from '../../patch/operation.ts';
import { parsePatch } from '../../patch/parse.ts';
import { type PatchPlan, pathsOf } from '../../patch/plan.ts';
import { reviewedChanges } from '../../patch/review.ts';
import { fileDiff } from '../../patch/unifiedDiff.ts';
import { patchApprovalKeys, patchBinding } from '../../policy/approvalKeys.ts';
import { decidePatch } from '../../policy/decidePatch.ts';
import type { WritableScope } from '../../policy/pathScope.ts';
import type { FileChange, ProposedFile, ProposedHunk, Workspace } from '../../ports.ts';
import { PROTECTED_PATTERNS, writableRoots } from '../../sandbox/writableRoots.ts';
import { pathBelow } from '../../util/pathBelow.ts';
import type { Preparation, ToolContext } from '../handler.ts';
import { inBareRepositories } from '../bareRepositories.ts';
import { planPatchIn } from '../planPatchIn.ts';
import { inTemporaryFolder, temporaryIn } from '../temporaryPaths.ts';
import { inOpenFolders } from './openFolders.ts';
import { isDiscarding, unsavedEditsLost } from './unsavedEdits.ts';

export interface LandPlan {
  readonly operations: readonly PatchOperation[];
  /** Where its relative paths start. */
  readonly cwd: string;
  readonly planned: Extract<PatchPlan, { type: 'planned' }>;
  /** What a person is asked about, file by file. */
  readonly proposal: readonly ProposedFile[];
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
  const named = await inOpenFolders(parsed.operations, workdir, context.workspace);
  const operations = await inTemporaryFolder(named, workdir, context);
  const planned = await planPatchIn(context.workspace, operations, workdir, context.signal);
  if (planned.type === 'failed') return failure(planned.message);

  const { settings, host } = context;
  const allPaths = pathsOf(operations, workdir);
  const decide = async (paths: readonly string[], discards: ReadonlySet<string>) =>
    decidePatch({
      paths,
      discards: [...discards].map((file) => shown(file, settings.cwd)),
      approvalPolicy: settings.approvalPolicy,
      sandboxPolicy: settings.sandboxPolicy,
      writable: await scopeOf(context, paths),
      review,
      platform: host.platform,
    });
  const discards = await unsavedEditsLost(planned.changes, context.workspace, context.signal);
  const requirement = await decide(allPaths, discards);
  const described = describe(planned.changes, settings.cwd);
  const changes = described.map(({ summary }) => summary);
  const proposed = described.map(({ change, summary }) => ({
    ...summary,
    ...(isDiscarding(change, discards) ? { discardsUnsaved: true } : {}),
  }));
  const diff = diffOf(described);
  const proposal = described.map(({ change, summary, hunks }) => ({ name: summary.path, change, hunks }));
  const item = fileChangeItem(context.itemId, context.callId, changes, diff);
  return {
    type: 'ready',
    plan: { operations, cwd: workdir, planned, proposal, item },
    requirement,
    item,
    card: { kind: 'patch', cwd: workdir, changes: proposed, diff },
    proposal,
    reconsider: async (reviewed) => {
      const left = reviewed === undefined ? undefined : reviewedChanges(proposal, reviewed);
      const requirement = await decide(
        left?.flatMap(pathsOfChange) ?? allPaths,
        left === undefined ? discards : await unsavedEditsLost(left, context.workspace, context.signal),
      );
      return { requirement, matchedRules: [] };
    },
    // Unsaved edits are asked about each time.
    approvalKeys: discards.size > 0 ? [] : patchApprovalKeys(allPaths),
    binding: patchBinding(planned.changes),
  };
}

function pathsOfChange(change: FileChange): readonly string[] {
  return change.kind === 'update' && change.movedTo !== null ? [change.path, change.movedTo] : [change.path];
}

/** What sandboxed commands may write, a patch may, too. */
async function scopeOf(context: ToolContext, paths: readonly string[]): Promise<WritableScope> {
  const { settings, host, workspace } = context;
  const writable = writableRoots(settings.sandboxPolicy, { cwd: settings.cwd, platform: host.platform });
  const { folder, seenAt } = temporaryIn(context);
  const temporary = seenAt.length > 0 ? [folder] : [];
  const roots = writable.type === 'roots' ? [...writable.roots.map((root) => root.path), ...temporary] : [];
  const [links, repositories] = await Promise.all([
    linksBelow(roots, paths, workspace),
    inBareRepositories(roots, paths, workspace),
  ]);
  return { roots, protectedNames: PROTECTED_PATTERNS, protectedPaths: [...links, ...repositories] };
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
  const way = pathBelow(root, file);
  if (!way) return [];
  const names = way.split(path.sep);
  return names.map((_, index) => path.join(root, ...names.slice(0, index + 1)));
}

/** A change as it is shown. To find out how a long file differs takes its time: it is done once. */
export interface DescribedChange {
  readonly change: FileChange;
  readonly summary: FileChangeSummary;
  readonly diff: string;
  readonly hunks: readonly ProposedHunk[];
}

export function describe(changes: readonly FileChange[], cwd: string): readonly DescribedChange[] {
  return changes.map((change) => {
    const { text, added, removed, hunks } = fileDiff(change, cwd);
    const moved = change.kind === 'update' && change.movedTo !== null ? { movedTo: shown(change.movedTo, cwd) } : {};
    return {
      change,
      summary: { path: shown(change.path, cwd), kind: change.kind, ...moved, added, removed },
      diff: text,
      hunks,
    };
  });
}

export function diffOf(described: readonly DescribedChange[]): string {
  return described.map(({ diff }) => diff).join('');
}

/** Relative to the working directory where it lies inside. */
export function shown(file: string, cwd: string): string {
  return pathBelow(cwd, file) || file;
}

export function fileChangeItem(
  id: string,
  callId: string,
  changes: FileChangeSummary[],
  diff: string,
): TurnItemOf<'file_change'> {
  return { id, type: 'file_change', status: 'in_progress', callId, changes, diff };
}

function failure(message: string): { type: 'failure'; output: string } {
  return { type: 'failure', output: `apply_patch verification failed: ${message}` };
}
