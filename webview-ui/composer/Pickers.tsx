import type { ComponentChildren } from 'preact';
import type { PanelSettings } from '../../src/protocol/wire.ts';
import { runCommand } from '../actions.ts';
import { Icon } from '../components/Icon.tsx';
import { t } from '../l10n.ts';
import { settings } from '../store.ts';
import { openPopup, togglePopup } from '../view.ts';
import { ChoiceMenu } from './ChoiceMenu.tsx';
import {
  agentChoice,
  approvalChoices,
  approvalLabel,
  currentEffort,
  effortLabel,
  modeChoices,
  modeLabel,
  reviewChoices,
  reviewerChoices,
  sandboxChoices,
} from './choices.ts';
import { ModelMenu } from './ModelMenu.tsx';

/** A chip for each setting of the next turn. Each chip opens a menu. */
export function Pickers() {
  const { value } = settings;
  if (value === null) return null;
  const sandbox = sandboxOf(value);
  const reviews = reviewChoices();
  const reviewers = reviewerChoices();
  return (
    <div class="picks">
      <Picker
        testid="pick-mode"
        popup="mode"
        name={t('Mode')}
        label={value.mode === null ? askingLabel(value) : modeLabel(value.mode)}
        isRestricted={!value.trusted}
      >
        <ChoiceMenu
          testid="mode-menu"
          label={t('Mode')}
          opener="pick-mode"
          className="at-mode"
          sections={[
            { title: t('Mode'), choices: modeChoices() },
            { title: t('Agents'), choices: [agentChoice()] },
          ]}
        />
      </Picker>
      <Picker testid="pick-model" popup="model" name={t('Model')} label={modelLabel(value)}>
        <ModelMenu opener="pick-model" />
      </Picker>
      <Picker
        testid="pick-box"
        popup="sandbox"
        name={t('Commands run in')}
        label={sandbox.label}
        detail={value.noSandboxCause}
        icon={sandbox.isOpen ? 'warning' : 'shield'}
        isOpen={sandbox.isOpen}
        isRestricted={!value.trusted}
      >
        <ChoiceMenu
          testid="sandbox-menu"
          label={t('Sandbox and approvals')}
          opener="pick-box"
          className="at-box"
          sections={[
            { title: t('Sandbox'), choices: sandboxChoices() },
            { title: t('Approvals'), choices: approvalChoices() },
            ...(reviewers.length > 0 ? [{ title: t('Commands in the sandbox'), choices: reviewers }] : []),
            ...(reviews.length > 0 ? [{ title: t('Patches'), choices: reviews }] : []),
          ]}
        />
      </Picker>
    </div>
  );
}

function Picker(props: {
  testid: 'pick-mode' | 'pick-model' | 'pick-box';
  popup: 'mode' | 'model' | 'sandbox';
  name: string;
  label: string;
  icon?: string;
  /** The reason why this value is set. */
  detail?: string | undefined;
  /** True if commands run without a sandbox. */
  isOpen?: boolean;
  /** True if Restricted Mode sets the value: then a click opens the workspace trust editor. */
  isRestricted?: boolean;
  /** The menu. */
  children: ComponentChildren;
}) {
  const { testid, popup, name, label, icon, isRestricted = false, children } = props;
  const detail = isRestricted ? t('Restricted Mode: trust this folder to change it.') : props.detail;
  const title = t('{0}: {1}', name, label);
  const isExpanded = openPopup.value === popup && !isRestricted;
  return (
    <>
      <button
        type="button"
        class={`pick ${testid}${props.isOpen === true ? ' is-open' : ''}`}
        data-testid={testid}
        aria-haspopup={isRestricted ? undefined : popup === 'model' ? 'dialog' : 'menu'}
        aria-expanded={isRestricted ? undefined : isExpanded}
        title={detail === undefined ? title : `${title}\n${detail}`}
        aria-label={title}
        onClick={() => (isRestricted ? runCommand('manageTrust') : togglePopup(popup))}
        onKeyDown={(event) => {
          if (isRestricted || isExpanded || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
          event.preventDefault();
          togglePopup(popup);
        }}
      >
        {icon && <Icon name={icon} />}
        <span class="pick-label">{label}</span>
        <Icon name="chevron-down" className="pick-chevron" />
      </button>
      {isExpanded && children}
    </>
  );
}

/** Returns when Tiller asks, and that a model may answer. */
function askingLabel({ approvalPolicy, reviewer }: PanelSettings): string {
  const isReviewed = reviewer === 'model' && reviewerChoices().length > 0;
  return isReviewed ? t('A model reviews') : approvalLabel(approvalPolicy);
}

/** Returns the name of the model, with its effort if one is set. */
function modelLabel(value: PanelSettings): string {
  const { model, demo } = value;
  if (model === null) return t('No model');
  if (demo) return t('demo (scripted)');
  const effort = currentEffort(value);
  return effort === null ? model : t('{0} · {1}', model, effortLabel(effort));
}

/** Describes the sandbox of commands. `isOpen`: commands run without a sandbox. */
function sandboxOf({ sandboxPolicy, box, trusted }: PanelSettings): { label: string; isOpen: boolean } {
  if (!trusted) return { label: t('No commands'), isOpen: false };
  if (sandboxPolicy.type === 'danger-full-access' || box === 'none') return { label: t('No sandbox'), isOpen: true };
  if (sandboxPolicy.type === 'external-sandbox') return { label: t('External sandbox'), isOpen: false };
  if (sandboxPolicy.type === 'read-only') return { label: t('Read-only'), isOpen: false };
  return { label: sandboxPolicy.networkAccess ? t('Workspace + network') : t('Workspace'), isOpen: false };
}
