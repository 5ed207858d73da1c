// One patch in a fresh process, like the first one of `tiller exec`: read, plan, apply. Prints the time.
//   node main.cjs FOLDER PATCH-FILE HOME
import { readFileSync } from 'node:fs';
import { parsePatch } from '../../src/core/patch/parse.ts';
import { planPatchIn } from '../../src/core/tools/planPatchIn.ts';
import { createDiskWorkspace } from '../../src/node/apply/diskWorkspace.ts';

export async function run(): Promise<void> {
  const [folder = '', patchFile = '', home = ''] = process.argv.slice(2);
  const patch = readFileSync(patchFile, 'utf8');
  const workspace = createDiskWorkspace({ roots: [folder], home });

  const start = performance.now();
  const parsed = parsePatch(patch);
  if (parsed.type === 'invalid') throw new Error(parsed.message);
  const plan = await planPatchIn(workspace, parsed.operations, folder);
  if (plan.type === 'failed') throw new Error(plan.message);
  const result = await workspace.apply(plan.changes);
  if (result.type !== 'applied') throw new Error(JSON.stringify(result));
  process.stdout.write(JSON.stringify({ wallMs: performance.now() - start }));
}
