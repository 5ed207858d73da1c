import { Fragment } from 'preact';
import { useMemo } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import type { FileChangeSummary } from '../../src/protocol/item.ts';
import { isTouched, type ReviewedFile } from '../../src/protocol/review.ts';
import { post } from '../bridge.ts';
import { t } from '../l10n.ts';
import { type DiffHunk, diffOf, type FileDiff, parseUnifiedDiff } from '../text/diff.ts';
import { splitPath } from '../text/fileLink.ts';
import { languageOf } from '../text/highlight.ts';
import { leftUnsaved } from '../text/leftUnsaved.ts';
import { Act } from './Buttons.tsx';
import { DiffLines, placeOfHunk } from './DiffLines.tsx';
import { LineCount } from './Facts.tsx';
import { HunkReason } from './HunkReason.tsx';
import { HunkTick } from './HunkTick.tsx';
import { Icon } from './Icon.tsx';

const DECISION_ICONS = { accepted: 'check', edited: 'edit', partial: 'check', declined: 'circle-slash' } as const;

function tagOf(change: FileChangeSummary): string {
  if (change.decision === 'declined') return t('declined');
  if (change.decision === 'edited') return t('edited by you');
  if (change.decision === 'partial') return t('partial');
  if (change.unsaved) return leftUnsaved([change])?.words ?? '';
  if (change.discardsUnsaved && change.kind === 'delete') return t('deleted, unsaved edits');
  if (change.discardsUnsaved) return t('unsaved edits');
  if (change.movedTo !== undefined) return t('moved from {0}', change.path);
  if (change.kind === 'add') return t('new');
  return change.kind === 'delete' ? t('deleted') : '';
}

/** Describes the user's choices in this file so far; empty if there are none. */
function choiceTag(file: ReviewedFile | undefined): string {
  if (file === undefined || !isTouched(file)) return '';
  if (file.isOut) return t('rejected');
  return file.isEdited ? t('edited by you') : t('partial');
}

