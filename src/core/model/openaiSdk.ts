/**
 * The only module that loads the `openai` package, and only as `await import('./openaiSdk.ts')`: the build makes it a
 * file of its own beside the bundle, so that starting costs nothing of it (design decision 16, scripts/build.mjs).
 */
export { OpenAI } from 'openai';
