/** The titles of pending requests, shared by the card and the announcement. */
import { isDestructive } from '../../src/protocol/approval.ts';
import type { ApprovalRequest } from '../../src/protocol/event.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { inOneLine } from '../../src/protocol/text/truncate.ts';
import { plural, t } from '../l10n.ts';
import type { Waiting } from '../store.ts';

/** Returns the title of a request; a request of a sub-agent begins with the agent's name. */
export function decisionTitle(waiting: Waiting): string {
  const title = titleOf(waiting);
  const agent = waiting.type === 'interrupted' ? undefined : waiting.request.agent;
  return agent === undefined ? title : t('{0} asks: {1}', visibleText(agent.role), title);
}

function titleOf(waiting: Waiting): string {
  if (waiting.type === 'approval') return approvalTitle(waiting.request);
  if (waiting.type === 'interrupted') {
    return plural(waiting.patch.count, 'A patch to {0} file was interrupted', 'A patch to {0} files was interrupted');
  }
  const { request } = waiting;
  if (request.source === 'mcp') {
    return request.url === undefined
      ? t('{0} asks for details', request.server)
      : t('{0} asks you to open a page', request.server);
  }
  return request.questions.length === 1 ? (request.questions[0]?.question ?? '') : t('Tiller has some questions');
}

/** Returns the subject of the request for screen readers; empty if the title already names it. */
export function decisionSubject(waiting: Waiting): string {
  if (waiting.type !== 'approval') return '';
  const { kind, command = '', changes = [], url } = waiting.request;
  if (url !== undefined) return url;
  return kind === 'patch' ? changes.map(({ path }) => path).join(', ') : inOneLine(command);
}

function approvalTitle(request: ApprovalRequest): string {
  switch (request.kind) {
    case 'command':
      return isDestructive(request) ? t('Run this destructive command?') : t('Run this command?');
    case 'escalation':
      return isDestructive(request)
        ? t('Run this destructive command outside the sandbox?')
        : t('Run outside the sandbox?');
    case 'network':
      return hostsTitle(request.hosts);
    case 'patch':
      return plural(request.changes?.length ?? 0, 'Apply changes to {0} file?', 'Apply changes to {0} files?');
    case 'tool':
      if (request.url !== undefined) return t('Fetch a page from {0}?', fetchedHost(request.url));
      return request.tool
        ? t('Call {0} on {1}?', visibleText(request.tool.name), visibleText(request.tool.server))
        : t('Call this tool?');
  }
}

function hostsTitle([first, ...others]: readonly string[] = []): string {
  if (first === undefined) return t('Let this command use the network?');
  return others.length === 0
    ? t('Let this command reach {0}?', visibleText(first))
    : t('Let this command reach {0} hosts?', others.length + 1);
}

/**
 * Returns the host name of an address, with its port if that is not the default one. The extension host has checked the
 * address.
 */
export function fetchedHost(url: string): string {
  return visibleText(URL.canParse(url) ? new URL(url).host : url);
}
