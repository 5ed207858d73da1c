/** A program of its own, built to `imageWorker.js` and run in a worker thread: scales the image of its `workerData`. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ImageScaling } from '../../core/ports.ts';
import { scaleImage } from './scaleImage.ts';

parentPort?.postMessage(scaleImage(workerData as ImageScaling));
