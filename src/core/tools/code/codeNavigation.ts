import * as z from 'zod';
import type { TurnItemOf } from '../../../protocol/item.ts';
import type { ReviewSetting } from '../../../protocol/policy.ts';
import { textOf } from '../../../protocol/responseItem.ts';
import type { FunctionToolSpec } from '../../../protocol/toolSpec.ts';
import type { Languages, RenamedFile } from '../../ports.ts';
import { shownPath } from '../files/filePaths.ts';
import {
  mapPlan,
  type Preparation,
  type ToolContext,
  type ToolHandler,
  type ToolOptions,
  type ToolResult,
} from '../handler.ts';
import { applyApproved } from '../handlers/applyApproved.ts';
import { type ApplyPlan, prepareChanges } from '../handlers/patchTool.ts';
import { parseArguments } from '../parseArguments.ts';
import { askAbout } from './askPatiently.ts';
import { locate } from './locate.ts';
import { type LookUp, lookUp, withinTime } from './lookUp.ts';
import { counted } from './placesText.ts';
import { operationsOf, planRename } from './planRename.ts';
import { lazyObject } from '../../../protocol/lazyObject.ts';

const OPS = ['definition', 'references', 'implementations', 'symbols', 'hover', 'rename', 'diagnostics'] as const;

const argumentsSchema = lazyObject(() => ({
  op: z.enum(OPS),
  symbol: z.string().trim().min(1).max(200).optional(),
  path: z.string().min(1).optional(),
  line: z.number().int().min(1).optional(),
  new_name: z.string().trim().min(1).max(200).optional(),
}));
type Arguments = z.infer<typeof argumentsSchema>;

function specFor(mayChange: boolean): FunctionToolSpec {
  const renames = mayChange ? ' rename changes all files at once.' : '';
  return {
    type: 'function',
    name: 'code_navigation',
    description: `Asks the editor's language servers, which know the code better than a text search and see unsaved edits. Names are enough; add path and line when a name is ambiguous.${renames}`,
    strict: false,
    parameters: {
      type: 'object',
      properties: {
        op: { type: 'string', enum: OPS.filter((op) => mayChange || op !== 'rename') },
        symbol: { type: 'string', description: 'For all but diagnostics; optional for symbols of a path.' },
        path: { type: 'string' },
        line: { type: 'number', description: 'A line of path that has the symbol, from 1.' },
        ...(mayChange ? { new_name: { type: 'string', description: 'For rename.' } } : {}),
      },
      required: ['op'],
      additionalProperties: false,
    },
  };
}

type Item = TurnItemOf<'code_navigation'>;

type Plan =
  | { readonly type: 'look'; readonly request: LookUp; readonly item: Item }
  /** A rename that cannot be done. */
  | { readonly type: 'refused'; readonly item: Item; readonly output: string }
  | { readonly type: 'rename'; readonly patch: ApplyPlan; readonly done: string };

/**
 * The tool `code_navigation`: answers of the editor's language extensions about the code (docs/decisions/0051). A
 * rename is a patch; without `mayChange` there is none.
 */
export function codeNavigation(
  languages: Languages,
  review: ToolOptions['review'],
  mayChange: boolean,
): ToolHandler<Arguments, Plan> {
  return {
    names: ['code_navigation'],
    spec: specFor(mayChange),
    isMutating: (_args, { type }) => type === 'rename',
    parse: (payload) => {
      const parsed = parseArguments(argumentsSchema, payload);
      if (parsed.type === 'invalid') return parsed;
      const missing = missingIn(parsed.args);
      if (missing === undefined) return parsed;
      return { type: 'invalid', message: `Failed to parse the arguments: ${missing}. Nothing was run.` };
    },
    async prepare(args, context): Promise<Preparation<Plan>> {
      const item = itemOf(args, context);
      if (args.op !== 'rename') return looking({ type: 'look', request: { ...args, op: args.op }, item });
      if (!mayChange) return looking({ type: 'refused', item, output: 'This agent may not change files.' });
      const prepared = await prepareRename(args, languages, review(), context);
      return prepared.type === 'failure' ? looking({ type: 'refused', item, output: prepared.output }) : prepared;
    },
    async run(plan, attempt, context): Promise<ToolResult> {
      switch (plan.type) {
        case 'refused':
          return failed(plan.item, plan.output);
        case 'look': {
          const { request, item } = plan;
          const found = await withinTime(languages, context, (deps) => lookUp(request, deps));
          if (found.type === 'failure') return failed(item, found.output);
          const { output, count } = found;
          return { output, success: true, item: { ...item, status: 'completed', found: count, text: output } };
        }
        case 'rename': {
          const applied = await applyApproved(plan.patch, attempt, context);
          return applied.success ? { ...applied, output: `${plan.done}\n${textOf(applied.output)}` } : applied;
        }
      }
    },
  };
}

