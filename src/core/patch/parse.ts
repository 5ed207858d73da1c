/** Parses text to operations. Reads no file. */
import { missingFirstLine, missingLastLine } from './faults.ts';
import { BEGIN_PATCH, END_PATCH } from './markers.ts';
import type { PatchFault, PatchOperation } from './operation.ts';
import { createPatchReader } from './reader.ts';
import { trim } from './whitespace.ts';

export type ParsedPatch =
  | { readonly type: 'patch'; readonly operations: readonly PatchOperation[] }
  | ({ readonly type: 'invalid' } & PatchFault);

/** Never throws. Accepts CRLF, and blanks or a here-document around the patch (codex-behaviour.md §1.2). */
export function parsePatch(text: string): ParsedPatch {
  const lines = withoutHeredoc(trim(text).split(text.includes('\r') ? /\r?\n/ : '\n'));
  const fault = boundaryFault(lines);
  if (fault !== undefined) return { type: 'invalid', ...fault };

  const reader = createPatchReader();
  for (const line of lines.slice(0, -1)) {
    const found = reader.read(line);
    if (found !== undefined) return { type: 'invalid', ...found };
  }
  // The last line is known to be the end marker, and may be indented even where other indented lines would be context.
  const found = reader.ended ? undefined : reader.read(END_PATCH);
  if (found !== undefined) return { type: 'invalid', ...found };
  return { type: 'patch', operations: reader.operations };
}

const HEREDOC_STARTS: ReadonlySet<string> = new Set(['<<EOF', "<<'EOF'", '<<"EOF"']);

/**
 * Removes a here-document around the patch, which some models add as if for a shell. Only the word EOF (§1.2 rule 2).
 */
function withoutHeredoc(lines: readonly string[]): readonly string[] {
  const wrapped = lines.length >= 4 && HEREDOC_STARTS.has(lines[0] ?? '') && (lines.at(-1) ?? '').endsWith('EOF');
  return wrapped ? lines.slice(1, -1) : lines;
}

/** Checked first, so that a truncated patch gets a message about that. */
function boundaryFault(lines: readonly string[]): PatchFault | undefined {
  if (trim(lines[0] ?? '') !== BEGIN_PATCH) return missingFirstLine();
  if (lines.length < 2 || trim(lines.at(-1) ?? '') !== END_PATCH) return missingLastLine();
  return undefined;
}
