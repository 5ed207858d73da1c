/** The text that a file gets from a patch that the model is still writing; for display only. */
import { applyChunks } from './applyChunks.ts';
import { textLines } from './lines.ts';
import type { PatchOperation } from './operation.ts';

/**
 * Returns `before` with as many chunks of the operation as fit, from the first on. The last chunk may be incomplete:
 * its lines so far are applied, unless its place is not clear yet. `before` is empty for a file that does not exist.
 */
export function growingText(before: string, operation: PatchOperation): string {
  switch (operation.type) {
    case 'add':
      return operation.lines.map((line) => `${line}\n`).join('');
    case 'delete':
      return '';
    case 'update': {
      const lines = textLines(before);
      const whole = applyChunks(lines, operation.chunks);
      if (whole.type === 'applied') return whole.lines.text;
      const complete = applyChunks(lines, operation.chunks.slice(0, -1));
      return complete.type === 'applied' ? complete.lines.text : before;
    }
  }
}