/** Allows line breaks in a long path after a separator and before a dot, but not within a word. */
export function breakable(path: string) {
  return path.split(/(?<=[\\/_-])|(?=\.)/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

/** Shows a file's name, folder, kind of change and line counts. */
export function FileFacts(props: {
  path: string;
  tag: string;
  /** A sentence that explains the tag. */
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
        {breakable(name)} <span class="fr-dir">{breakable(folder.replace(/[\\/]$/, ''))}</span>
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

/** The choices that the user has in a pending patch. */
export interface Choices {
  readonly files: readonly ReviewedFile[];
  /** `hunk` is `null` for the whole file. */
  readonly choose: (path: string, hunk: number | null, wanted: 'in' | 'out') => void;
  /** Sets the reason for the rejection; empty for no reason. */
  readonly explain: (path: string, hunk: number | null, reason: string) => void;
}

interface FileRowProps {
  itemId: string;
  change: FileChangeSummary;
  diff: FileDiff | undefined;
  open: boolean;
  choices?: Choices | undefined;
}

/** One file of a patch, with its hunks when opened. The checkbox is beside the toggle, not inside. */
function FileRow(props: FileRowProps) {
  const { change, choices } = props;
  const file = choices?.files.find(({ path }) => path === change.path);
  if (choices === undefined || file === undefined) return <FileHunks {...props} />;
  return (
    <div class="fr-pick">
      <HunkTick
        testid="file-tick"
        label={t('Include {0}', change.movedTo ?? change.path)}
        isTaken={!file.isOut}
        isPartly={!file.isOut && isTouched(file)}
        onChoose={(wanted) => choices.choose(change.path, null, wanted)}
      />
      <FileHunks {...props} file={file} />
      {file.isOut && (
        <HunkReason
          label={t('Why is {0} rejected?', change.movedTo ?? change.path)}
          given={reasonFor(file, null)}
          onGive={(reason) => choices.explain(change.path, null, reason)}
        />
      )}
    </div>
  );
}

function reasonFor({ reasons }: ReviewedFile, hunk: number | null): string {
  return reasons.find((each) => each.hunk === hunk)?.text ?? '';
}

/** The user's reasons for rejecting parts of a file, after the patch was answered. */
function SaidReasons({ reasons }: { reasons: readonly string[] | undefined }) {
  if (reasons === undefined) return null;
  return (
    <div class="fr-said" data-testid="file-reasons">
      {reasons.map((reason, index) => (
        <p key={index}>{t('You: {0}', reason)}</p>
      ))}
    </div>
  );
}

interface FileHunksProps extends FileRowProps {
  file?: ReviewedFile;
}

function FileHunks(props: FileHunksProps) {
  const { change, diff, open, file } = props;
  const wasOpened = useSignal(open);
  const path = change.movedTo ?? change.path;
  const { added, removed } = change;
  const because = leftUnsaved([change])?.sentence;
  const facts = (
    <FileFacts path={path} tag={choiceTag(file) || tagOf(change)} because={because} added={added} removed={removed} />
  );
  if (diff === undefined || diff.hunks.length === 0) {
    return (
      <div class="fr" data-testid="file-row">
        <div class="fr-row">
          <span class="step-icon">
            <Icon name={change.decision === undefined ? 'file' : DECISION_ICONS[change.decision]} />
          </span>
          {facts}
        </div>
        <SaidReasons reasons={change.reasons} />
      </div>
    );
  }
  const onToggle = (event: { currentTarget: HTMLDetailsElement }) => {
    if (event.currentTarget.open) wasOpened.value = true;
  };
  return (
    <>
      <details class="fr" open={open} data-testid="file-row" onToggle={onToggle}>
        <summary class="fr-row">
          <span class="step-icon">
            <Icon name="chevron-right" className="fr-chevron" />
          </span>
          {facts}
        </summary>
        {wasOpened.value &&
          diff.hunks.map((hunk, index) => (
            <HunkRow key={index} {...props} path={path} hunk={hunk} index={index} isOnly={diff.hunks.length === 1} />
          ))}
      </details>
      <SaidReasons reasons={change.reasons} />
    </>
  );
}

/** One hunk of an opened file. `path`: as it is after the change. */
function HunkRow(props: FileHunksProps & { path: string; hunk: DiffHunk; index: number; isOnly: boolean }) {
  const { itemId, change, choices, file, path, hunk, index, isOnly } = props;
  const place = placeOfHunk(hunk, change.kind === 'add');
  const state = file?.hunks[index] ?? 'in';
  const isOut = state === 'out';
  const canBeChosen = choices !== undefined && file !== undefined && !isOnly;
  return (
    <div class={isOut ? 'hunk is-decided' : 'hunk'} data-testid="hunk" data-state={state}>
      <div class="hunk-head">
        {canBeChosen && (
          <HunkTick
            testid="hunk-tick"
            label={t('Include {0}, {1}', path, place)}
            isTaken={!isOut}
            isPartly={state === 'edited'}
            onChoose={(wanted) => choices.choose(change.path, index, wanted)}
          />
        )}
        <span class="hunk-where">{place}</span>
        {state !== 'in' && <span class="hunk-state">{isOut ? t('rejected') : t('edited by you')}</span>}
        {index === 0 && (
          <Act
            testid="file-open-diff"
            label={t('Open Diff of {0}', path)}
            onClick={() => post({ type: 'open_diff', itemId, path: change.path })}
          >
            {t('Open Diff')}
          </Act>
        )}
      </div>
      {canBeChosen && isOut && (!file.isOut || reasonFor(file, index) !== '') && (
        <HunkReason
          label={t('Why is {0}, {1} rejected?', path, place)}
          given={reasonFor(file, index)}
          onGive={(reason) => choices.explain(change.path, index, reason)}
        />
      )}
      {!isOut && <DiffLines hunk={hunk} language={languageOf(path)} label={t('Changes in {0}, {1}', path, place)} />}
    </div>
  );
}

/** The files of a patch, each with its diff once it is opened. `diff`: of all files. `choices`: of a proposal. */
export function FileRows(props: {
  itemId: string;
  changes: readonly FileChangeSummary[];
  diff: string;
  openFirst?: boolean;
  choices?: Choices | undefined;
}) {
  const { itemId, changes, diff, openFirst = false, choices } = props;
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
          choices={choices}
        />
      ))}
    </div>
  );
}

/** The lines added and removed by all changes together. */
export function sumOf(changes: readonly { added: number; removed: number }[]): { added: number; removed: number } {
  return {
    added: changes.reduce((sum, change) => sum + change.added, 0),
    removed: changes.reduce((sum, change) => sum + change.removed, 0),
  };
}
