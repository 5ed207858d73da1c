/**
 * Reads a patch line by line. The parser passes a whole patch, the live preview passes the text received so far, so
 * both accept the same language. Observed on the Codex binary (codex-behaviour.md §1.2), including blank lines and
 * trimming.
 */
import {
  badEnvironmentId,
  badHeader,
  emptyUpdate,
  missingFirstLine,
  missingLastLine,
  missingMarker,
  noLines,
  unexpectedLine,
} from './faults.ts';
import {
  ADD_FILE,
  BEGIN_PATCH,
  CHUNK,
  CHUNK_WITH_CONTEXT,
  DELETE_FILE,
  END_OF_FILE,
  END_PATCH,
  ENVIRONMENT_ID,
  MOVE_TO,
  UPDATE_FILE,
} from './markers.ts';
import type { PatchFault, PatchLine, PatchOperation } from './operation.ts';
import { trim, trimEnd } from './whitespace.ts';

interface OpenChunk {
  readonly contexts: string[];
  readonly lines: PatchLine[];
  endOfFile: boolean;
}

type OpenOperation =
  | { readonly type: 'add'; readonly path: string; readonly lines: string[] }
  | { readonly type: 'delete'; readonly path: string }
  | OpenUpdate;

interface OpenUpdate {
  readonly type: 'update';
  readonly path: string;
  readonly chunks: OpenChunk[];
  movedTo: string | null;
}

export interface PatchReader {
  /** Reads the next line, without its line feed. After a fault the reader must not be used any more. */
  read(line: string): PatchFault | undefined;
  /** The operations so far; the last one may be incomplete. */
  readonly operations: readonly PatchOperation[];
  /** True after the end marker. */
  readonly ended: boolean;
}

