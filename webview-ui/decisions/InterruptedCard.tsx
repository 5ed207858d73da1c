import type { InterruptedPatch, RecoveryChoice } from '../../src/protocol/wire.ts';
import { post } from '../bridge.ts';
import { decisionTitle } from './titles.ts';
import { plural, t } from '../l10n.ts';
import { ago } from '../text/ago.ts';
import { DecisionCard } from './DecisionCard.tsx';
import { FileFacts } from '../components/FileRows.tsx';
import { Icon } from '../components/Icon.tsx';

/** The card of an interrupted patch: its files, and the two choices for recovery. */
export function InterruptedCard({ patch }: { patch: InterruptedPatch }) {
  const { id, startedAt, count, files, settling } = patch;
  const settle = (way: RecoveryChoice) => post({ type: 'settle_patch', patchId: id, way });
  const disabled = settling !== null;
  const hidden = count - files.length;
  return (
    <DecisionCard
      id={id}
      testid="interrupted"
      title={decisionTitle({ type: 'interrupted', id, patch })}
      icon="warning"
      isRisky
      answers={[
        {
          testid: 'interrupted-put-back',
          label: t('Roll Back'),
          shortcut: 'Enter',
          disabled,
          act: () => settle('roll_back'),
        },
        { testid: 'interrupted-finish', label: t('Finish'), shortcut: 'F', disabled, act: () => settle('finish') },
      ]}
    >
      <p class="decide-lead" role="status">
        {settling === null ? question(startedAt) : progress(settling)}
      </p>
      <ul class="files cut-files" tabIndex={0} aria-label={t('Files of the patch')}>
        {files.map(({ path, kind }) => (
          <li key={path} class="fr" data-testid="interrupted-file">
            <div class="fr-row">
              <span class="step-icon">
                <Icon name="file" />
              </span>
              <FileFacts path={path} tag={tagOf(kind)} added={0} removed={0} />
            </div>
          </li>
        ))}
      </ul>
      {hidden > 0 && <p class="decide-lead is-hung">{plural(hidden, 'and {0} more file', 'and {0} more files')}</p>}
    </DecisionCard>
  );
}

function question(startedAt: string): string {
  return t(
    'It was interrupted while it was applied ({0}): some files are changed, others are not. Roll every file back, or finish the patch? Files that were changed since are left alone.',
    ago(startedAt, Date.now()),
  );
}

function progress(way: RecoveryChoice): string {
  return way === 'roll_back' ? t('Rolling the patch back…') : t('Finishing the patch…');
}

function tagOf(kind: InterruptedPatch['files'][number]['kind']): string {
  const tags = { add: t('new'), update: '', delete: t('deleted') };
  return tags[kind];
}
