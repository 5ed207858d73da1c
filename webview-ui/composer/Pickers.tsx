import type { ChatMode } from '../../src/protocol/policy.ts';
import type { ReasoningEffort } from '../../src/protocol/op.ts';
import type { PanelSettings, WebviewMessage } from '../../src/protocol/wire.ts';
import { pick, runCommand } from '../actions.ts';
import { t } from '../l10n.ts';
import { effort, settings } from '../store.ts';
import { Icon } from '../components/Icon.tsx';

/** The settings of the next turn. The host shows the menus. */
export function Pickers() {
  const { value } = settings;
  if (value === null) return null;
  const box = sandboxOf(value);
  return (
    <div class="picks">
      <Picker
        testid="pick-mode"
        className="pick-mode"
        what="mode"
        name={t('Mode')}
        label={modeLabel(value.mode)}
        isRestricted={!value.trusted}
      />
      <Picker testid="pick-model" className="pick-model" what="model" name={t('Model')} label={modelLabel(value)} />
      {value.efforts !== null && value.model !== null && (
        <Picker
          testid="pick-effort"
          className="pick-effort"
          what="effort"
          name={t('Reasoning effort')}
          label={effortLabel(effort.value ?? value.effort)}
        />
      )}
      <Picker
        testid="pick-box"
        className={box.isOpen ? 'pick-box is-open' : 'pick-box'}
        what="sandbox"
        name={t('Commands run in')}
        label={box.label}
        detail={value.noSandboxCause}
        icon={box.isOpen ? 'warning' : 'shield'}
        isRestricted={!value.trusted}
      />
    </div>
  );
}

function Picker(props: {
  testid: string;
  className: string;
  what: Extract<WebviewMessage, { type: 'pick' }>['what'];
  name: string;
  label: string;
  icon?: string;
  /** The reason for the value. */
  detail?: string | undefined;
  /** Set by Restricted Mode: a click opens the workspace trust editor. */
  isRestricted?: boolean;
}) {
  const { testid, className, what, name, label, icon, isRestricted = false } = props;
  const detail = isRestricted ? t('Restricted Mode: trust this folder to change it.') : props.detail;
  const title = t('{0}: {1}', name, label);
  return (
    <button
      type="button"
      class={`pick ${className}`}
      data-testid={testid}
      aria-haspopup={isRestricted ? undefined : 'menu'}
      title={detail === undefined ? title : `${title}\n${detail}`}
      aria-label={title}
      onClick={() => (isRestricted ? runCommand('manageTrust') : pick(what))}
    >
      {icon && <Icon name={icon} />}
      <span class="pick-label">{label}</span>
      <Icon name="chevron-down" className="pick-chevron" />
    </button>
  );
}

export function modeLabel(mode: PanelSettings['mode']): string {
  const labels: Record<ChatMode, string> = {
    chat: t('Chat'),
    agent: t('Agent'),
    plan: t('Plan'),
    'full-access': t('Full access'),
  };
  return mode === null ? t('Custom') : labels[mode];
}

function modelLabel({ model, models, demo }: PanelSettings): string {
  if (model === null) return t('No model');
  if (demo) return t('demo (scripted)');
  return models.find(({ id }) => id === model)?.label ?? model;
}

export function effortLabel(effort: ReasoningEffort | null): string {
  if (effort === null) return t('Default effort');
  const labels: Record<ReasoningEffort, string> = {
    none: t('None'),
    minimal: t('Minimal'),
    low: t('Low'),
    medium: t('Medium'),
    high: t('High'),
    xhigh: t('Extra high'),
  };
  return labels[effort];
}

/** `isOpen`: commands run without a sandbox. */
function sandboxOf({ sandboxPolicy, box, trusted }: PanelSettings): { label: string; isOpen: boolean } {
  if (!trusted) return { label: t('No commands'), isOpen: false };
  if (sandboxPolicy.type === 'danger-full-access' || box === 'none') return { label: t('No sandbox'), isOpen: true };
  if (sandboxPolicy.type === 'external-sandbox') return { label: t('Outer sandbox'), isOpen: false };
  if (sandboxPolicy.type === 'read-only') return { label: t('Read only'), isOpen: false };
  return { label: sandboxPolicy.networkAccess ? t('Workspace, network') : t('Workspace'), isOpen: false };
}
