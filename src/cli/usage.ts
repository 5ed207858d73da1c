/**
 * A mistake in the command line. It is printed as one line on stderr; the exit code is 2, and nothing was done
 * (docs/cli.md).
 */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** A failure that the command line did not cause. It is printed as one line on stderr; the exit code is 1. */
export class Failure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Failure';
  }
}

export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130, terminated: 143 } as const;

/** The output of `tiller COMMAND --help`. */
const HELP_OF_COMMAND: Readonly<Record<string, string>> = {
  exec: `tiller exec [OPTIONS] [--] PROMPT
tiller exec [OPTIONS] resume ID|--last [--] [PROMPT]
tiller exec [OPTIONS] fork ID|--last [--] [PROMPT]

Works on one request in a folder and prints the last message of the model. Without a prompt, or for -, the prompt is read from stdin.
\`resume\` continues a thread, \`fork\` continues a copy of it.

  --cd DIR                 where to work (default: here)
  --model M                the model
  --provider P             a provider that Tiller knows, such as openai, anthropic or ollama, or one of your settings
  --base-url URL           another server
  --wire-api API           responses (default), chat or messages
  --demo                   the embedded scripted model
  --plan                   Plan mode: reads only, and ends with a plan
  --approval-policy P      untrusted, on-failure, on-request (default) or never
  --sandbox MODE           read-only, workspace-write (default), danger-full-access or external-sandbox
  --writable DIR           a further folder that commands may write to (repeat)
  --image FILE             an image that goes with the prompt (repeat)
  --output-schema FILE     JSON Schema of the last message
  --json                   events as JSON lines instead of the last message
  --input jsonl            submissions as JSON lines on stdin
  -c, --config KEY=VALUE   a setting (repeat)

Examples:
  tiller exec --demo "fix the failing test"
  tiller exec --provider ollama --model qwen3 "add a test for the parser"
  tiller exec resume --last "now the other one"

Keys: TILLER_API_KEY is sent to the server of --base-url or --provider, OPENAI_API_KEY to OpenAI, ANTHROPIC_API_KEY to Anthropic.
Exit code: 0 when the turn is completed, 1 when it failed, 2 for a mistake in the command line or the settings, 130 when interrupted.
`,
  'apply-patch': `tiller apply-patch [PATCH]

Applies a patch from the argument or stdin, whole or not at all, and prints the files that it added (A), changed (M) and deleted (D).
Paths are relative to the current folder.
`,
  undo: `tiller undo [--thread ID] [TURN] [--yes]

Restores the files that the last turn, or TURN, of a thread changed. Prints what it would change, and asks first.

  --thread ID              the thread (default: the last one that changed something here)
  --yes                    without asking; required without a terminal
`,
  sandbox: `tiller sandbox [OPTIONS] -- CMD…

Runs a command in the sandbox, as commands of the model run. Exits with the exit code of the command, or with 125 where there is no
sandbox.

  --mode MODE              read-only or workspace-write (default)
  --network                with network
  --allow-host HOST        without network, a host that it may reach by HTTP and HTTPS, as in sandbox.allowedHosts (repeat)
  --writable DIR           a further folder that the command may write to (repeat)
  --tmp DIR                the folder that the command sees as /tmp and $TMPDIR (default: a new one)
  --cd DIR                 where to run it (default: here)
`,
  execpolicy: `tiller execpolicy check [--rules FILE]… [--approval-policy P] [--sandbox MODE] [--escalated] (-- CMD… | --script S)
tiller execpolicy suggest [--min N]

\`check\` prints as JSON whether a command would run, need approval or be refused, and why. It runs nothing.
\`suggest\` lists rules that would have answered at least N (default: 3) of your approvals in the audit log. It adds none.

  --rules FILE             instead of your own rules (repeat)
  --approval-policy P      untrusted, on-failure, on-request (default) or never
  --sandbox MODE           read-only, workspace-write (default), danger-full-access or external-sandbox
  --escalated              as if the model requested to run it without the sandbox
  --script S               the text of a shell script instead of a command
`,
  hooks: `tiller hooks [list | approve ID… | refuse ID…]

Lists the hooks of your settings and of files here. Hooks of files run when you have approved them.
`,
  replay: `tiller replay [--wire-api API] ROLLOUT

Runs a recorded thread again and compares the requests with the recorded ones. It runs no command and changes no file. Exits with 1
where a request differs or a response is not used.
`,
  'demo-model': `tiller demo-model [--port N]

Serves the scripted demo model on this machine until it is stopped. The first line of stdout has its address as JSON.
`,
};

/** The output of `tiller --help`. */
const HELP = `tiller: a coding agent for your workspace

  tiller exec PROMPT                works on one request in a folder
  tiller exec resume --last PROMPT  continues the last thread
  tiller undo                       restores the files that the last turn changed
  tiller apply-patch                applies a patch
  tiller sandbox -- CMD…            runs a command in the sandbox
  tiller execpolicy check -- CMD…   prints whether a command would run, and why
  tiller execpolicy suggest         lists rules that would save you approvals
  tiller hooks                      lists and approves hooks
  tiller replay ROLLOUT             runs a recorded thread again and compares its requests
  tiller demo-model                 serves the scripted demo model

  tiller COMMAND --help             the options of a command
  tiller --version
`;

/** Returns the help of a command; that of all commands if there is no such command. */
export function helpOf(command: string | undefined): string {
  const known = command !== undefined && Object.hasOwn(HELP_OF_COMMAND, command) ? HELP_OF_COMMAND[command] : undefined;
  return known ?? HELP;
}
