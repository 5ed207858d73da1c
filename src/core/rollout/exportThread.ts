/** Exports a thread as Markdown for readers or as JSON for programs. */
import type { TurnItem } from '../../protocol/item.ts';
import { answerIn } from '../../protocol/text/answers.ts';
import { findingText, reviewSubject } from '../../protocol/text/findings.ts';
import { withoutPlanMarks } from '../../protocol/text/proposedPlan.ts';
import { textOfInput, type TurnState } from '../../protocol/thread.ts';
import type { TurnUsage } from '../../protocol/turnUsage.ts';
import type { ReplayedThread } from './replay.ts';

export type ExportFormat = 'markdown' | 'json';

export function exportThread(thread: ReplayedThread, format: ExportFormat): string {
  return format === 'json' ? asJson(thread) : asMarkdown(thread);
}

function asJson({ meta, state, dropped }: ReplayedThread): string {
  const { instructions: _instructions, format: _format, version: _version, ...about } = meta;
  const { title, turns, tokens, plan } = state;
  return `${JSON.stringify({ format: 'tiller-thread', version: 1, ...about, title, tokens, plan, turns, dropped }, null, 2)}\n`;
}

function asMarkdown({ meta, state }: ReplayedThread): string {
  const facts = [`Model: ${meta.model}`, `Folder: ${meta.cwd}`, `Started: ${meta.timestamp}`, `Thread: ${meta.id}`];
  const parts = [`# ${state.title ?? 'Untitled'}`, facts.map((fact) => `- ${fact}`).join('\n')];
  return `${[...parts, ...state.turns.flatMap(turnAsMarkdown)].join('\n\n')}\n`;
}

function turnAsMarkdown({ items, status, error, usage }: TurnState): string[] {
  const parts = items.map(itemAsMarkdown).filter((part) => part !== '');
  if (error) parts.push(`> **${error.kind}**: ${quoted(error.message)}`);
  if (status.type === 'aborted') parts.push(`*Turn ${status.reason}.*`);
  if (usage) parts.push(`*${usageSentence(usage)}*`);
  return ['---', ...parts];
}

/** `46,000 tokens in (32,000 cached), 2,000 out (800 reasoning). Cost: 0.0142.` */
function usageSentence({ tokens, estimated, cost }: TurnUsage): string {
  const { input, cachedInput, output, reasoning } = tokens;
  const number = (count: number) => count.toLocaleString('en');
  const cached = cachedInput === 0 ? '' : ` (${number(cachedInput)} cached)`;
  const thought = reasoning === 0 ? '' : ` (${number(reasoning)} reasoning)`;
  const used = `${estimated ? 'About ' : ''}${number(input)} tokens in${cached}, ${number(output)} out${thought}.`;
  return cost === undefined ? used : `${used} Cost: ${cost.toFixed(4)}.`;
}

function itemAsMarkdown(item: TurnItem): string {
  switch (item.type) {
    case 'user_message':
      return `## You\n\n${quoted(`> ${textOfInput(item.content)}`)}`;
    case 'agent_message':
      return withoutPlanMarks(item.text);
    case 'reasoning':
      return item.summary.length === 0 ? '' : `*${item.summary.join(' ').trim()}*`;
    case 'command_execution':
      return fenced('console', `$ ${item.command}\n${item.output}${endOf(item.exitCode)}`);
    case 'file_change':
      return fenced('diff', item.diff);
    case 'plan':
      return item.steps.map(({ step, status }) => `- [${status === 'completed' ? 'x' : ' '}] ${step}`).join('\n');
    case 'mcp_tool_call':
      return fenced('json', JSON.stringify({ tool: `${item.server}/${item.tool}`, arguments: item.arguments }));
    case 'dynamic_tool_call':
      return fenced('json', JSON.stringify({ tool: item.tool, arguments: item.arguments }));
    case 'web_fetch':
      return `*Fetched ${item.url}*`;
    case 'user_question':
      return item.questions
        .map(({ id, question }) => `*${question}*\n\n${quoted(`> ${answerIn(item.answers, id) || '–'}`)}`)
        .join('\n\n');
    case 'code_review': {
      const findings = item.findings.map((finding) => quoted(`> ${findingText(finding)}`));
      return [`*Review of ${reviewSubject(item.target)}*`, item.text && quoted(`> ${item.text}`), ...findings]
        .filter(Boolean)
        .join('\n\n');
    }
    case 'compaction':
      return item.summary;
    case 'process_interaction':
    case 'web_search':
    case 'image_view':
    case 'file_lookup':
    case 'code_navigation':
    case 'hook_run':
      return '';
    case 'sub_agent': {
      const { action, role, description = '', lastMessage = '' } = item;
      if (action !== 'task' && action !== 'spawn') return '';
      return quoted(`*Agent ${role}: ${description}*${lastMessage === '' ? '' : `\n\n> ${lastMessage}`}`);
    }
  }
}

function endOf(exitCode: number | null): string {
  return exitCode === null || exitCode === 0 ? '' : `\n(exit code ${exitCode})`;
}

function quoted(text: string): string {
  return text.replaceAll('\n', '\n> ');
}

/** Encloses the text in a fence that is longer than any in the text. */
function fenced(language: string, text: string): string {
  if (text.trim() === '') return '';
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}
