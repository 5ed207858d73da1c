import { type ChangeRecord, changeRecordSchema } from '../../protocol/baseline.ts';
import type { Storage } from '../ports.ts';

/** In TILLER_HOME. */
export const RECORDS_FOLDER = 'baselines/records';

/** The records of one thread, from TILLER_HOME. */
export function recordsPath(threadId: string): string {
  return `${RECORDS_FOLDER}/${threadId}.jsonl`;
}

/** All changes by the commands and patches of one thread, and their undos: one line of JSON each. */
export class ChangeRecords {
  readonly threadId: string;
  readonly #storage: Pick<Storage, 'openAppend' | 'readText'>;
  readonly #path: string;

  constructor(storage: Pick<Storage, 'openAppend' | 'readText'>, threadId: string) {
    this.threadId = threadId;
    this.#storage = storage;
    this.#path = recordsPath(threadId);
  }

  /** The records of another thread. */
  of(threadId: string): ChangeRecords {
    return new ChangeRecords(this.#storage, threadId);
  }

  /** @throws the error of the disk */
  async append(record: ChangeRecord): Promise<void> {
    const file = await this.#storage.openAppend(this.#path);
    try {
      file.append(`${JSON.stringify(record)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Oldest first. Lines that a crash tore, or that a newer Tiller wrote, are left out. */
  async read(): Promise<readonly ChangeRecord[]> {
    const text = (await this.#storage.readText(this.#path)) ?? '';
    return text.split('\n').flatMap((line) => parseRecord(line) ?? []);
  }
}

/** Reads one line of the file; `undefined` for one that is empty, torn or of another format. */
export function parseRecord(line: string): ChangeRecord | undefined {
  if (line === '') return undefined;
  try {
    return changeRecordSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
