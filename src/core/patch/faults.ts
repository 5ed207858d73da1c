/** Messages for the model when its patch cannot be parsed: what is wrong, and what to write instead. */
import type { PatchFault, PatchFaultCategory } from './operation.ts';
import { BEGIN_PATCH, END_PATCH } from './markers.ts';

/** There is no `*** Begin Patch`. */
export function missingFirstLine(): PatchFault {
  return { category: 'first_line', message: `The first line of a patch must be "${BEGIN_PATCH}".` };
}

/** There is no `*** End Patch`, or text follows it. */
export function missingLastLine(): PatchFault {
  return { category: 'last_line', message: `The last line of a patch must be "${END_PATCH}", with nothing after it.` };
}

/** A second or an empty environment id. `message`: a sentence. */
export function badEnvironmentId(message: string): PatchFault {
  return { category: 'environment_id', message };
}

/** A line that must begin a file operation, and does not. `line`: of the patch, from 1, as in all of these. */
export function badHeader(line: number, text: string): PatchFault {
  const headers = '"*** Add File: <path>", "*** Update File: <path>" or "*** Delete File: <path>"';
  return at('bad_header', line, `"${text}" does not start a file operation. Write ${headers}.`);
}

/** An update that ends before its first chunk. `path`: as the model wrote it. */
export function emptyUpdate(line: number, path: string): PatchFault {
  return at('empty_update', line, `the update of ${path} changes nothing. Give it a chunk with at least one line.`);
}

/** A chunk that ends before it has a line. */
export function noLines(line: number): PatchFault {
  return at('no_lines', line, 'the chunk above has no lines. Write its context, "-" and "+" lines after "@@".');
}

/** A line after those of a chunk that does not continue it. */
export function missingMarker(line: number, text: string): PatchFault {
  const advice = 'Start a new chunk with "@@", or begin the line with " ", "-" or "+"';
  return at('missing_marker', line, `"${text}" does not continue the chunk. ${advice}.`);
}

/** A line that is not the beginning of a chunk, where one must begin. */
export function unexpectedLine(line: number, text: string): PatchFault {
  return at('unexpected_line', line, `"${text}" must begin with " " (context), "-" (old line) or "+" (new line).`);
}

function at(category: PatchFaultCategory, line: number, message: string): PatchFault {
  return { category, line, message: `Patch line ${line}: ${message}` };
}
