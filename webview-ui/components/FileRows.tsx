import { useMemo } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { FileChangeSummary } from '../../src/protocol/item.ts';
import { post } from '../bridge.ts';
import { t } from '../l10n.ts';
import { diffOf, type FileDiff, parseUnifiedDiff } from '../text/diff.ts';
import { splitPath } from '../text/fileLink.ts';
import { languageOf } from '../text/highlight.ts';
import { leftUnsaved } from '../text/leftUnsaved.ts';
import { Act } from './Buttons.tsx';
import { DiffLines, placeOfHunk } from './DiffLines.tsx';
import { LineCount } from './Facts.tsx';
import { Icon } from './Icon.tsx';

const DECISION_ICONS = { accepted: 'check', edited: 'edit', partial: 'check', declined: 'circle-slash' } as const;

function tagOf(change: FileChangeSummary): string {
  if (change.decision === 'declined') return t('declined');
  if (change.decision === 'edited') return t('edited by you');
  if (change.decision === 'partial') return t('in part');
  if (change.unsaved) return leftUnsaved([change])?.words ?? '';
  if (change.discardsUnsaved && change.kind === 'delete') return t('deleted, with unsaved edits');
  if (change.discardsUnsaved) return t('unsaved edits');
  if (change.movedTo !== undefined) return t('moved from {0}', change.path);
  if (change.kind === 'add') return t('new');
  return change.kind === 'delete' ? t('deleted') : '';
}

/** Name, folder, what became of it, and how much. */
export function FileFacts(props: {
  path: string;
  tag: string;
  /** The tag in a sentence. */
  because?: string | undefined;
  added: number;
  removed: number;
  isGrowing?: boolean;
}) {
  const { path, tag, because, added, removed, isGrowing = false } = props;
  const [folder, name] = splitPath(path);
  return (
    <>
      <span class="fr-path" title={path}>
        {name} <span class="fr-dir">{folder.replace(/[\\/]$/, '')}</span>
      </span>
      {tag !== '' && (
        <span class="fr-tag" title={because}>
          {tag}
        </span>
      )}
      <span class={isGrowing ? 'fr-count is-growing' : 'fr-count'}>
        <LineCount added={added} removed={removed} />
      </span>
    </>
  );
}

/** One file of a patch: its hunks when opened. Accepting hunk by hunk will have its place in the head of each. */
function FileRow(props: { itemId: string; change: FileChangeSummary; diff: FileDiff | undefined; open: boolean }) {
  const { itemId, change, diff, open } = props;
  const wasOpened = useSignal(open);
  const path = change.movedTo ?? change.path;
  const { added, removed } = change;
  const because = leftUnsaved([change])?.sentence;
  const facts = <FileFacts path={path} tag={tagOf(change)} because={because} added={added} removed={removed} />;
  if (diff === undefined || diff.hunks.length === 0) {
    return (
      <div class="fr" data-testid="file-row">
        <div class="fr-row">
          <span class="step-icon">
            <Icon name={change.decision === undefined ? 'file' : DECISION_ICONS[change.decision]} />
          </span>
          {facts}
        </div>
      </div>
    );
  }
  const onToggle = (event: { currentTarget: HTMLDetailsElement }) => {
    if (event.currentTarget.open) wasOpened.value = true;
  };
  return (
    <details class="fr" open={open} data-testid="file-row" onToggle={onToggle}>
      <summary class="fr-row">
        <span class="step-icon">
          <Icon name="chevron-right" className="fr-chevron" />
        </span>
        {facts}
      </summary>
      {wasOpened.value &&
        diff.hunks.map((hunk, index) => {
          const place = placeOfHunk(hunk, change.kind === 'add');
          return (
            <div key={index} class="hunk">
              <div class="hunk-head">
                <span class="hunk-where">{place}</span>
                {index === 0 && (
                  <Act
                    testid="file-open-diff"
                    label={t('Open diff of {0}', path)}
                    onClick={() => post({ type: 'open_diff', itemId, path })}
                  >
                    {t('Open diff')}
                  </Act>
                )}
              </div>
              <DiffLines hunk={hunk} language={languageOf(path)} label={t('Changes in {0}, {1}', path, place)} />
            </div>
          );
        })}
    </details>
  );
}

export function FileRows(props: {
  itemId: string;
  changes: readonly FileChangeSummary[];
  diff: string;
  openFirst?: boolean;
}) {
  const { itemId, changes, diff, openFirst = false } = props;
  const diffs = useMemo(() => parseUnifiedDiff(diff), [diff]);
  return (
    <div class="files">
      {changes.map((change, index) => (
        <FileRow
          key={change.path}
          itemId={itemId}
          change={change}
          diff={diffOf(change, diffs)}
          open={openFirst && index === 0}
        />
      ))}
    </div>
  );
}
