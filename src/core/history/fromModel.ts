import type { ResponseItem } from '../../protocol/responseItem.ts';

/** Whether the model has said an item, and not the user, Tiller or a tool. */
export function isFromModel(item: ResponseItem): boolean {
  switch (item.type) {
    case 'message':
      return item.role === 'assistant';
    case 'function_call_output':
    case 'custom_tool_call_output':
      return false;
    case 'reasoning':
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
    case 'web_search_call':
      return true;
  }
}