function missingIn({ op, symbol, path, line, new_name: newName }: Arguments): string | undefined {
  if (symbol === undefined && op !== 'diagnostics' && !(op === 'symbols' && path !== undefined)) {
    return `symbol: ${op} needs it`;
  }
  if (op === 'rename' && newName === undefined) return 'new_name: rename needs it';
  return line !== undefined && path === undefined ? 'path: line needs it' : undefined;
}

function itemOf({ op, symbol, path, line }: Arguments, { itemId, callId }: ToolContext): Item {
  return {
    id: itemId,
    type: 'code_navigation',
    status: 'in_progress',
    callId,
    op,
    ...(symbol === undefined ? {} : { symbol }),
    ...(path === undefined ? {} : { path }),
    ...(line === undefined ? {} : { line }),
  };
}

function looking(plan: Extract<Plan, { readonly item: Item }>): Preparation<Plan> {
  return {
    type: 'ready',
    plan,
    item: plan.item,
    requirement: {
      type: 'skip',
      bypassSandbox: false,
      reason: { source: 'policy', id: 'reads-files', text: 'It only asks the editor about files that may be read.' },
    },
    approvalKeys: [],
  };
}

function failed(item: Item, why: string): ToolResult {
  return { output: why, success: false, item: { ...item, status: 'failed', why } };
}

async function prepareRename(
  { symbol = '', path, line, new_name: newName = '' }: Arguments,
  languages: Languages,
  review: ReviewSetting,
  context: ToolContext,
): Promise<Preparation<Plan>> {
  const movesSeen = context.workspace.moves?.count ?? 0;
  const asked = await withinTime(languages, context, async (deps): Promise<Asked> => {
    const located = await locate({ symbol, path, line }, 'one_symbol', deps);
    if (located.type !== 'found') return { type: 'failure', output: located.output };
    const { name, at } = located;
    const [position] = at;
    if (position === undefined) return { type: 'failure', output: `There is no ${name}.` };
    const answer = await askAbout(
      position,
      async () => languages.rename(position, newName),
      (found) => found.type === 'refused' || found.files.length === 0,
      languages,
      deps.limit,
    );
    if (answer.type === 'refused') {
      return { type: 'failure', output: `The language extension does not rename ${name}: ${answer.message}` };
    }
    if (answer.files.length === 0) return { type: 'failure', output: `Nothing to rename: ${name} was found nowhere.` };
    return { type: 'renamed', name, files: answer.files };
  });
  if (asked.type === 'failure') return asked;
  const { name, files } = asked;
  const { settings, workspace, signal } = context;
  const nameOf = (file: string) => shownPath(file, settings.cwd);
  const prepared = await prepareChanges(
    {
      operations: operationsOf(files),
      moved: [],
      movesSeen,
      cwd: settings.cwd,
      plan: (refuse) => planRename(files, name, workspace, nameOf, signal, refuse),
      // The editor has to be asked again about the new text.
      again: async () => ({ type: 'moved' }),
      failed: (message) => `The rename of ${name} does not fit: ${message} Nothing was changed.`,
    },
    review,
    context,
  );
  if (prepared.type === 'failure') return prepared;
  const places = files.reduce((sum, { edits }) => sum + edits.length, 0);
  const done = `Renamed ${name} to ${newName}: ${counted(places, 'place')} in ${counted(files.length, 'file')}.`;
  return mapPlan(prepared, (patch) => ({ type: 'rename' as const, patch, done }));
}

type Asked =
  | { readonly type: 'renamed'; readonly name: string; readonly files: readonly RenamedFile[] }
  | { readonly type: 'failure'; readonly output: string };
