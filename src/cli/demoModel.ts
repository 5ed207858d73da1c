import { startDemoModel } from '../node/demoModel/server.ts';
import type { Streams } from './streams.ts';
import { parseOptions } from './parseOptions.ts';
import { EXIT, UsageError } from './usage.ts';
import { messageOf } from '../core/util/fileErrors.ts';

/** `tiller demo-model`: serves until SIGTERM or SIGINT (docs/cli.md). @throws UsageError */
export async function demoModel(argv: readonly string[], streams: Streams): Promise<number> {
  const port = parsePort(argv);
  const server = await startDemoModel({ port }).catch((error: unknown) => {
    throw new UsageError(`port ${port}: ${messageOf(error)}`);
  });
  const ended = new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  streams.stdout.write(`${JSON.stringify({ baseUrl: server.baseUrl, model: server.model })}\n`);
  await ended;
  await server.close();
  return EXIT.done;
}

function parsePort(argv: readonly string[]): number {
  const { values } = parseOptions({ args: [...argv], options: { port: { type: 'string' } }, strict: true });
  const given = values.port ?? '0';
  const port = Number(given);
  if (!/^\d+$/.test(given) || port > 65_535) throw new UsageError(`--port ${given}: must be from 0 to 65535`);
  return port;
}
