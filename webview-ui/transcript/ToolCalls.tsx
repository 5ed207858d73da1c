import type { TurnItemOf } from '../../src/protocol/item.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { say, t } from '../l10n.ts';
import { isOnlyRequest, waitingItems } from '../store.ts';
import { duration, notable } from '../text/format.ts';
import { Soft } from '../components/Facts.tsx';
import { CALL_STATES, Step } from '../components/Step.tsx';

function readable(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function InputAndResult({ input, result }: { input: unknown; result: string }) {
  return (
    <div class="io">
      <h4 class="io-h">{t('Input')}</h4>
      <pre class="io-pre" tabIndex={0} role="group" aria-label={t('Input')}>
        {readable(input)}
      </pre>
      {result !== '' && (
        <>
          <h4 class="io-h">{t('Result')}</h4>
          <pre class="io-pre" tabIndex={0} role="group" aria-label={t('Result')}>
            {result}
          </pre>
        </>
      )}
    </div>
  );
}

/** A call of an MCP server's tool. */
export function McpToolCall({ item }: { item: TurnItemOf<'mcp_tool_call'> }) {
  const isWaiting = waitingItems.value.has(item.id);
  const name = <code>{item.tool}</code>;
  const server = <span class="by">{t('on {0}', item.server)}</span>;
  const waits = isOnlyRequest.value ? t('Needs approval') : say('Needs approval: {0} {1}', name, server);
  return (
    <Step
      testid="tool-call"
      icon="mcp"
      state={isWaiting ? 'waiting' : CALL_STATES[item.status]}
      label={isWaiting ? waits : say('Called {0} {1}', name, server)}
      meta={notable(item.durationMs) !== null && <Soft>{duration(item.durationMs)}</Soft>}
      body={() => (
        <>
          <InputAndResult input={item.arguments} result={item.error ?? textOf(item.result) ?? item.progress ?? ''} />
          <Images parts={item.result ?? []} />
        </>
      )}
    />
  );
}

/** Returns the texts of a result; `undefined` while there is no result. */
function textOf(parts: TurnItemOf<'mcp_tool_call'>['result']): string | undefined {
  return parts?.flatMap((part) => (part.type === 'input_text' ? [part.text] : [])).join('\n');
}

/** Shows images that the result contains as data. No image is loaded from a server. */
function Images({ parts }: { parts: NonNullable<TurnItemOf<'mcp_tool_call'>['result']> }) {
  const images = parts.flatMap((part) => (part.type === 'input_image' ? [part.imageUrl] : []));
  return (
    <>
      {images
        .filter((url) => url.startsWith('data:image/'))
        .map((url, index) => (
          <img key={index} class="io-img" src={url} alt={t('Image')} />
        ))}
    </>
  );
}

/** A call of a tool that the client or another extension provides. */
export function DynamicToolCall({ item }: { item: TurnItemOf<'dynamic_tool_call'> }) {
  const result = item.contentItems.map((part) => (part.type === 'input_text' ? part.text : t('Image'))).join('\n');
  const isWaiting = waitingItems.value.has(item.id);
  const { tool, source, status, success, contentItems } = item;
  const name = <code>{tool}</code>;
  const by = source === undefined ? '' : <span class="by">{t('of {0}', visibleText(source))}</span>;
  const waits = isOnlyRequest.value ? t('Needs approval') : say('Needs approval: {0} {1}', name, by);
  return (
    <Step
      testid="tool-call"
      icon="tools"
      state={isWaiting ? 'waiting' : success === false ? 'failed' : CALL_STATES[status]}
      label={isWaiting ? waits : say('Called {0} {1}', name, by)}
      body={() => (
        <>
          <InputAndResult input={item.arguments} result={result} />
          <Images parts={contentItems} />
        </>
      )}
    />
  );
}
