import type { TurnItem } from '../../src/protocol/item.ts';
import { AgentMessage } from './AgentMessage.tsx';
import { CodeNavigation } from './CodeNavigation.tsx';
import { CodeReview } from './CodeReview.tsx';
import { CommandExecution } from './CommandExecution.tsx';
import { Compaction } from './Compaction.tsx';
import { FileChange } from './FileChange.tsx';
import { HookRun } from './HookRun.tsx';
import { FileLookup, ImageView, PlanItem, ProcessInteraction } from './OneLiners.tsx';
import { pure } from '../components/pure.tsx';
import { Reasoning } from './Reasoning.tsx';
import { SubAgent } from './SubAgent.tsx';
import { DynamicToolCall, McpToolCall } from './ToolCalls.tsx';
import { UserQuestion } from './UserQuestion.tsx';
import { WebFetch } from './WebFetch.tsx';
import { WebSearch } from './WebSearch.tsx';
import { SteerMarker } from './UserMessage.tsx';

/** Renders an item with the component for its kind. A kind that only a newer build knows shows nothing. */
export const Item = pure(function Item({ item }: { item: TurnItem }) {
  switch (item.type) {
    case 'user_message':
      return <SteerMarker item={item} />;
    case 'agent_message':
      return <AgentMessage item={item} />;
    case 'reasoning':
      return <Reasoning item={item} />;
    case 'plan':
      return <PlanItem item={item} />;
    case 'command_execution':
      return <CommandExecution item={item} />;
    case 'process_interaction':
      return <ProcessInteraction item={item} />;
    case 'file_change':
      return <FileChange item={item} />;
    case 'mcp_tool_call':
      return <McpToolCall item={item} />;
    case 'dynamic_tool_call':
      return <DynamicToolCall item={item} />;
    case 'web_search':
      return <WebSearch item={item} />;
    case 'image_view':
      return <ImageView item={item} />;
    case 'file_lookup':
      return <FileLookup item={item} />;
    case 'code_navigation':
      return <CodeNavigation item={item} />;
    case 'web_fetch':
      return <WebFetch item={item} />;
    case 'hook_run':
      return <HookRun item={item} />;
    case 'user_question':
      return <UserQuestion item={item} />;
    case 'sub_agent':
      return <SubAgent item={item} />;
    case 'code_review':
      return <CodeReview item={item} />;
    case 'compaction':
      return <Compaction item={item} />;
    default:
      // Reached only for a kind that a newer build has written.
      item satisfies never;
      return null;
  }
});
