import * as z from 'zod';
import type { ToolSpec } from '../../../protocol/toolSpec.ts';
import { PATCH_GRAMMAR, PATCH_INSTRUCTIONS } from '../../patch/grammar.ts';
import { createJsonInputStream } from '../../patch/jsonInput.ts';
import type { Parsed, ToolFamily, ToolHandler, ToolOptions, ToolPayload } from '../handler.ts';
import { parseArguments } from '../parseArguments.ts';
import { applyApproved } from './applyApproved.ts';
import { fileChangeItem, type ApplyPlan, preparePatch } from './patchTool.ts';

const NAME = 'apply_patch';

const argumentsSchema = z.object({ input: z.string() });

/** Edits files: a patch is planned against the current text and applied whole or not at all (design decision 4). */
export function applyPatch(
  family: Pick<ToolFamily, 'applyPatch' | 'extraInstructions'>,
  options: ToolOptions,
): ToolHandler<string, ApplyPlan> {
  return {
    names: [NAME, 'applypatch'],
    payloads: ['function', 'custom'],
    isMutating: () => true,
    spec: family.applyPatch === 'freeform' ? freeformSpec(family.extraInstructions) : FUNCTION_SPEC,
    preview: {
      start: (itemId, callId) => fileChangeItem(itemId, callId, [], ''),
      reader: previewReader,
    },
    parse: parsePayload,
    prepare: (patch, context) => preparePatch(patch, options.review(), context),
    run: (plan, attempt, context) => applyApproved(plan, attempt, context, options),
  };
}

const FREEFORM_DESCRIPTION = 'Edits files. The input is a patch in the grammar below, not JSON.';

/** The format is explained to a model that was not trained on it. */
function freeformSpec(explained: boolean): ToolSpec {
  return {
    type: 'custom',
    name: NAME,
    description: explained ? `${FREEFORM_DESCRIPTION} ${PATCH_INSTRUCTIONS}` : FREEFORM_DESCRIPTION,
    format: { type: 'grammar', syntax: 'lark', definition: PATCH_GRAMMAR },
  };
}

const FUNCTION_SPEC: ToolSpec = {
  type: 'function',
  name: NAME,
  description: `Edits files. ${PATCH_INSTRUCTIONS}`,
  strict: false,
  parameters: {
    type: 'object',
    properties: { input: { type: 'string', description: 'The whole patch.' } },
    required: ['input'],
    additionalProperties: false,
  },
};

/** Returns the patch text while the model writes it, decoded from JSON where it is a function argument. */
function previewReader(kind: 'arguments' | 'input'): (piece: string) => string {
  if (kind === 'input') return (piece) => piece;
  const stream = createJsonInputStream();
  return (piece) => stream.push(piece);
}

/** Both forms are accepted whichever was offered (codex-behaviour.md §1.7). */
function parsePayload(payload: ToolPayload): Parsed<string> {
  if (payload.type === 'custom') return { type: 'parsed', args: payload.input };
  const parsed = parseArguments(argumentsSchema, payload);
  return parsed.type === 'parsed' ? { type: 'parsed', args: parsed.args.input } : parsed;
}
