import path from 'node:path';
import * as z from 'zod';
import type { FunctionToolSpec } from '../../../protocol/toolSpec.ts';
import { plainTerminalText } from '../../../protocol/text/terminalText.ts';
import { joinShellWords } from '../../policy/shellWords.ts';
import { type Workspace, WorkspaceError } from '../../ports.ts';
import { isBelow } from '../../util/pathBelow.ts';
import { findPlace, shownPath } from '../files/filePaths.ts';
import type { Preparation, ToolContext, ToolHandler, ToolOptions } from '../handler.ts';
import { MAX_OUTPUT_TOKENS } from '../handlers/commandAnswer.ts';
import { type CommandPlan, prepareCommand, type TestSummary } from '../handlers/prepareCommand.ts';
import { runCommand } from '../handlers/runCommand.ts';
import { parseArguments } from '../parseArguments.ts';
import { shellArgv } from '../shellArgv.ts';
import { findTestCommands, LOOKED_FOR, MANIFESTS, type TestCommand } from './findTestCommands.ts';
import { resultsText } from './testReport.ts';
import { withPlaces } from './testPlaces.ts';
import { type RunnerName, TEST_RUNNERS, type TestFilter, type TestRunner } from './testRunners.ts';
import { lazyObject } from '../../../protocol/lazyObject.ts';

/** Milliseconds until tests go on in the background. */
const YIELD_MS = 120_000;

const argumentsSchema = lazyObject(() => ({
  path: z.string().min(1).optional(),
  name: z.string().min(1).max(500).optional(),
}));
type Arguments = z.infer<typeof argumentsSchema>;

const SPEC: FunctionToolSpec = {
  type: 'function',
  name: 'run_tests',
  description:
    'Runs the tests of the workspace by its own test command. Returns the counts, and of each failed test its name, place and message.',
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Only the tests of this file or folder.' },
      name: { type: 'string', description: 'Only tests whose names match.' },
    },
    additionalProperties: false,
  },
};

/** Runs the test command that the workspace names, as a command: policy, sandbox, background (docs/decisions/0052). */
export function runTests(
  options: Pick<ToolOptions, 'rules' | 'environment' | 'allowedHosts'>,
): ToolHandler<Arguments, CommandPlan> {
  return {
    names: ['run_tests'],
    spec: SPEC,
    isMutating: (_args, plan) => !plan.onlyReads,
    parse: (payload) => parseArguments(argumentsSchema, payload),
    async prepare(args, context): Promise<Preparation<CommandPlan>> {
      const found = await commandFor(args, context);
      if ('output' in found) return { type: 'failure', output: found.output };
      const { folder, line, runner } = found;
      return prepareCommand(
        {
          argv: shellArgv(line, context.host),
          display: line,
          workdir: folder,
          timeoutMs: undefined,
          yieldMs: YIELD_MS,
          tty: false,
          maxOutputTokens: MAX_OUTPUT_TOKENS,
          sandboxPermissions: 'use_default',
          justification: undefined,
          format: 'exec_command',
          summarize: (output, exitCode) => summaryOf(output, exitCode, { folder, runner }, context),
        },
        options,
        context,
      );
    },
    run: runCommand,
  };
}

/** None if something other than a test has failed: then the output has the reason. */
async function summaryOf(
  printed: string,
  exitCode: number | null,
  { folder, runner }: { readonly folder: string; readonly runner: RunnerName | undefined },
  { settings, workspace }: Pick<ToolContext, 'settings' | 'workspace'>,
): Promise<TestSummary | undefined> {
  if (runner === undefined) return undefined;
  const known: TestRunner = TEST_RUNNERS[runner];
  const output = plainTerminalText(printed);
  const results = known.parse?.(output);
  if (results === undefined || (exitCode !== 0 && results.failed === 0)) return undefined;
  const run = { folder, cwd: settings.cwd, runner, output };
  const tests = { ...results, failures: await withPlaces(results.failures, run, workspace) };
  return { tests, text: resultsText(tests) };
}

type Found =
  | { readonly folder: string; readonly line: string; readonly runner: RunnerName | undefined }
  /** For the model. */
  | { readonly output: string };

