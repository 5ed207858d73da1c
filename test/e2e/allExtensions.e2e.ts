// The scenarios that need extensions of VS Code (git, TypeScript, models, tests), one file after the other in one worker: their
// server and its browser take 10 s of processor time.
import { describe } from 'vitest';

// First: it needs a window that was just opened.
describe('code review', async () => void (await import('./allExtensions/codeReview.ts')));
describe('code navigation', async () => void (await import('./allExtensions/codeNavigation.ts')));
describe('consent', async () => void (await import('./allExtensions/consent.ts')));
describe('entry points', async () => void (await import('./allExtensions/entryPoints.ts')));
