/** A mistake in the command line: one line on stderr, exit 2, nothing done (docs/cli.md). */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** A failure of the machine, not of the command line: one line on stderr, exit 1. */
export class Failure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Failure';
  }
}

export const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130, terminated: 143 } as const;

export const HELP = `tiller: a coding agent for your workspace

  tiller exec [OPTIONS] [resume|fork ID|--last] [--] [PROMPT|-]
      Does one job in a folder and tells how it went.
        --cd DIR                 where to work (default: here)
        --model M                the model
        --provider P             openai, openrouter, ollama, lmstudio, or one of your settings
        --base-url URL           a server of your own
        --wire-api API           responses (default) or chat
        --demo                   the embedded scripted model
        --approval-policy P      untrusted, on-failure, on-request (default), never
        --sandbox MODE           read-only, workspace-write (default), danger-full-access, external-sandbox
        --writable DIR           also writable (repeat)
        --image FILE             with the prompt (repeat)
        --output-schema FILE     JSON Schema of the last message
        --json                   events as JSON lines instead of the last message
        --input jsonl            submissions as JSON lines on stdin
        -c KEY=VALUE             a setting (repeat)
  tiller apply-patch [PATCH]     applies a patch from the argument or stdin
  tiller undo [--thread ID] [TURN] [--yes]
      Takes back on disk what the last turn, or TURN, of a thread changed; says what, and asks.
        --thread ID              the thread (default: the last one that changed something here)
        --yes                    does not ask; needed without a terminal
  tiller sandbox [OPTIONS] -- CMD…
      Runs a command in the sandbox, as commands of the model run.
        --mode MODE              read-only or workspace-write (default)
        --network                with network
        --writable DIR           also writable (repeat)
        --tmp DIR                what it sees as /tmp and $TMPDIR (default: a fresh folder)
        --cd DIR                 where to run it (default: here)
  tiller execpolicy check [--rules FILE]… [--approval-policy P] [--sandbox MODE] [--escalated] (-- CMD… | --script S)
      Says what would happen to a command and why; runs nothing.
  tiller execpolicy suggest [--min N]
      Lists rules that would have answered at least N (3) of your approvals in the audit log; adds none.
  tiller hooks [list | approve ID… | refuse ID…]
      Lists the hooks of your settings and of files here; those of files run when you have approved them.
  tiller replay [--wire-api API] ROLLOUT
      Runs a recorded thread again and compares what the model is sent; runs no command and changes no file.
  tiller demo-model [--port N]   serves the demo model

  --help, --version
`;
