import type { Languages } from '../../ports.ts';
import type { ToolOptions } from '../handler.ts';
import type { ToolProvider } from '../toolProvider.ts';
import { codeNavigation } from './codeNavigation.ts';

/** The tools that need the language extensions of an editor. `mayChange`: whether the thread may change files by tools. */
export function codeTools(languages: Languages, review: ToolOptions['review'], mayChange: boolean): ToolProvider {
  const tools = [codeNavigation(languages, review, mayChange)];
  return { id: 'editor', needsTrust: true, tools: () => tools };
}
