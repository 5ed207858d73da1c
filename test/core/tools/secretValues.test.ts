import { expect, test } from 'vitest';
import { secretValuesIn } from '../../../src/core/tools/secretValues.ts';

test('the values of secrets are found by their names, by their form and in keys', () => {
  const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';
  const text = [
    'API_KEY=plain-value',
    'export DB_PASSWORD="quoted # value"',
    "  TOKEN = 'single'  # a comment",
    'SECRET=bare # a comment',
    'DATABASE_URL=postgres://u:pw@host/db',
    'MODE=development',
    '# API_KEY=commented',
    '-----BEGIN PRIVATE KEY-----',
    line,
  ].join('\r\n');
  expect(secretValuesIn(text)).toEqual([
    'plain-value',
    'quoted # value',
    'single',
    'bare',
    'postgres://u:pw@host/db',
    line,
  ]);
});
