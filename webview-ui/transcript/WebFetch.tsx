import type { TurnItemOf } from '../../src/protocol/item.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { say, t } from '../l10n.ts';
import { CALL_STATES, Step } from '../components/Step.tsx';
import { Fact } from '../components/Facts.tsx';

/** Maximum number of characters shown. The model may have got more. */
const SHOWN = 4_000;

/** A page that the model has fetched from the web: the request, the response, and the text. */
export function WebFetch({ item }: { item: TurnItemOf<'web_fetch'> }) {
  const { url, status, httpStatus, why } = item;
  return (
    <Step
      testid="web-fetch"
      icon="globe"
      state={CALL_STATES[status]}
      title={url}
      label={labelOf(item)}
      meta={httpStatus}
      body={() => (
        <>
          <dl class="choices">
            <Fact name={t('Request')}>{visibleText(`GET ${url}`)}</Fact>
            <Fact name={t('Response')}>{responseOf(item)}</Fact>
          </dl>
          {why !== undefined && <p class="why">{visibleText(why)}</p>}
          {item.text !== undefined && item.text !== '' && <Text text={item.text} />}
        </>
      )}
    />
  );
}

function Text({ text }: { text: string }) {
  const shown = visibleText(text.slice(0, SHOWN));
  return (
    <pre class="band" tabIndex={0} role="group" aria-label={t('Text for the model')}>
      {shown}
      {text.length > SHOWN && '…'}
    </pre>
  );
}

/**
 * Returns the label of the line. A page counts as fetched if the server has answered, even with the status of an error.
 */
function labelOf({ url, status, httpStatus }: TurnItemOf<'web_fetch'>) {
  const address = <code>{shortAddress(url)}</code>;
  if (status === 'in_progress') return say('Fetching {0}', address);
  return httpStatus === undefined ? say('Did not fetch {0}', address) : say('Fetched {0}', address);
}

function shortAddress(url: string): string {
  const { host, pathname } = new URL(url);
  return visibleText(pathname === '/' ? host : `${host}${pathname}`);
}

function responseOf({ status, httpStatus, contentType = '', bytes, redirect }: TurnItemOf<'web_fetch'>): string {
  if (status === 'in_progress') return t('Not received yet');
  if (httpStatus === undefined) return t('None');
  if (redirect !== undefined)
    return visibleText(t('{0}, to another host: {1}. It was not followed.', httpStatus, redirect));
  return visibleText(t('{0} {1}, {2} bytes', httpStatus, contentType, bytes ?? 0));
}
