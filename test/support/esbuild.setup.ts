/** Ends the program of esbuild after each file that has built something: a worker that still has one ends seconds late. */
import * as esbuild from 'esbuild';
import { afterAll } from 'vitest';

afterAll(() => esbuild.stop());
