import type { ToolHandler } from '../handler.ts';

/**
 * The search of a server, which runs it itself: Tiller gets no call of it. `isLive`: pages are fetched as they are now
 * (`external_web_access`); otherwise the server answers from its store.
 */
export function webSearch(isLive: boolean): ToolHandler<never, never> {
  return {
    names: ['web_search'],
    spec: { type: 'web_search', external_web_access: isLive },
    isMutating: () => false,
    parse: () => ({
      type: 'invalid',
      message: 'web_search is run by the server of a model that has it; it cannot be called here.',
    }),
    prepare: () => NOT_CALLED,
    run: () => NOT_CALLED,
  };
}

const NOT_CALLED = Promise.resolve({ type: 'failure', output: 'web_search is not run here.', success: false } as const);
