/** Messages for the model when its patch cannot be parsed: what is wrong, and what to write instead. */
import type { PatchFault, PatchFaultCategory } from './operation.ts';
import { BEGIN_PATCH, END_PATCH } from './markers.ts';

export function missingFirstLine(): PatchFault {
  return { category: 'first_line', message: `The first line of a patch must be "${BEGIN_PATCH}".` };
}

export function missingLastLine(): PatchFault {
  return { category: 'last_line', message: `The last line of a patch must be "${END_PATCH}", with nothing after it.` };
}

export function badEnvironmentId(message: string): PatchFault {
  return { category: 'environment_id', message };
}

export function badHeader(line: number, text: string): PatchFault {
  const headers = '"*** Add File: <path>", "*** Update File: <path>" or "*** Delete File: <path>"';
  return at('bad_header', line, `"${text}" does not start a file operation. Write ${headers}.`);
}

export function emptyUpdate(line: number, path: string): PatchFault {
  return at('empty_update', line, `the update of ${path} changes nothing. Give it a chunk with at least one line.`);
}

export function noLines(line: number): PatchFault {
  return at('no_lines', line, 'the chunk above has no lines. Write its context, "-" and "+" lines after "@@".');
}

export function missingMarker(line: number, text: string): PatchFault {
  const advice = 'Start a new chunk with "@@", or begin the line with " ", "-" or "+"';
  return at('missing_marker', line, `"${text}" does not continue the chunk. ${advice}.`);
}

export function unexpectedLine(line: number, text: string): PatchFault {
  return at('unexpected_line', line, `"${text}" must begin with " " (context), "-" (old line) or "+" (new line).`);
}

function at(category: PatchFaultCategory, line: number, message: string): PatchFault {
  return { category, line, message: `Patch line ${line}: ${message}` };
}
