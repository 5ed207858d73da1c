/** The Log port: one line per message in `logs/`, and on stderr when TILLER_LOG asks for it. */
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { Log } from '../../core/ports.ts';
import { terminalText } from '../../protocol/text/escapeInvisible.ts';
import { makePrivateFolderSync, PRIVATE_FILE } from '../host/privateFiles.ts';
import { createRedactor, type Redactor } from '../host/redact.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

export interface LogOptions {
  readonly home: string;
  /** TILLER_LOG: a level, or anything else for `debug`; empty for no lines on stderr. */
  readonly toStderr?: string | undefined;
  readonly now?: () => Date;
  /** Secrets that it holds are redacted in every message. */
  readonly redactor?: Redactor;
}

/** The file is made with the first message. A log that cannot be written is silent: it never is the reason to fail. */
export function createLog(options: LogOptions): Log {
  const { home, toStderr, now = () => new Date(), redactor = createRedactor() } = options;
  const stderrLevel = toStderr ? (LEVELS.find((level) => level === toStderr.toLowerCase()) ?? 'debug') : undefined;
  const fileLevel = stderrLevel === 'debug' ? 'debug' : 'info';
  const append = lazyFile(home, now);

  const write = (level: Level) => (message: string, data?: unknown) => {
    const toFile = isAtLeast(level, fileLevel);
    const toTerminal = stderrLevel !== undefined && isAtLeast(level, stderrLevel);
    if (!toFile && !toTerminal) return;
    const line = redactor.redact(formatLine(now(), level, message, data));
    if (toFile) append(line);
    if (toTerminal) process.stderr.write(process.stderr.isTTY ? terminalText(line) : line);
  };

  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}

function isAtLeast(level: Level, threshold: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(threshold);
}

function formatLine(at: Date, level: Level, message: string, data: unknown): string {
  const details =
    data === undefined ? '' : ` ${inspect(data, { depth: 6, breakLength: Infinity, maxStringLength: 4000 })}`;
  return `${at.toISOString()} ${level} ${message}${details}`.replaceAll('\n', '\n    ') + '\n';
}

function lazyFile(home: string, now: () => Date): (line: string) => void {
  let descriptor: number | undefined;
  return (line) => {
    try {
      if (descriptor === undefined) {
        const folder = join(home, 'logs');
        makePrivateFolderSync(folder);
        const name = `tiller-${now().toISOString().slice(0, 10)}-${process.pid}.log`;
        descriptor = openSync(join(folder, name), 'a', PRIVATE_FILE);
      }
      writeSync(descriptor, line);
    } catch {
      // There is no other place for the message.
    }
  };
}
