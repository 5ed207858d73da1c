import { readFileSync } from 'node:fs';
import { type AuditEntry, auditEntrySchema } from '../../src/protocol/audit.ts';
import type { Scenario } from './startScenario.ts';

/** Returns the parsed lines of the audit log. */
export function auditEntries(chat: Scenario): AuditEntry[] {
  const lines = readFileSync(chat.home.at('audit.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => auditEntrySchema.parse(JSON.parse(line)));
}
