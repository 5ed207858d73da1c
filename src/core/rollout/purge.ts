/** Removes a command's output from a rollout permanently, at the user's request. */

/** The text that replaces a removed output for the model. */
export const REMOVED_OUTPUT = '[output removed by the user]';

export interface Purged {
  /** The rollout, with every other line byte for byte unchanged. */
  readonly bytes: Uint8Array;
  /** Calls whose outputs were removed: that of the command, and those that read from its process. */
  readonly callIds: ReadonlySet<string>;
  /** Absolute paths of the logs of the output. */
  readonly logPaths: readonly string[];
}

type Json = Record<string, unknown>;

/** Returns `undefined` when the rollout has no command with that id. */
export function purgeOutput(bytes: Uint8Array, itemId: string): Purged | undefined {
  // One character for each byte, so that bytes that are not text are kept.
  const lines = Buffer.from(bytes).toString('latin1').split('\n');
  const parsed = lines.map((line) => (mayMatter(line) ? objectIn(line) : undefined));
  const items = parsed.map(itemIn).filter((item) => item !== undefined);
  const commands = items.filter(({ id, type }) => id === itemId && type === 'command_execution');
  if (commands.length === 0) return undefined;
  const processes = new Set(commands.flatMap(({ processId }) => (typeof processId === 'string' ? processId : [])));
  const looks = items.filter(
    ({ type, processId }) =>
      type === 'process_interaction' && typeof processId === 'string' && processes.has(processId),
  );
  const callIds = new Set([...commands, ...looks].flatMap(({ callId }) => (typeof callId === 'string' ? callId : [])));
  const purged = parsed.map((entry, index) => {
    const line = lines[index] ?? '';
    const changed = entry && without(entry, itemId, callIds);
    return changed ? Buffer.from(JSON.stringify(changed), 'utf8').toString('latin1') : line;
  });
  return {
    bytes: Buffer.from(purged.join('\n'), 'latin1'),
    callIds,
    logPaths: commands.flatMap(({ logPath }) => (typeof logPath === 'string' ? logPath : [])),
  };
}

function mayMatter(line: string): boolean {
  return /"(?:command_execution|process_interaction|\w+_output|compacted)"/.test(line);
}

/** The line without the output, or `undefined` when it contains none. */
function without(entry: Json, itemId: string, callIds: ReadonlySet<string>): Json | undefined {
  const payload = asObject(entry.payload);
  if (payload === undefined) return undefined;
  if (entry.type === 'response_item') {
    return isOutputOf(payload, callIds) ? { ...entry, payload: { ...payload, output: REMOVED_OUTPUT } } : undefined;
  }
  if (entry.type === 'compacted' && Array.isArray(payload.replacement_history)) {
    const history = payload.replacement_history.map((item: unknown) => {
      const object = asObject(item);
      return object && isOutputOf(object, callIds) ? { ...object, output: REMOVED_OUTPUT } : item;
    });
    return { ...entry, payload: { ...payload, replacement_history: history } };
  }
  const item = itemIn(entry);
  if (item?.id !== itemId) return undefined;
  const { logPath: _logPath, tests: _tests, ...kept } = item;
  return { ...entry, payload: { ...payload, msg: { ...asObject(payload.msg), item: { ...kept, output: '' } } } };
}

function isOutputOf(item: Json, callIds: ReadonlySet<string>): boolean {
  const { type, call_id: callId } = item;
  return typeof type === 'string' && type.endsWith('_output') && typeof callId === 'string' && callIds.has(callId);
}

function itemIn(entry: Json | undefined): Json | undefined {
  return asObject(asObject(asObject(entry?.payload)?.msg)?.item);
}

function objectIn(line: string): Json | undefined {
  try {
    return asObject(JSON.parse(Buffer.from(line, 'latin1').toString('utf8')));
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}
