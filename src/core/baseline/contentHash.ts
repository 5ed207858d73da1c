import { createHash } from 'node:crypto';

/** The name of a file's content in records and in the store: SHA-256, in hexadecimal. */
export function contentHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