export function createPatchReader(): PatchReader {
  const operations: OpenOperation[] = [];
  let phase: 'before' | 'inside' | 'ended' = 'before';
  let line = 0;
  /** The line number of the last operation's header. */
  let headerLine = 0;
  let environmentSeen = false;
  /** The chunk that the last line was added to; `undefined` after any other line. */
  let openChunk: OpenChunk | undefined;

  function read(received: string): PatchFault | undefined {
    line += 1;
    // Nearly all lines of a long patch: those with a prefix inside of a chunk.
    if (openChunk === undefined || received.endsWith('\r')) return readOther(received);
    const diffLine = parsePrefixed(received);
    if (diffLine === undefined) return readOther(received);
    openChunk.lines.push(diffLine);
    return undefined;
  }

  function readOther(received: string): PatchFault | undefined {
    openChunk = undefined;
    // The reference removes a carriage return when it splits the text, and one more here.
    const text = received.endsWith('\r') ? received.slice(0, -1) : received;
    if (phase === 'before') return readBegin(text);
    if (phase === 'ended') return trim(text) === '' ? undefined : missingLastLine();
    const operation = operations.at(-1);
    return operation?.type === 'update' ? readInUpdate(text, operation) : readOutsideUpdate(text, operation);
  }

  function readBegin(text: string): PatchFault | undefined {
    if (trim(text) !== BEGIN_PATCH) return missingFirstLine();
    phase = 'inside';
    return undefined;
  }

  /** Headers may be indented here (§1.2 rule 3). */
  function readOutsideUpdate(text: string, operation: OpenOperation | undefined): PatchFault | undefined {
    const marker = trim(text);
    if (operation === undefined && marker.startsWith(ENVIRONMENT_ID)) return readEnvironmentId(marker);
    if (startOperation(marker)) return undefined;
    if (operation?.type !== 'add' || !text.startsWith('+')) return badHeader(line, marker);
    operation.lines.push(text.slice(1));
    return undefined;
  }

  function readEnvironmentId(marker: string): PatchFault | undefined {
    if (environmentSeen) return badEnvironmentId('The environment ID may be given only once.');
    if (trim(marker.slice(ENVIRONMENT_ID.length)) === '') return badEnvironmentId('The environment ID is empty.');
    environmentSeen = true;
    return undefined;
  }

  /** Markers may not be indented here: a leading blank makes a context line (§1.2 rule 4). */
  function readInUpdate(text: string, update: OpenUpdate): PatchFault | undefined {
    const chunk = update.chunks.at(-1);
    // A quick check, because a patch may have thousands of lines and few are markers.
    const isMarker = text.startsWith('*') || text.startsWith('@');
    return isMarker ? readMarkerInUpdate(text, chunk, update) : readLineInUpdate(text, chunk, update);
  }

  function readMarkerInUpdate(text: string, chunk: OpenChunk | undefined, update: OpenUpdate): PatchFault | undefined {
    const marker = trimEnd(text);
    if (isOperationMarker(marker)) {
      if (chunk === undefined) return emptyUpdate(headerLine, update.path);
      if (chunk.lines.length === 0) return marker === END_PATCH ? noLines(line) : unexpectedLine(line, text);
      startOperation(marker);
      return undefined;
    }
    if (marker.startsWith(MOVE_TO) && chunk === undefined && update.movedTo === null) {
      update.movedTo = marker.slice(MOVE_TO.length);
      return undefined;
    }
    if (marker === CHUNK || marker.startsWith(CHUNK_WITH_CONTEXT)) {
      startChunk(marker, chunk, update);
      return undefined;
    }
    if (marker === END_OF_FILE && chunk?.endOfFile !== true) {
      // Without a chunk the marker has no effect.
      if (chunk?.lines.length === 0) return noLines(line);
      if (chunk !== undefined) chunk.endOfFile = true;
      return undefined;
    }
    return readLineInUpdate(text, chunk, update);
  }

  function readLineInUpdate(text: string, chunk: OpenChunk | undefined, update: OpenUpdate): PatchFault | undefined {
    if (chunk?.endOfFile === true) return trim(text) === '' ? undefined : missingMarker(line, text);
    return readDiffLine(text, chunk, update);
  }

  function startChunk(marker: string, chunk: OpenChunk | undefined, update: OpenUpdate): void {
    const contexts = marker === CHUNK ? [] : [marker.slice(CHUNK_WITH_CONTEXT.length)];
    if (chunk?.lines.length === 0) chunk.contexts.push(...contexts);
    else update.chunks.push({ contexts, lines: [], endOfFile: false });
  }

  function readDiffLine(text: string, chunk: OpenChunk | undefined, update: OpenUpdate): PatchFault | undefined {
    const diffLine = parseDiffLine(text);
    if (diffLine !== undefined) {
      if (chunk === undefined) update.chunks.push({ contexts: [], lines: [diffLine], endOfFile: false });
      else chunk.lines.push(diffLine);
      openChunk = update.chunks.at(-1);
      return undefined;
    }
    const continues = chunk !== undefined && chunk.lines.length > 0;
    return continues ? missingMarker(line, text) : unexpectedLine(line, text);
  }

  function startOperation(marker: string): boolean {
    if (marker === END_PATCH) phase = 'ended';
    else if (marker.startsWith(ADD_FILE))
      operations.push({ type: 'add', path: marker.slice(ADD_FILE.length), lines: [] });
    else if (marker.startsWith(DELETE_FILE))
      operations.push({ type: 'delete', path: marker.slice(DELETE_FILE.length) });
    else if (marker.startsWith(UPDATE_FILE)) {
      const path = marker.slice(UPDATE_FILE.length);
      operations.push({ type: 'update', path, chunks: [], movedTo: null });
    } else return false;
    headerLine = line;
    return true;
  }

  return {
    read,
    operations,
    get ended() {
      return phase === 'ended';
    },
  };
}

function isOperationMarker(marker: string): boolean {
  return marker === END_PATCH || [ADD_FILE, DELETE_FILE, UPDATE_FILE].some((header) => marker.startsWith(header));
}

/** An empty line is an empty context line (§1.1). */
function parseDiffLine(text: string): PatchLine | undefined {
  return text === '' ? { kind: 'context', text: '' } : parsePrefixed(text);
}

function parsePrefixed(text: string): PatchLine | undefined {
  switch (text[0]) {
    case ' ':
      return { kind: 'context', text: text.slice(1) };
    case '-':
      return { kind: 'remove', text: text.slice(1) };
    case '+':
      return { kind: 'add', text: text.slice(1) };
    default:
      return undefined;
  }
}
