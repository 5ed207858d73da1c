/** The beginning of a body: for answers that are read whole and must not fill the memory. */

export interface Beginning {
  readonly text: string;
  /** There was more, or it did not come in time. */
  readonly isCut: boolean;
}

/** Reads until the end, `maxBytes` or `enough`, and ends the connection then. Never rejects: a broken body is cut, too. */
export async function readBeginning(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  enough: AbortSignal,
): Promise<Beginning> {
  const reader = body?.getReader();
  if (!reader) return { text: '', isCut: false };
  const stop = () => void reader.cancel().catch(() => {});
  enough.addEventListener('abort', stop, { once: true });
  const decoder = new TextDecoder();
  let text = '';
  let left = maxBytes;
  try {
    while (!enough.aborted) {
      const { value } = await reader.read();
      if (value === undefined) return { text: text + decoder.decode(), isCut: enough.aborted };
      text += decoder.decode(value.subarray(0, left), { stream: true });
      if (value.length > left) break;
      left -= value.length;
    }
  } catch {
    // What came before it broke is worth reading.
  } finally {
    enough.removeEventListener('abort', stop);
  }
  stop();
  return { text, isCut: true };
}
