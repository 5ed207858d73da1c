import type { ComponentChildren } from 'preact';
import type { PanelSettings } from '../../src/protocol/wire.ts';
import { pick, runCommand, sendText, suggestDraft } from '../actions.ts';
import { t } from '../l10n.ts';
import { settings } from '../store.ts';
import { openPopup } from '../view.ts';
import { Link } from '../components/Buttons.tsx';
import { Icon } from '../components/Icon.tsx';

/** Shown in an empty thread, directly above the composer: what the user can do next. */
export function EmptyState() {
  const { value } = settings;
  if (value === null) return null;
  if (!value.hasWorkspace) return <NoWorkspace />;
  if (value.model === null) return <NoModel />;
  return <Ready settings={value} />;
}

function Empty({ title, testid, children }: { title: string; testid: string; children: ComponentChildren }) {
  return (
    <section class="empty" data-testid={testid}>
      <h2 class="empty-title">{title}</h2>
      {children}
    </section>
  );
}

function Option(props: { testid: string; icon: string; title: string; text: string; onClick: () => void }) {
  const { testid, icon, title, text, onClick } = props;
  return (
    <li>
      <button type="button" class="opt" data-testid={testid} onClick={onClick}>
        <Icon name={icon} />
        <span class="opt-text">
          <span class="opt-title">{title}</span>
          <span class="opt-sub">{text}</span>
        </span>
        <Icon name="chevron-right" />
      </button>
    </li>
  );
}

function NoWorkspace() {
  return (
    <Empty title={t('Open a folder to get started')} testid="empty-no-workspace">
      <ul class="opts">
        <Option
          testid="open-folder"
          icon="folder-opened"
          title={t('Open Folder')}
          text={t('Tiller reads and changes files in the folder you have open.')}
          onClick={() => runCommand('openFolder')}
        />
      </ul>
    </Empty>
  );
}

function NoModel() {
  return (
    <Empty title={t('Select a model to get started')} testid="empty-no-model">
      <ul class="opts">
        <Option
          testid="setup-key"
          icon="key"
          title={t('OpenAI')}
          text={t('With an API key, kept in the system’s secret storage.')}
          onClick={() => pick('openai')}
        />
        <Option
          testid="setup-anthropic"
          icon="key"
          title={t('Anthropic')}
          text={t('Claude, with an API key.')}
          onClick={() => pick('anthropic')}
        />
        <Option
          testid="setup-other"
          icon="cloud"
          title={t('Another provider')}
          text={t('OpenRouter, Google Gemini, Azure, models of other extensions and more.')}
          onClick={() => pick('model')}
        />
        <Option
          testid="setup-local"
          icon="device-desktop"
          title={t('A model on this machine')}
          text={t('Ollama, LM Studio, llama.cpp or vLLM, found on their usual ports.')}
          onClick={() => pick('local')}
        />
        <Option
          testid="setup-endpoint"
          icon="server"
          title={t('Another server')}
          text={t('By its URL: a gateway or a server in your network, with an API like that of OpenAI or Anthropic.')}
          onClick={() => pick('endpoint')}
        />
        <Option
          testid="setup-demo"
          icon="play"
          title={t('Demo (scripted)')}
          text={t('No model: a fixed script shows what Tiller does.')}
          onClick={() => runCommand('startDemo')}
        />
      </ul>
      <p class="empty-note">{t('Tiller contacts only the server that you choose, and sends no telemetry.')}</p>
    </Empty>
  );
}

interface Suggestion {
  readonly icon: string;
  readonly text: string;
  /** The text for the composer if it differs from `text`. */
  readonly draft?: string;
}

function Ready({ settings }: { settings: PanelSettings }) {
  const { trusted, workspaceName, demoTask, sandboxPolicy, box, noSandboxCause } = settings;
  const place = workspaceName ?? t('this folder');
  const title = trusted ? t('What should we build in {0}?', place) : t('What would you like to know about {0}?', place);
  const isSandboxed = sandboxPolicy.type === 'workspace-write' && !sandboxPolicy.networkAccess && box !== 'none';
  return (
    <Empty title={title} testid="empty-ready">
      <ul class="prompts">
        {demoTask && <Prompt testid="start-demo" icon="play" text={demoTask} onClick={() => sendText(demoTask)} />}
        {suggestions(trusted).map(({ icon, text, draft = text }) => (
          <Prompt key={text} testid="suggestion" icon={icon} text={text} onClick={() => suggestDraft(draft)} />
        ))}
      </ul>
      {trusted && noSandboxCause !== undefined && (
        <p class="empty-note">
          <Icon name="warning" />
          <span>
            {t(
              'No sandbox works here, so every command that is not known to only read is asked about. {0}',
              noSandboxCause,
            )}
          </span>
        </p>
      )}
      {trusted && isSandboxed && (
        <p class="empty-note">
          <Icon name="shield" />
          <span>
            {t('Commands run in a sandbox: they can write in this workspace only and have no network.')}{' '}
            <Link testid="change-box" onClick={() => (openPopup.value = 'sandbox')}>
              {t('Change')}
            </Link>
          </span>
        </p>
      )}
    </Empty>
  );
}

function Prompt({ testid, icon, text, onClick }: Suggestion & { testid: string; onClick: () => void }) {
  return (
    <li>
      <button type="button" class="prompt" data-testid={testid} onClick={onClick}>
        <Icon name={icon} />
        <span>{text}</span>
      </button>
    </li>
  );
}

function suggestions(trusted: boolean): readonly Suggestion[] {
  const reading = [
    { icon: 'comment-discussion', text: t('Explain how this project is built and where to start reading') },
    { icon: 'search', text: t('Find the part that handles errors') },
  ];
  if (!trusted) return [{ icon: 'comment-discussion', text: t('What can you do once I trust this folder?') }];
  return [
    {
      icon: 'git-compare',
      text: t('Review my uncommitted changes'),
      draft: `/review ${t('Uncommitted Changes')}`,
    },
    { icon: 'beaker', text: t('Run the tests and fix what fails') },
    ...reading.slice(0, 1),
  ];
}
