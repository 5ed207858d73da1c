/** From text to operations. Looks at no file. */
import { missingFirstLine, missingLastLine } from './faults.ts';
import { BEGIN_PATCH, END_PATCH } from './markers.ts';
import type { PatchFault, PatchOperation } from './operation.ts';
import { createPatchReader } from './reader.ts';
import { trim } from './whitespace.ts';

export type ParsedPatch =
  | { readonly type: 'patch'; readonly operations: readonly PatchOperation[] }
  | ({ readonly type: 'invalid' } & PatchFault);

/** Never throws, whatever the text. Takes CRLF, blanks around it and a here-document around it (codex-behaviour.md §1.2). */
export function parsePatch(text: string): ParsedPatch {
  const lines = withoutHeredoc(trim(text).split(text.includes('\r') ? /\r?\n/ : '\n'));
  const fault = boundaryFault(lines);
  if (fault !== undefined) return { type: 'invalid', ...fault };

  const reader = createPatchReader();
  for (const line of lines.slice(0, -1)) {
    const found = reader.read(line);
    if (found !== undefined) return { type: 'invalid', ...found };
  }
  // The closing line is known to be the end marker, and may be indented even where others would be context.
  const found = reader.ended ? undefined : reader.read(END_PATCH);
  if (found !== undefined) return { type: 'invalid', ...found };
  return { type: 'patch', operations: reader.operations };
}

const HEREDOC_STARTS: ReadonlySet<string> = new Set(['<<EOF', "<<'EOF'", '<<"EOF"']);

/** Some models quote the here-document that would carry the patch in a shell. Only the word EOF (§1.2 rule 2). */
function withoutHeredoc(lines: readonly string[]): readonly string[] {
  const wrapped = lines.length >= 4 && HEREDOC_STARTS.has(lines[0] ?? '') && (lines.at(-1) ?? '').endsWith('EOF');
  return wrapped ? lines.slice(1, -1) : lines;
}

/** Judged before anything inside, so that a patch that was cut off is told so. */
function boundaryFault(lines: readonly string[]): PatchFault | undefined {
  if (trim(lines[0] ?? '') !== BEGIN_PATCH) return missingFirstLine();
  if (lines.length < 2 || trim(lines.at(-1) ?? '') !== END_PATCH) return missingLastLine();
  return undefined;
}
