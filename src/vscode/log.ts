import * as vscode from 'vscode';
import type { Log } from '../core/ports.ts';

/** The one channel everything is logged to, through `redact`: a secret Tiller holds never stands in it (design decision 18). */
export function createLog(channel: vscode.LogOutputChannel, redact: (text: string) => string): Log {
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, data?: unknown) => {
    const details = data === undefined ? '' : ` ${describe(data)}`;
    channel[level](redact(message + details));
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

function describe(data: unknown): string {
  if (data instanceof Error) return data.stack ?? data.message;
  try {
    return JSON.stringify(data);
  } catch {
    return String(data);
  }
}

/** Made on first use: a channel nobody writes to is not listed. */
export function createChannel(): vscode.LogOutputChannel {
  return vscode.window.createOutputChannel('Tiller', { log: true });
}
