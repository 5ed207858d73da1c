import type { TurnSettings } from '../../src/protocol/event.ts';
import type { ErrorAction, ErrorKind } from '../../src/protocol/policy.ts';
import { isInProcess, providerTitle } from '../../src/protocol/knownProviders.ts';
import type { RetryState, TurnError } from '../../src/protocol/thread.ts';
import type { ComponentChildren } from 'preact';
import { actOnError, setUpProvider, submit } from '../actions.ts';
import { say, t } from '../l10n.ts';
import { isOwn, settings as panelSettings, startedProvider, waiting } from '../store.ts';
import { roughly } from '../text/format.ts';
import { now } from '../view.ts';
import { Button } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';

/** The frame of an error, with its actions. */
function Notice(props: {
  testid: string;
  kind: 'error' | 'warning';
  icon: string;
  title: string;
  children: ComponentChildren;
  action?: ComponentChildren;
}) {
  const { testid, kind, icon, title, children, action } = props;
  return (
    <div class="notice" data-kind={kind} role="group" aria-label={title} data-testid={testid}>
      <span class="step-icon">
        <Icon name={icon} />
      </span>
      <div class="notice-body">
        <p class="notice-title">{title}</p>
        <p class="notice-text">{children}</p>
        {action && <div class="notice-actions">{action}</div>}
      </div>
    </div>
  );
}

function titleOf(kind: ErrorKind): string {
  const titles: Record<ErrorKind, string> = {
    no_key: t('API key missing'),
    auth: t('API key rejected'),
    quota: t('Quota exceeded'),
    rate_limited: t('Rate limit reached'),
    overloaded: t('Server overloaded'),
    context_exceeded: t('Context window full'),
    invalid_request: t('Request rejected'),
    model_not_found: t('Model not found'),
    content_filter: t('Blocked by content filter'),
    network: t('Could not connect to the server'),
    tls: t('No secure connection'),
    proxy: t('Proxy error'),
    timeout: t('Request timed out'),
    stream_closed: t('Response interrupted'),
    bad_response: t('Unexpected response from server'),
    config: t('Check your settings'),
    storage: t('Could not write to disk'),
    sandbox: t('Sandbox not available'),
    paused: t('Turn paused'),
    internal: t('Internal error in Tiller'),
  };
  return titles[kind] ?? t('Something went wrong');
}

const ICONS: Partial<Record<ErrorKind, string>> = {
  no_key: 'key',
  auth: 'key',
  quota: 'credit-card',
  rate_limited: 'clockface',
  overloaded: 'clockface',
  timeout: 'clockface',
  context_exceeded: 'fold',
  network: 'debug-disconnect',
  tls: 'debug-disconnect',
  proxy: 'debug-disconnect',
  stream_closed: 'debug-disconnect',
  sandbox: 'shield',
  paused: 'debug-pause',
};

function labelOf(action: ErrorAction): string {
  const labels: Record<ErrorAction, string> = {
    set_api_key: t('Set API Key'),
    select_model: t('Select Model'),
    check_settings: t('Open Settings'),
    check_network: t('Try Again'),
    retry: t('Try Again'),
    compact: t('Compact and Continue'),
    new_thread: t('New Thread'),
    show_log: t('Show Log'),
  };
  return labels[action] ?? t('Show Log');
}

/**
 * Shows an error. While it is the last entry of the transcript (`isLive`), its action is the filled button, unless a
 * request is pending.
 */
