import { textOf } from '../../protocol/responseItem.ts';
import {
  type Attempt,
  mapPlan,
  type ReadyPreparation,
  type ToolContext,
  type ToolHandler,
  type ToolOptions,
} from './handler.ts';

interface Guarded<Plan> {
  readonly plan: Plan;
  /** False for a patch that was sent as a command: it is applied to buffers and needs no saving. */
  readonly isCommand: boolean;
  /** True when files may be saved before it runs. */
  readonly maySave: boolean;
}

/**
 * A command reads the disk, while a patch may be applied to a buffer only, next to unsaved edits of the user. So before
 * the first command of a turn the user is asked to save these files, or they are saved automatically, by the setting
 * (design decision 5). The model gets a note about files that stay unsaved.
 */
export function savingFirst<Args, Plan>(
  handler: ToolHandler<Args, Plan>,
  setting: ToolOptions['saveBeforeCommands'],
): ToolHandler<Args, Guarded<Plan>> {
  const runAnyway = new Set<string>();
  return {
    ...handler,
    isMutating: (args, { plan, maySave }) => maySave || handler.isMutating(args, plan),
    async prepare(args, context) {
      const prepared = await handler.prepare(args, context);
      if (prepared.type === 'failure') return prepared;
      const isCommand = prepared.card?.kind !== 'patch';
      const unsaved = context.workspace.unsavedFiles().filter((path) => !runAnyway.has(path));
      const maySave = isCommand && setting !== 'never' && unsaved.length > 0;
      const guarded = mapPlan(prepared, (plan) => ({ plan, isCommand, maySave }));
      return isCommand && setting === 'ask' && unsaved.length > 0 ? asking(guarded, unsaved, context) : guarded;
    },
    async run({ plan, isCommand }, attempt, context) {
      const unsaved = isCommand ? context.workspace.unsavedFiles() : [];
      const isToSave = setting === 'always' || attempt.answer === 'approved_saving';
      const left = isToSave && unsaved.length > 0 ? await context.workspace.save(unsaved) : unsaved;
      if (isRunAnyway(attempt)) for (const path of left) runAnyway.add(path);
      const result = await handler.run(plan, attempt, context);
      if (left.length === 0) return result;
      return { ...result, output: `${textOf(result.output)}\n${NOT_SAVED}${left.join(', ')}` };
    },
  };
}

const NOT_SAVED = 'Not saved in the editor, so the command saw the old text of: ';

function asking<Plan>(
  prepared: ReadyPreparation<Plan>,
  unsaved: readonly string[],
  { settings }: ToolContext,
): ReadyPreparation<Plan> {
  const { requirement, card } = prepared;
  const mayAsk = settings.approvalPolicy !== 'never' && requirement.type !== 'forbidden';
  if (card === undefined || !mayAsk) return prepared;
  return {
    ...prepared,
    requirement: requirement.type === 'skip' ? { type: 'needs_approval', reason: UNSAVED, parts: [] } : requirement,
    card: { ...card, unsaved: [...unsaved] },
    // An approval for the thread would answer this question too.
    approvalKeys: [],
  };
}

const UNSAVED = {
  source: 'policy',
  id: 'unsaved-files',
  text: 'Files that Tiller changed are not saved, and the command would see their old text.',
} as const;

function isRunAnyway({ answer }: Attempt): boolean {
  return answer === 'approved' || answer === 'approved_for_thread';
}
