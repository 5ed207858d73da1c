/** The cells that a patch removes from a notebook, in its journal: texts of cells have neither outputs nor metadata. */
import * as vscode from 'vscode';
import { z } from 'zod';
import { cellEdits } from '../../core/patch/notebookText.ts';
import { lazyObject } from '../../protocol/lazyObject.ts';
import { cellsOf } from '../workspace/notebooks.ts';
import { dataOf, mustHaveCells } from './editCells.ts';
import type { EditStep } from './model.ts';

const keptCellsSchema = z.array(
  lazyObject(() => ({
    id: z.string(),
    kind: z.enum(vscode.NotebookCellKind),
    language: z.string(),
    text: z.string(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    outputs: z.array(
      z.object({
        /** `data`: in base64. */
        items: z.array(z.object({ mime: z.string(), data: z.string() })),
        metadata: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
    executionSummary: z
      .object({
        executionOrder: z.number().optional(),
        success: z.boolean().optional(),
        timing: z.object({ startTime: z.number(), endTime: z.number() }).optional(),
      })
      .optional(),
  })),
);
type KeptCells = z.infer<typeof keptCellsSchema>;

/** `null` where the step removes none. @throws ApplyRefused when the step does not lead to a text of cells */
export function removedCells({ file, after }: EditStep): Uint8Array | null {
  const { notebook, path } = file;
  if (notebook === undefined) return null;
  const known = cellsOf(notebook);
  const kept = cellEdits(known, mustHaveCells(after, path)).replaced.flatMap(
    ({ start, end }): KeptCells =>
      known.slice(start, end).map(({ id }, index) => {
        const { kind, languageId, value, metadata, outputs, executionSummary } = dataOf(notebook.cellAt(start + index));
        return {
          id,
          kind,
          language: languageId,
          text: value,
          metadata,
          outputs: (outputs ?? []).map(storedOutput),
          executionSummary,
        };
      }),
  );
  return kept.length === 0 ? null : Buffer.from(JSON.stringify(kept), 'utf8');
}

/** Returns the cells by their ids; none where the bytes are of another version of Tiller. */
export function cellsFromJournal(bytes: Uint8Array): ReadonlyMap<string, vscode.NotebookCellData> {
  return new Map(parseCells(bytes).map((cell) => [cell.id, cellData(cell)]));
}

function parseCells(bytes: Uint8Array): KeptCells {
  try {
    return keptCellsSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch {
    return [];
  }
}

function storedOutput({ items, metadata }: vscode.NotebookCellOutput): KeptCells[number]['outputs'][number] {
  return { items: items.map(({ mime, data }) => ({ mime, data: Buffer.from(data).toString('base64') })), metadata };
}

function cellData({ kind, language, text, metadata, outputs, executionSummary }: KeptCells[number]) {
  const data = new vscode.NotebookCellData(kind, text, language);
  data.metadata = metadata ?? {};
  data.outputs = outputs.map((output) => {
    const items = output.items.map(
      (item) => new vscode.NotebookCellOutputItem(Buffer.from(item.data, 'base64'), item.mime),
    );
    return new vscode.NotebookCellOutput(items, output.metadata);
  });
  if (executionSummary !== undefined) data.executionSummary = executionSummary;
  return data;
}
