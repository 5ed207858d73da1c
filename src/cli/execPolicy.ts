import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { explainCommand } from '../core/policy/decideCommand.ts';
import { explanationOf } from '../core/policy/explanation.ts';
import { type LoadedRules, parseRulesFile } from '../core/policy/rules.ts';
import { SUGGESTED_AFTER, SUGGESTED_FROM, suggestRules } from '../core/policy/suggestRules.ts';
import { startsPrograms } from '../core/tools/gitTrust.ts';
import { RulesStore } from '../core/rules/rulesStore.ts';
import { resolveSandbox } from '../core/sandbox/resolveSandbox.ts';
import { describeFileError, isMissing } from '../core/util/fileErrors.ts';
import { createNodePorts } from '../node/ports.ts';
import { sandboxSupport } from '../node/sandbox/support.ts';
import { type DecisionReason, sandboxPolicySchema } from '../protocol/policy.ts';
import { printJson, printSentence } from './print.ts';
import { loadSettings } from './settingsFile.ts';
import type { Streams } from './streams.ts';
import { EXIT, UsageError } from './usage.ts';
import { parseBeforeCommand } from './parseOptions.ts';

/**
 * `tiller execpolicy check` and `suggest` (docs/cli.md): explains what the policy decides about a command, and suggests
 * rules that would have made earlier approvals unnecessary. Runs nothing.
 * @throws UsageError
 */
export async function execPolicy(argv: readonly string[], streams: Streams): Promise<number> {
  const [verb, ...rest] = argv;
  if (verb === 'suggest') return suggest(rest, streams);
  if (verb !== 'check') throw new UsageError('give execpolicy check or execpolicy suggest');
  const { command, flags, rulesFiles, escalated } = parse(rest);
  const cwd = path.resolve('.');
  const ports = createNodePorts({ roots: [cwd] });
  const say = (message: string) => printSentence(streams.stderr, message);
  const settings = await loadSettings(ports.storage, { flags, config: [], environment: ports.host.environment }, say);
  const sandboxPolicy = sandboxPolicySchema.parse({
    type: settings['sandbox.mode'],
    networkAccess: settings['sandbox.networkAccess'],
  });
  const decision = explainCommand({
    argv: command,
    approvalPolicy: settings.approvalPolicy,
    sandboxPolicy,
    ...resolveSandbox(sandboxPolicy, sandboxSupport),
    gitStartsPrograms: await startsPrograms(command, cwd, ports),
    sandboxPermissions: escalated ? 'require_escalated' : 'use_default',
    rules: rulesFiles.length > 0 ? await readRules(rulesFiles) : await rulesAtHome(new RulesStore(ports), cwd),
    platform: ports.host.platform,
  });
  const explanation = explanationOf(decision);
  const { id, text } = explanation.reason;
  printJson(streams.stdout, { ...explanation, reason: { source: sourceOf(explanation.reason), id, text } });
  return EXIT.done;
}

/**
 * Prints rules that would have made approvals in the audit log unnecessary. Adds none of them.
 * @throws UsageError
 */
async function suggest(argv: readonly string[], streams: Streams): Promise<number> {
  const atLeast = parseSuggest(argv);
  const cwd = path.resolve('.');
  const ports = createNodePorts({ roots: [cwd] });
  const entries = await ports.audit.latest(SUGGESTED_FROM);
  const rules = await rulesAtHome(new RulesStore(ports), cwd);
  const suggestions = suggestRules(entries, { platform: ports.host.platform, rules, atLeast });
  printJson(streams.stdout, { suggestions });
  return EXIT.done;
}

/** @throws UsageError */
function parseSuggest(argv: readonly string[]): number {
  const [flag, value, ...more] = argv;
  if (flag === undefined) return SUGGESTED_AFTER;
  const atLeast = Number(value);
  if (flag !== '--min' || more.length > 0) throw new UsageError('execpolicy suggest takes only --min N');
  if (!Number.isInteger(atLeast) || atLeast < 1) throw new UsageError('--min takes a whole number from 1 on');
  return atLeast;
}

/**
 * Maps a reason to one of the three sources that docs/cli.md names. A decision based on the sandbox counts as `policy`.
 */
function sourceOf({ source }: DecisionReason): 'rule' | 'heuristic' | 'policy' {
  return source === 'rule' || source === 'heuristic' ? source : 'policy';
}

const OPTIONS = {
  rules: { type: 'string', multiple: true },
  'approval-policy': { type: 'string' },
  sandbox: { type: 'string' },
  escalated: { type: 'boolean' },
  script: { type: 'string' },
} as const;

interface CheckArguments {
  readonly command: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
  readonly rulesFiles: readonly string[];
  readonly escalated: boolean;
}

/** @throws UsageError */
function parse(argv: readonly string[]): CheckArguments {
  const { values, command: words } = parseBeforeCommand(argv, OPTIONS);
  const { script, 'approval-policy': approvalPolicy, sandbox } = values;
  if ((script === undefined) === (words === undefined)) throw new UsageError('give -- CMD… or --script S');
  if (words?.length === 0) throw new UsageError('no command stands behind --');
  return {
    command: words ?? ['bash', '-c', script ?? ''],
    flags: {
      ...(approvalPolicy === undefined ? {} : { approvalPolicy }),
      ...(sandbox === undefined ? {} : { 'sandbox.mode': sandbox }),
    },
    rulesFiles: values.rules ?? [],
    escalated: values.escalated ?? false,
  };
}

/** @throws UsageError */
async function readRules(files: readonly string[]): Promise<LoadedRules> {
  const loaded = files.map(async (file) => {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (isMissing(error)) throw new UsageError(`--rules ${file}: there is no such file`);
      throw new UsageError(`--rules: ${describeFileError(error, file)}`);
    });
    const result = parseRulesFile(text, file);
    if (result.type === 'invalid') throw new UsageError(result.message);
    return result.rules;
  });
  return (await Promise.all(loaded)).flat();
}

/** Returns the user's rules for all folders and for this folder. Rule files in the folder itself are not read. */
async function rulesAtHome(store: RulesStore, cwd: string): Promise<LoadedRules> {
  const { rules, problems } = await store.inForce({ cwd, trusted: false }, null);
  const [problem] = problems;
  if (problem) throw new UsageError(problem.message);
  return rules;
}
