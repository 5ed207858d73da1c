/** The Images port: each image in a worker thread of its own, which ends with it. */
import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { ImageScaling, Images } from '../../core/ports.ts';
import { onAbort } from '../../core/util/abort.ts';

/** `worker`: the built script worker.ts; without it images are scaled on the main thread. */
export function createImages(worker?: string): Images {
  if (worker === undefined || !existsSync(worker)) return { scale: scaleHere };
  return { scale: (image, signal) => scaleIn(worker, image, signal) };
}

/** Scales in this thread; the libraries are loaded with the first image. */
async function scaleHere(image: ImageScaling): Promise<Uint8Array> {
  const { scaleImage } = await import('./scaleImage.ts');
  return scaleImage(image);
}

async function scaleIn(script: string, image: ImageScaling, signal: AbortSignal): Promise<Uint8Array> {
  signal.throwIfAborted();
  const worker = new Worker(script, { workerData: image });
  const stopListening = onAbort(signal, () => void worker.terminate());
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(signal.aborted ? signal.reason : new Error('The image was not scaled.')));
    });
  } finally {
    stopListening();
    await worker.terminate();
  }
}
