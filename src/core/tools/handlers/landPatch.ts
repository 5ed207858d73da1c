/** Landing of a patch that may land: planned anew while the files move under it, and never as something else. */
import type { TurnItemOf } from '../../../protocol/item.ts';
import type { PatchPlan } from '../../patch/plan.ts';
import { patchBinding } from '../../policy/approvalKeys.ts';
import type { FileChange, LandedFile } from '../../ports.ts';
import type { Attempt, ToolContext, ToolResult } from '../handler.ts';
import { planPatchIn } from '../planPatchIn.ts';
import { describe, diffOf, type LandPlan, shown } from './patchTool.ts';
import { failureText, successText } from './patchTexts.ts';
import { withAgreement } from './unsavedEdits.ts';

/** How often a plan is made anew because somebody typed between plan and landing. */
const MAX_REPLANS = 5;

export async function landPatch(
  { operations, cwd, planned, item }: LandPlan,
  { answer, boundTo }: Pick<Attempt, 'answer' | 'boundTo'>,
  context: ToolContext,
): Promise<ToolResult> {
  const { workspace, clock, signal, settings } = context;
  const startedAt = clock.monotonic();
  await context.flush();
  let current: PatchPlan = planned;
  let others = '';
  for (let replans = 0; current.type === 'planned'; replans++) {
    const changes = withAgreement(current.changes, answer, (path) => shown(path, settings.cwd));
    const result = await workspace.apply(changes, signal, { turnId: context.turnId, itemId: item.id });
    if (result.type === 'applied') {
      context.landed(current.changes);
      return {
        output: successText(current.report, result.files, (clock.monotonic() - startedAt) / 1000),
        success: true,
        item: landedItem(item, current.changes, result.files, settings.cwd),
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

function landedItem(
  item: TurnItemOf<'file_change'>,
  landed: readonly FileChange[],
  files: readonly LandedFile[],
  cwd: string,
): TurnItemOf<'file_change'> {
  const unsaved = new Set(files.filter(({ saved }) => !saved).map(({ path }) => path));
  const described = describe(landed, cwd);
  const changes = described.map(({ change, summary }) => {
    const path = change.kind === 'update' ? (change.movedTo ?? change.path) : change.path;
    const note = unsaved.has(path) ? { unsaved: true } : {};
    return { ...summary, ...note, decision: 'accepted' as const };
  });
  return { ...item, status: 'completed', changes, diff: diffOf(described) };
}

function failed(item: TurnItemOf<'file_change'>, output: string): ToolResult {
  return { output, success: false, item: { ...item, status: 'failed', why: output } };
}
