import { findingText } from '../../src/protocol/text/findings.ts';
import { answerIn } from '../../src/protocol/text/answers.ts';
import { withoutPlanMarks } from '../../src/protocol/text/proposedPlan.ts';
import type { TurnState } from '../../src/protocol/thread.ts';
import { usageSentence } from './turnUsage.ts';

/** Formats a turn as Markdown, for example for an issue: messages, commands, changes, and the token usage. */
export function turnAsMarkdown(turn: TurnState): string {
  const parts = turn.items.map((item) => {
    switch (item.type) {
      case 'user_message':
        return item.content
          .map((part) => (part.type === 'text' ? `> ${part.text.replaceAll('\n', '\n> ')}` : ''))
          .join('');
      case 'agent_message':
        return withoutPlanMarks(item.text);
      case 'command_execution':
        return `\`\`\`console\n$ ${item.command}\n${item.output}\n\`\`\``;
      case 'file_change':
        return `\`\`\`diff\n${item.diff}\n\`\`\``;
      case 'user_question':
        return item.questions
          .map(({ id, question }) => `*${question}*\n\n> ${answerIn(item.answers, id).replaceAll('\n', '\n> ') || '–'}`)
          .join('\n\n');
      case 'code_review':
        return [item.text, ...item.findings.map(findingText)].join('\n\n');
      case 'reasoning':
      case 'plan':
      case 'process_interaction':
      case 'mcp_tool_call':
      case 'dynamic_tool_call':
      case 'web_fetch':
      case 'web_search':
      case 'image_view':
      case 'file_lookup':
      case 'code_navigation':
      case 'hook_run':
      case 'sub_agent':
      case 'compaction':
        return '';
      default:
        item satisfies never;
        return '';
    }
  });
  if (turn.usage !== null && turn.status.type !== 'running') parts.push(`*${usageSentence(turn.usage)}*`);
  return `${parts.filter((part) => part.trim() !== '').join('\n\n')}\n`;
}
