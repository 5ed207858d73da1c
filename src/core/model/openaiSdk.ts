/**
 * The only module that loads the `openai` package, and only as `await import('./openaiSdk.ts')`: the build makes it a
 * separate file beside the bundle, so that it costs nothing at start-up (design decision 16, scripts/build.mjs).
 */
export { OpenAI } from 'openai';
