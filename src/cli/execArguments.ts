import { UsageError } from './usage.ts';
import { parseOptions } from './parseOptions.ts';

/** The command line of `exec`, parsed but not validated. */
export interface ExecArguments {
  readonly json: boolean;
  readonly demo: boolean;
  readonly input: 'jsonl' | null;
  readonly cd: string | null;
  readonly writable: readonly string[];
  readonly images: readonly string[];
  readonly outputSchema: string | null;
  readonly config: readonly string[];
  /** The settings that were given as flags. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** The existing thread to continue; with `fork`, a copy of it is continued. */
  readonly from: { readonly verb: 'resume' | 'fork'; readonly thread: { readonly id: string } | 'last' } | null;
  /** The prompt. `-`: it is read from stdin; `null`: none was given. */
  readonly prompt: string | null;
}

/** Options of `exec`, for `parseArgs`. */
export const EXEC_OPTIONS = {
  json: { type: 'boolean' },
  demo: { type: 'boolean' },
  last: { type: 'boolean' },
  plan: { type: 'boolean' },
  input: { type: 'string' },
  cd: { type: 'string' },
  model: { type: 'string' },
  provider: { type: 'string' },
  'base-url': { type: 'string' },
  'wire-api': { type: 'string' },
  'approval-policy': { type: 'string' },
  sandbox: { type: 'string' },
  writable: { type: 'string', multiple: true },
  image: { type: 'string', multiple: true },
  'output-schema': { type: 'string' },
  config: { type: 'string', short: 'c', multiple: true },
} as const;

const SETTING_OF_FLAG = {
  model: 'model',
  provider: 'provider',
  'base-url': 'baseUrl',
  'wire-api': 'wireApi',
  'approval-policy': 'approvalPolicy',
  sandbox: 'sandbox.mode',
} as const;

/**
 * Parses the arguments of `exec`.
 * @throws UsageError
 */
export function parseExecArguments(argv: readonly string[]): ExecArguments {
  const { values, tokens } = parse(argv);
  const input = values.input ?? null;
  if (input !== null && input !== 'jsonl') throw new UsageError(`--input ${input}: must be jsonl`);
  if (values.demo && (values.model || values.provider || values['base-url'])) {
    throw new UsageError('--demo brings its own model: give it without --model, --provider and --base-url');
  }
  if (values.provider && values['base-url']) throw new UsageError('give --provider or --base-url, not both');
  const { from, rest } = takeThread(wordsOf(tokens), values.last ?? false);
  if (rest.length > 1) throw new UsageError(`one prompt, not ${rest.length}: put it in quotes`);
  const prompt = rest[0]?.value ?? null;
  if (input === 'jsonl' && prompt === '-') throw new UsageError('--input jsonl and the prompt - both want stdin');
  const flags = Object.entries(SETTING_OF_FLAG).flatMap(([flag, setting]) => {
    const value = values[flag as keyof typeof SETTING_OF_FLAG];
    return value === undefined ? [] : [[setting, value] as const];
  });
  return {
    json: values.json ?? false,
    demo: values.demo ?? false,
    input,
    cd: values.cd ?? null,
    writable: values.writable ?? [],
    images: values.image ?? [],
    outputSchema: values['output-schema'] ?? null,
    config: values.config ?? [],
    flags: { ...Object.fromEntries(flags), ...(values.plan ? { planMode: true } : {}) },
    from,
    prompt,
  };
}

function parse(argv: readonly string[]) {
  return parseOptions({ args: [...argv], options: EXEC_OPTIONS, allowPositionals: true, strict: true, tokens: true });
}

interface Word {
  readonly value: string;
  /** True after `--`: the word is part of the prompt and no subcommand. */
  readonly literal: boolean;
}

type Token = ReturnType<typeof parse>['tokens'][number];

function wordsOf(tokens: readonly Token[]): Word[] {
  let literal = false;
  return tokens.flatMap((token) => {
    if (token.kind === 'option-terminator') literal = true;
    return token.kind === 'positional' ? [{ value: token.value, literal }] : [];
  });
}

/**
 * Parses `resume ID`, `fork ID`, or either with `--last`, which come before the prompt. The remaining words are the
 * prompt.
 */
function takeThread(
  words: readonly Word[],
  last: boolean,
): { readonly from: ExecArguments['from']; readonly rest: readonly Word[] } {
  const [first, second] = words;
  const verb = first?.literal ? undefined : first?.value;
  if (verb !== 'resume' && verb !== 'fork') {
    if (last) throw new UsageError('--last goes with resume or fork');
    return { from: null, rest: words };
  }
  if (last) return { from: { verb, thread: 'last' }, rest: words.slice(1) };
  if (second === undefined || second.literal) throw new UsageError(`${verb} which thread? give its id or --last`);
  return { from: { verb, thread: { id: second.value } }, rest: words.slice(2) };
}
