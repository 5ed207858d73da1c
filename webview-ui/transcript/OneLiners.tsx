import type { ComponentChild } from 'preact';
import { firstLine } from '../../src/protocol/text/truncate.ts';
import type { TurnItemOf } from '../../src/protocol/item.ts';
import { post } from '../bridge.ts';
import { say, t } from '../l10n.ts';
import { visibleKeys } from '../text/format.ts';
import { splitPath } from '../text/fileLink.ts';
import { Act } from '../components/Buttons.tsx';
import { Soft } from '../components/Facts.tsx';
import { PlanList, planFacts } from '../components/PlanList.tsx';
import { CALL_STATES, Step } from '../components/Step.tsx';

/** An image that the model has looked at. */
export function ImageView({ item }: { item: TurnItemOf<'image_view'> }) {
  const { path, status, why, width, height } = item;
  const name = <code>{splitPath(path)[1]}</code>;
  return (
    <div class="step-line">
      <Step
        testid="image-view"
        icon="device-camera"
        state={CALL_STATES[status]}
        title={path}
        label={imageLabel(status, name)}
        meta={width !== undefined && height !== undefined && <Soft>{t('{0} × {1}', width, height)}</Soft>}
        {...(why === undefined ? {} : { body: () => <p class="why">{why}</p> })}
      />
      <span class="step-acts">
        <Act testid="image-open" label={t('Open {0}', path)} onClick={() => post({ type: 'open_file', path })}>
          {t('Open')}
        </Act>
      </span>
    </div>
  );
}

function imageLabel(status: TurnItemOf<'image_view'>['status'], name: ComponentChild) {
  switch (status) {
    case 'in_progress':
      return say('Viewing {0}', name);
    case 'completed':
      return say('Viewed {0}', name);
    case 'failed':
    case 'declined':
    case 'aborted':
      return say('Did not view {0}', name);
  }
}

const LOOKUP_ICONS = { read: 'book', list: 'list-unordered', search: 'search', memory: 'history' } as const;

/** A read of a file or a folder, or a search. */
export function FileLookup({ item }: { item: TurnItemOf<'file_lookup'> }) {
  const { why } = item;
  return (
    <Step
      testid="file-lookup"
      icon={LOOKUP_ICONS[item.action]}
      state={CALL_STATES[item.status]}
      title={item.path}
      label={lookupLabel(item)}
      {...(why === undefined ? {} : { body: () => <p class="why">{why}</p> })}
    />
  );
}

function lookupLabel({ action, path, pattern = '', status }: TurnItemOf<'file_lookup'>) {
  const name = <code>{splitPath(path)[1] || path}</code>;
  const isRunning = status === 'in_progress';
  switch (action) {
    case 'read':
      return isRunning ? say('Reading {0}', name) : say('Read {0}', name);
    case 'list':
      return isRunning ? say('Listing {0}', name) : say('Listed {0}', name);
    case 'search':
      return isRunning
        ? say('Searching {0} in {1}', <code>{firstLine(pattern)}</code>, name)
        : say('Searched {0} in {1}', <code>{firstLine(pattern)}</code>, name);
    case 'memory':
      return isRunning ? say('Reading the memory of {0}', <q>{path}</q>) : say('Read the memory of {0}', <q>{path}</q>);
  }
}

/** Input for a background process, or a wait for its output. */
export function ProcessInteraction({ item }: { item: TurnItemOf<'process_interaction'> }) {
  const command = <code>{firstLine(item.command)}</code>;
  return (
    <Step
      testid="process-interaction"
      icon={item.chars === '' ? 'eye' : 'keyboard'}
      state={item.status === 'in_progress' ? 'running' : item.status === 'aborted' ? 'denied' : 'done'}
      title={item.command}
      label={
        item.chars === ''
          ? say(item.status === 'in_progress' ? 'Waiting for {0}' : 'Waited for {0}', command)
          : say('Sent {0} to {1}', <code>{visibleKeys(item.chars)}</code>, command)
      }
    />
  );
}

/** A plan in the version that this item wrote. */
export function PlanItem({ item }: { item: TurnItemOf<'plan'> }) {
  const { done, total } = planFacts(item.steps);
  return (
    <Step
      testid="plan-item"
      icon="checklist"
      label={t('Planned {0} steps', total)}
      meta={t('{0}/{1}', done, total)}
      body={() => <PlanList steps={item.steps} />}
    />
  );
}