export function ErrorNotice({
  error,
  settings,
  isLive,
}: {
  error: TurnError;
  /** The settings of the error's turn; `null` for an error outside of turns, which cannot be tried again. */
  settings: TurnSettings | null;
  isLive: boolean;
}) {
  const { kind } = error;
  const action = error.action ?? (settings === null ? undefined : 'retry');
  const isRetry = action === 'retry' || action === 'check_network';
  // When a server rejects the key, the action is to enter another one. When VS Code reports that the user has not
  // allowed its models, the action is to select another model.
  const isConsent = kind === 'auth' && action === 'select_model';
  // A server that is not reached may have been entered with a wrong address.
  const server = kind === 'network' && settings !== null ? serverOf(settings) : undefined;
  return (
    <Notice
      testid="error"
      kind={kind === 'context_exceeded' || kind === 'paused' ? 'warning' : 'error'}
      icon={isConsent ? 'lock' : (ICONS[kind] ?? 'error')}
      title={isConsent ? t('Use of the model not allowed') : titleOf(kind)}
      action={
        isLive &&
        action && (
          <>
            <Button
              testid="error-action"
              kind={waiting.value.length === 0 ? 'primary' : 'secondary'}
              onClick={() => actOnError(action)}
            >
              {labelOf(action)}
            </Button>
            {settings !== null && !isRetry && (
              <Button testid="error-retry" onClick={() => actOnError('retry')}>
                {labelOf('retry')}
              </Button>
            )}
            {server !== undefined && (
              <Button testid="error-set-up" onClick={() => setUpProvider(server)}>
                {t('Set Up {0}…', titleOfServer(server))}
              </Button>
            )}
          </>
        )
      }
    >
      {error.message}
      {error.detail && <span class="notice-detail">{error.detail}</span>}
      {settings !== null && !OWN_ERRORS.has(kind) && <Where settings={settings} />}
    </Notice>
  );
}

/** The kinds of errors that arise on this machine. The notice does not name the model, because it is not the cause. */
const OWN_ERRORS: ReadonlySet<ErrorKind> = new Set(['paused', 'storage', 'sandbox', 'internal']);

/** Returns the provider of a turn whose models are reached by HTTP; `undefined` if it has another one. */
function serverOf({ provider = startedProvider.value }: TurnSettings): string | undefined {
  return provider === undefined || isInProcess(provider) ? undefined : provider;
}

function titleOfServer(provider: string): string {
  return providerTitle({ providers: panelSettings.value?.providers ?? {} }, provider);
}

/** Names the model and the server of the failed request, if there was one. */
function Where({ settings }: { settings: TurnSettings }) {
  const server = serverOf(settings);
  return (
    <span class="notice-where" data-testid="error-where">
      {server === undefined
        ? t('Model: {0}', settings.model)
        : t('Model: {0} · Server: {1}', settings.model, titleOfServer(server))}
    </span>
  );
}

/** Shows the error of a request, and the time until the request is sent again. */
export function RetryNotice({ retry, settings }: { retry: RetryState; settings: TurnSettings }) {
  const seconds = Math.ceil((Date.parse(retry.at) + retry.retryInMs - now.value) / 1000);
  return (
    <Notice
      testid="retry"
      kind="warning"
      icon={ICONS[retry.kind] ?? 'sync'}
      title={titleOf(retry.kind)}
      action={
        seconds > 0 &&
        isOwn.value && (
          <Button testid="retry-now" onClick={() => submit({ type: 'retry' })}>
            {t('Retry Now')}
          </Button>
        )
      }
    >
      {retry.message}{' '}
      {seconds > 0
        ? say(
            'Retrying in {0} (attempt {1} of {2}).',
            <span class="num">{seconds < 60 ? t('{0} s', seconds) : roughly(seconds * 1000)}</span>,
            retry.attempt + 1,
            retry.of,
          )
        : t('Attempt {0} of {1}.', retry.attempt + 1, retry.of)}
      <Where settings={settings} />
    </Notice>
  );
}

/**
 * Shown for a turn that was interrupted by a reload. It continues only if the user wants it to (docs/design.md decision
 * 14).
 */
export function ReloadNotice({ onContinue }: { onContinue: () => void }) {
  return (
    <Notice
      testid="turn-cut"
      kind="warning"
      icon="debug-restart"
      title={t('Interrupted by a window reload')}
      action={
        <Button
          testid="turn-cut-continue"
          kind={waiting.value.length === 0 ? 'primary' : 'secondary'}
          onClick={onContinue}
        >
          {t('Continue')}
        </Button>
      }
    >
      {t('The turn was interrupted. The command that was running was stopped and will not run again.')}
    </Notice>
  );
}
