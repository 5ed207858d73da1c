/**
 * Stops the process of esbuild after each test file that has built something: a worker in which it still runs ends
 * seconds later.
 */
import * as esbuild from 'esbuild';
import { afterAll } from 'vitest';

afterAll(() => esbuild.stop());
