import path from 'node:path';
import type { PatchOperation } from '../core/patch/operation.ts';
import { parsePatch } from '../core/patch/parse.ts';
import { reportLines } from '../core/patch/report.ts';
import { planPatchIn } from '../core/tools/planPatchIn.ts';
import { describeHost } from '../node/host/host.ts';
import { createLocks } from '../node/storage/locks.ts';
import { tillerHome } from '../node/storage/storage.ts';
import { createDiskWorkspace } from '../node/apply/diskWorkspace.ts';
import { visibleName } from '../protocol/text/escapeInvisible.ts';
import { requireHome } from './folders.ts';
import { printSentence } from './print.ts';
import { settleInterrupted } from './recoverPatches.ts';
import { readAll, type Streams } from './streams.ts';
import { EXIT, UsageError } from './usage.ts';

/**
 * `tiller apply-patch [PATCH]` (docs/cli.md): applies a patch as a whole or not at all. The user gave the patch, so no
 * policy applies.
 * @throws UsageError
 */
export async function applyPatch(argv: readonly string[], streams: Streams): Promise<number> {
  const patch = await patchOf(argv, streams);
  const parsed = parsePatch(patch);
  if (parsed.type === 'invalid') return fail(streams, parsed.message);
  return apply(parsed.operations, path.resolve('.'), streams);
}

async function patchOf(argv: readonly string[], { stdin }: Streams): Promise<string> {
  const patches = argv[0] === '--' ? argv.slice(1) : argv;
  const [patch, ...more] = patches;
  if (more.length > 0) throw new UsageError('apply-patch takes one patch');
  if (argv[0] !== '--' && patch?.startsWith('--')) throw new UsageError(`apply-patch has no option ${patch}`);
  if (patch !== undefined) return patch;
  const text = stdin.isTTY ? '' : await readAll(stdin);
  if (text === '') throw new UsageError('apply-patch wants a patch as an argument or on stdin');
  return text;
}

async function apply(operations: readonly PatchOperation[], cwd: string, streams: Streams): Promise<number> {
  const host = describeHost();
  const home = tillerHome(host.environment, host.platform, host.homeDirectory);
  await requireHome(home);
  await settleInterrupted(home, createLocks(home, 'cli'), (line) => printSentence(streams.stderr, line));
  const workspace = createDiskWorkspace({ roots: [cwd], home });
  const plan = await planPatchIn(workspace, operations, cwd);
  if (plan.type === 'failed') return fail(streams, plan.message);
  const result = await workspace.apply(plan.changes);
  switch (result.type) {
    case 'applied':
      for (const line of reportLines(plan.report)) {
        // A terminal would interpret control characters in file names.
        streams.stdout.write(`${streams.stdout.isTTY ? visibleName(line) : line}\n`);
      }
      return EXIT.done;
    case 'stale':
      return fail(
        streams,
        `These files changed while the patch was read: ${result.paths.join(', ')}. Nothing was changed.`,
      );
    case 'failed':
      return fail(
        streams,
        [result.message, ...result.notRestored.map((file) => `not rolled back: ${file}`)].join('\n'),
      );
  }
}

function fail(streams: Streams, message: string): number {
  printSentence(streams.stderr, message);
  return EXIT.failed;
}