async function commandFor({ path: written, name }: Arguments, context: ToolContext): Promise<Found> {
  const { settings, workspace } = context;
  const place = written === undefined ? undefined : await findPlace(written, context);
  if (place !== undefined && 'problem' in place) return { output: place.problem };
  if (place !== undefined && (await workspace.stat(place.path)) === undefined) {
    return { output: `${place.path} does not exist. Nothing was run.` };
  }
  const folders = place === undefined ? [settings.cwd] : foldersUp(place.path, context);
  const isPart = place !== undefined || name !== undefined;
  const nearest = await nearestCommand(folders, { file: place?.path, isPart }, workspace);
  if (nearest !== undefined) {
    const { folder, command } = nearest;
    const filter = { path: place && (path.relative(folder, place.path).replaceAll('\\', '/') || undefined), name };
    return lineFor(command, filter, folder);
  }
  return {
    output: `No test command was found in ${shownPath(folders.at(-1) ?? settings.cwd, settings.cwd)}. Looked for: ${LOOKED_FOR.join(', ')}. Nothing was run.`,
  };
}

interface Part {
  readonly file: string | undefined;
  readonly isPart: boolean;
}

interface Nearest {
  readonly folder: string;
  readonly command: TestCommand;
}

/** The command of the first of these folders that names one, the nearest first. */
async function nearestCommand(
  folders: readonly string[],
  part: Part,
  workspace: Pick<Workspace, 'readBytes'>,
): Promise<Nearest | undefined> {
  let inner: Nearest | undefined;
  for (const folder of folders) {
    const commands = await testCommandsIn(folder, workspace);
    const { runner } = inner?.command ?? {};
    const command = chosen(inner === undefined ? commands : commands.filter((each) => each.runner === runner), part);
    if (command === undefined) continue;
    if (command.mayBeInner !== true) return { folder, command };
    inner = { folder, command };
  }
  return inner;
}

/** Prefers, for a part of the tests, the first command that can run a part. */
function chosen(commands: readonly TestCommand[], { file, isPart }: Part): TestCommand | undefined {
  const fitting = commands.filter((each) => fits(each, file));
  const candidates = fitting.length > 0 ? fitting : commands;
  return (isPart ? candidates.find(({ takesWords }) => takesWords) : undefined) ?? candidates[0];
}

/** The folders above a path, the nearest first, up to the working directory or an open folder. */
function foldersUp(place: string, { settings, workspace }: ToolContext): readonly string[] {
  const roots = [settings.cwd, ...workspace.roots];
  const folders: string[] = [];
  for (let folder = place; roots.some((root) => isBelow(folder, root)); folder = path.dirname(folder)) {
    folders.push(folder);
    if (folder === path.dirname(folder)) break;
  }
  return folders.length > 0 ? folders : [settings.cwd];
}

const RUNNERS_OF: Readonly<Record<string, readonly string[]>> = {
  '.py': ['pytest'],
  '.go': ['go'],
  '.rs': ['cargo'],
};

/** Returns true if the command is for the kind of the file. */
function fits({ runner }: TestCommand, file: string | undefined): boolean {
  const wanted = file === undefined ? undefined : RUNNERS_OF[path.extname(file)];
  return wanted === undefined || (runner !== undefined && wanted.includes(runner));
}

function lineFor({ command, runner, separator, takesWords }: TestCommand, filter: TestFilter, folder: string): Found {
  const known: TestRunner | undefined = runner && TEST_RUNNERS[runner];
  const isWhole = filter.path === undefined && filter.name === undefined;
  const words = known?.words(filter);
  if (isWhole) {
    // `go test` alone tests one folder.
    const line = runner === 'go' && words !== undefined ? `${command} ${joinShellWords(words)}` : command;
    return { folder, line, runner };
  }
  if (words === undefined || !takesWords) {
    return {
      output: `The test command (${command}) cannot run only a part. Call run_tests without arguments, or run the tests with exec_command. Nothing was run.`,
    };
  }
  return { folder, line: [command, ...(separator ? [separator] : []), joinShellWords(words)].join(' '), runner };
}

/** The largest file that is read, in bytes: a longer one only has to be there. */
const MAX_BYTES = 1024 * 1024;

/** The test commands that the files of a folder name. Never rejects. */
export async function testCommandsIn(
  folder: string,
  workspace: Pick<Workspace, 'readBytes'>,
): Promise<readonly TestCommand[]> {
  const read = await Promise.all(
    MANIFESTS.map(async (name) => {
      try {
        const bytes = await workspace.readBytes(path.join(folder, name), { maxBytes: MAX_BYTES });
        return [name, new TextDecoder().decode(bytes)] as const;
      } catch (error) {
        return error instanceof WorkspaceError && error.code === 'too_large' ? ([name, ''] as const) : undefined;
      }
    }),
  );
  const texts = new Map(read.filter((each) => each !== undefined));
  return findTestCommands((name) => texts.get(name));
}
