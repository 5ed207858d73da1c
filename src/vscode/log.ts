import { inspect } from 'node:util';
import * as vscode from 'vscode';
import type { Log } from '../core/ports.ts';

/** Maximum lines that `tail` keeps. */
const TAIL_LINES = 200;

export interface TailedLog extends Log {
  /** The last lines, oldest first, as written: redacted. */
  tail(): readonly string[];
}

/**
 * Logs to one channel, as long as it is open, through `redact`: no secret that Tiller holds is logged (docs/design.md
 * decision 18).
 */
export function createLog(channel: vscode.LogOutputChannel, redact: (text: string) => string): TailedLog {
  const lines: string[] = [];
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, data?: unknown) => {
    // With the causes of an error, which its stack does not name.
    const details =
      data === undefined ? '' : ` ${inspect(data, { depth: 6, breakLength: Infinity, maxStringLength: 4000 })}`;
    const line = redact(message + details);
    lines.push(`${new Date().toISOString()} ${level} ${line}`);
    if (lines.length > TAIL_LINES) lines.shift();
    try {
      channel[level](line);
    } catch {
      // A closed channel throws: work that still runs while the window closes must not fail because of its log.
    }
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    tail: () => [...lines],
  };
}

/**
 * Call on first use: an unused channel should not be listed. VS Code returns the same channel until it is disposed; one that is
 * disposed at once is returned closed from then on (1.139).
 */
export function createChannel(): vscode.LogOutputChannel {
  return vscode.window.createOutputChannel('Tiller', { log: true });
}
