import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../core/util/fileErrors.ts';
import { excessOf } from '../core/util/json.ts';
import { withoutByteOrderMark } from '../core/util/textBytes.ts';
import { describeHost } from '../node/host/host.ts';
import { createStorage, tillerHome } from '../node/storage/storage.ts';
import type { UserInput } from '../protocol/item.ts';
import type { Settings } from '../protocol/settings.ts';
import { type ExecArguments, parseExecArguments } from './execArguments.ts';
import { folderGiven, requireHome, requireRoots } from './folders.ts';
import { loadSettings } from './settingsFile.ts';
import { readAll, type Streams } from './streams.ts';
import { UsageError } from './usage.ts';

/** The task that the command line describes, before anything is started for it. */
export interface ExecTask {
  readonly args: ExecArguments;
  /** The working directory. This path and those of the writable folders are absolute. */
  readonly cwd: string;
  readonly writable: readonly string[];
  /** TILLER_HOME. The folder exists. */
  readonly home: string;
  readonly settings: Settings;
  readonly model: string;
  readonly opening: Opening;
  /** The instructions in place of those of Tiller; `null` if none are set. */
  readonly baseInstructions: string | null;
}

/** The input of the first turn; `null` when submissions come on stdin and no prompt was given. */
export interface Opening {
  readonly input: UserInput[] | null;
  readonly outputSchema: Record<string, unknown> | undefined;
}

/**
 * Reads the task from the command line, the settings and files.
 * @throws UsageError for an option, a folder, a setting or a file that cannot be used, or if no model is set
 */
export async function readTask(
  argv: readonly string[],
  streams: Streams,
  say: (line: string) => void,
): Promise<ExecTask> {
  const args = parseExecArguments(argv);
  const cwd = folderGiven('--cd', args.cd ?? '.');
  const writable = args.writable.map((given) => folderGiven('--writable', given, cwd));
  requireRoots(writable);
  const host = describeHost();
  const home = tillerHome(host.environment, host.platform, host.homeDirectory);
  const settings = await loadSettings(
    createStorage(home),
    { flags: args.flags, config: args.config, environment: host.environment },
    say,
  );
  const model = args.demo ? 'demo' : settings.model;
  if (model === null || model === '') {
    throw new UsageError('no model is configured: give --model with --provider or --base-url, or --demo');
  }
  const opening = await openingOf(args, streams);
  const baseInstructions = await baseInstructionsOf(settings);
  await requireHome(home);
  return { args, cwd, writable, home, settings, model, opening, baseInstructions };
}

async function openingOf(args: ExecArguments, streams: Streams): Promise<Opening> {
  const images = await Promise.all(
    args.images.map(async (image) => ({ type: 'local_image' as const, path: await file(image) })),
  );
  const outputSchema = args.outputSchema === null ? undefined : await readJsonObject(args.outputSchema);
  const text = await promptOf(args, streams);
  const input = text === null ? null : [{ type: 'text' as const, text }, ...images];
  return { input, outputSchema };
}

async function promptOf(args: ExecArguments, { stdin }: Streams): Promise<string | null> {
  if (args.prompt !== null && args.prompt !== '-') {
    if (args.prompt.trim() === '') throw new UsageError('the prompt is empty');
    return args.prompt;
  }
  if (args.input === 'jsonl') return null;
  if (args.prompt === null && stdin.isTTY) throw new UsageError('no prompt: give it as an argument or on stdin');
  const text = withoutByteOrderMark(await readAll(stdin));
  if (text.trim() === '') throw new UsageError('the prompt on stdin is empty');
  return text;
}

/**
 * Reads the file of the setting `baseInstructionsFile`; `null` if it is not set.
 * @throws UsageError if the file cannot be read
 */
async function baseInstructionsOf({ baseInstructionsFile }: Settings): Promise<string | null> {
  if (baseInstructionsFile === null) return null;
  try {
    return await readFile(baseInstructionsFile, 'utf8');
  } catch (error) {
    throw new UsageError(`baseInstructionsFile: ${messageOf(error)}`);
  }
}

async function file(given: string): Promise<string> {
  const resolved = path.resolve(given);
  const found = await stat(resolved).catch(() => undefined);
  if (!found?.isFile()) throw new UsageError(`${given}: there is no such file`);
  return resolved;
}

async function readJsonObject(given: string): Promise<Record<string, unknown>> {
  const text = withoutByteOrderMark(await readFile(await file(given), 'utf8'));
  const excess = excessOf(text);
  if (excess !== undefined) throw new UsageError(`${given}: it ${excess}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${given}: ${messageOf(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${given}: must hold a JSON object`);
  }
  return value as Record<string, unknown>;
}
