/**
 * A minimal agent: sends requests to the demo model and runs its calls in a folder, until the model makes no more
 * calls.
 */
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { parsePatch } from '../../src/core/patch/parse.ts';
import { pathsOf, planPatch } from '../../src/core/patch/plan.ts';
import { formatPatchReport } from '../../src/core/patch/report.ts';
import type { ResponseItem, ToolCallItem } from '../../src/protocol/responseItem.ts';
import { isToolCall, textOf } from '../../src/protocol/responseItem.ts';
import { askByResponses, type AskDemo, type DemoTool } from './demoWires.ts';

/** A call in a readable form. */
export type DemoCall =
  | { readonly type: 'command'; readonly command: string }
  | { readonly type: 'patch'; readonly patch: string }
  | { readonly type: 'plan'; readonly plan: readonly { readonly step: string; readonly status: string }[] };

export interface DemoJob {
  readonly baseUrl: string;
  readonly folder: string;
  readonly prompt?: string;
  readonly ask?: AskDemo;
  readonly tools?: readonly DemoTool[];
  /** A program that runs instead of `node`. */
  readonly node?: string;
  /** Called before each call is executed. */
  readonly before?: (call: DemoCall) => Promise<void> | undefined;
  /** Returns an output that replaces the real one; `undefined` to execute the call. */
  readonly intercept?: (call: DemoCall, earlier: readonly DemoCall[]) => string | undefined;
}

export interface DemoRecord {
  readonly calls: readonly DemoCall[];
  readonly commands: readonly string[];
  readonly patches: readonly string[];
  /** The result of each run of the tests. */
  readonly testRuns: readonly string[];
  readonly reasoning: readonly string[];
  /** The last message, which comes without a call. */
  readonly report: string;
}

export const DEMO_TOOLS: readonly DemoTool[] = [
  { type: 'function', name: 'exec_command' },
  { type: 'function', name: 'write_stdin' },
  { type: 'function', name: 'update_plan' },
  { type: 'custom', name: 'apply_patch' },
];

const MOST_ROUNDS = 40;

export async function runDemoJob(job: DemoJob): Promise<DemoRecord> {
  const { ask = askByResponses, tools = DEMO_TOOLS, prompt = 'Fix the failing test.' } = job;
  const history: ResponseItem[] = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] }];
  const calls: DemoCall[] = [];
  const outputs: string[] = [];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const { items } = await ask(job.baseUrl, history, tools);
    history.push(...items);
    const owed = items.filter(isToolCall);
    if (owed.length === 0) return summarize(history, calls, outputs);
    for (const item of owed) {
      const call = readCall(item);
      await job.before?.(call);
      const output = job.intercept?.(call, calls) ?? (await perform(call, job));
      calls.push(call);
      outputs.push(output);
      history.push(outputItem(item, output));
    }
  }
  throw new Error(`The demo model is not done after ${MOST_ROUNDS} answers.`);
}

function summarize(
  history: readonly ResponseItem[],
  calls: readonly DemoCall[],
  outputs: readonly string[],
): DemoRecord {
  const last = history.at(-1);
  return {
    calls,
    testRuns: calls.flatMap((call, index) => (isTestRun(call) ? (outputs[index] ?? []) : [])),
    commands: calls.flatMap((call) => (call.type === 'command' ? [call.command] : [])),
    patches: calls.flatMap((call) => (call.type === 'patch' ? [call.patch] : [])),
    reasoning: history.flatMap((item) => (item.type === 'reasoning' ? item.summary.map(({ text }) => text) : [])),
    report: last?.type === 'message' ? textOf(last.content) : '',
  };
}

function isTestRun(call: DemoCall): boolean {
  return call.type === 'command' && /^(?:npm test|node --test)/.test(call.command);
}

function readCall(item: ToolCallItem): DemoCall {
  if (item.type === 'custom_tool_call') return { type: 'patch', patch: item.input };
  if (item.type !== 'function_call') throw new Error(`Not offered: ${item.type}`);
  const args = JSON.parse(item.arguments) as Record<string, unknown>;
  if (item.name === 'apply_patch') return { type: 'patch', patch: String(args['input']) };
  if (item.name === 'update_plan') return { type: 'plan', plan: args['plan'] as [] };
  const command = args['cmd'] ?? args['command'];
  return { type: 'command', command: Array.isArray(command) ? String(command.at(-1)) : String(command) };
}

function outputItem(item: ToolCallItem, output: string): ResponseItem {
  const type = item.type === 'custom_tool_call' ? 'custom_tool_call_output' : 'function_call_output';
  return { type, call_id: item.call_id ?? '', output };
}

function perform(call: DemoCall, { folder, node }: DemoJob): Promise<string> | string {
  switch (call.type) {
    case 'command':
      return runCommand(node === undefined ? call.command : call.command.replace(/^node(?= )/, node), folder);
    case 'patch':
      return applyPatch(call.patch, folder);
    case 'plan':
      return 'Plan updated';
  }
}

/** Runs a command and formats its output as exec_command does (docs/reference/codex-behaviour.md §4.1). */
function runCommand(command: string, cwd: string): Promise<string> {
  const child = spawn('bash', ['-c', command], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  return new Promise((resolve) => {
    child.on('close', (code) => {
      resolve(`Wall time: 0.1000 seconds\nProcess exited with code ${code}\nOriginal token count: 1\nOutput:\n${text}`);
    });
  });
}

async function applyPatch(patch: string, cwd: string): Promise<string> {
  const parsed = parsePatch(patch);
  if (parsed.type === 'invalid') return `apply_patch verification failed: ${parsed.message}`;
  const snapshots = await Promise.all(
    pathsOf(parsed.operations, cwd).map(
      async (path) => [path, { type: 'text', text: await readFile(path, 'utf8') }] as const,
    ),
  );
  const plan = planPatch(parsed.operations, cwd, new Map(snapshots));
  if (plan.type === 'failed') return `apply_patch verification failed: ${plan.message}`;
  for (const change of plan.changes) if (change.kind === 'update') await writeFile(change.path, change.after);
  return `Exit code: 0\nWall time: 0.1 seconds\nOutput:\n${formatPatchReport(plan.report)}`;
}
