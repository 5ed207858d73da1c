/** Reads the beginning of a body, for responses that are read whole and must not fill the memory. */

export interface Beginning {
  readonly text: string;
  /** True when there was more, or the rest did not arrive in time. */
  readonly isCut: boolean;
}

/**
 * Reads until the end, `maxBytes` or the abort of `enough`, then closes the connection. Never rejects: a body that
 * breaks off counts as cut.
 */
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
    // The part before the failure is still useful.
  } finally {
    enough.removeEventListener('abort', stop);
  }
  stop();
  return { text, isCut: true };
}
