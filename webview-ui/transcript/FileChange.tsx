import { useComputed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { FileChangeSummary, PatchProblems, TurnItemOf } from '../../src/protocol/item.ts';
import { changesTaken } from '../../src/protocol/review.ts';
import { post } from '../bridge.ts';
import { plural, say, t } from '../l10n.ts';
import { cwd, denialOf, isOnlyRequest, waitingItems } from '../store.ts';
import { splitPath } from '../text/fileLink.ts';
import { languageOf } from '../text/highlight.ts';
import { leftUnsaved } from '../text/leftUnsaved.ts';
import { problemCounts } from '../text/patchProblems.ts';
import { isWritten, patchReader, patchTail } from '../text/patchProgress.ts';
import { whyNot } from '../text/whyNot.ts';
import { Act } from '../components/Buttons.tsx';
import { DiffLines } from '../components/DiffLines.tsx';
import { LineCount } from '../components/Facts.tsx';
import { FileFacts, FileRows, sumOf } from '../components/FileRows.tsx';
import { Icon, Spinner } from '../components/Icon.tsx';
import { refusalFacts, Step } from '../components/Step.tsx';

type FileChangeItem = TurnItemOf<'file_change'>;

/** Shows a patch, in a form that depends on its state. */
export function FileChange({ item }: { item: FileChangeItem }) {
  if (waitingItems.value.has(item.id)) return <WaitingChange item={item} />;
  switch (item.status) {
    case 'in_progress':
      return <GrowingChange item={item} />;
    case 'completed':
      return <AppliedChange item={item} />;
    case 'declined':
      return <DeniedChange item={item} />;
    case 'failed':
    case 'aborted':
      return <UnappliedChange item={item} />;
  }
}

/** Names the changed files: `client.ts`, `client.ts and retry.ts`, `3 files`. */
function subjectOf(changes: readonly FileChangeSummary[]) {
  const [first, second] = changes.map((change) => <code>{splitPath(change.movedTo ?? change.path)[1]}</code>);
  if (changes.length === 1) return say('{0}', first);
  return changes.length === 2 ? say('{0} and {1}', first, second) : [plural(changes.length, '{0} file', '{0} files')];
}

function WaitingChange({ item }: { item: FileChangeItem }) {
  return (
    <Step
      testid="file-change"
      icon="edit"
      state="waiting"
      label={
        isOnlyRequest.value
          ? t('Needs approval')
          : t('Needs approval: {0}', plural(item.changes.length, '{0} file', '{0} files'))
      }
    />
  );
}

/** A patch while the model writes it; then one line while it is planned, applied and checked for problems. */
function GrowingChange({ item }: { item: FileChangeItem }) {
  const read = useMemo(patchReader, [item.id]);
  const files = useMemo(() => read(item.patch ?? ''), [read, item.patch]);
  const tail = useMemo(() => patchTail(item.patch ?? ''), [item.patch]);
  // An approved patch already has `changes`. Its preview must not be counted, because that includes what the user has
  // rejected.
  if (item.changes.length > 0 || isWritten(item.patch ?? '')) {
    return <Step testid="file-change" icon="edit" state="running" label={t('Checking changes')} />;
  }
  if (files.length === 0) {
    return <Step testid="file-change" icon="edit" state="running" label={t('Writing changes')} />;
  }
  return (
    <div class="patch" role="group" aria-label={t('Writing changes')} data-testid="patch-growing">
      <div class="patch-head">
        <span class="step-icon">
          <Spinner />
        </span>
        <span class="patch-title">{t('Writing changes')}</span>
        <span class="fr-count is-growing">
          <LineCount {...sumOf(files)} />
        </span>
        <Act
          testid="patch-growing-diff"
          label={t('Open Diff of {0}', files.at(-1)?.path ?? '')}
          onClick={() => post({ type: 'open_diff', itemId: item.id })}
        >
          {t('Open Diff')}
        </Act>
      </div>
      <div class="files">
        {files.map((file, index) => {
          const isGrowing = index === files.length - 1;
          return (
            <div class="fr" key={file.path}>
              <div class="fr-row">
                <span class="step-icon">{isGrowing ? <Spinner /> : <Icon name="file" />}</span>
                <FileFacts {...file} tag={file.kind === 'add' ? t('new') : ''} isGrowing={isGrowing} />
              </div>
              {isGrowing && tail.length > 0 && (
                <DiffLines
                  hunk={{ lines: null, section: '', content: tail }}
                  language={languageOf(file.path)}
                  label={t('Last lines of {0}', file.path)}
                />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Files({ item }: { item: FileChangeItem }) {
  return (
    <div class="patch">
      <FileRows itemId={item.id} changes={item.changes} diff={item.diff} openFirst={item.changes.length === 1} />
    </div>
  );
}

function AppliedChange({ item }: { item: FileChangeItem }) {
  const taken = changesTaken(item.changes);
  return (
    <>
      <Step
        testid="file-change"
        icon="edit"
        label={
          taken.length > 0 && taken.length < item.changes.length
            ? t('Edited {0} of {1} files', taken.length, item.changes.length)
            : say('Edited {0}', subjectOf(taken))
        }
        meta={
          <>
            <LeftUnsaved changes={taken} />
            <LineCount {...sumOf(taken)} />
          </>
        }
        body={() => <Files item={item} />}
        foot={
          <Act testid="file-change-review" onClick={() => post({ type: 'open_diff', itemId: item.id })}>
            {t('Review')}
          </Act>
        }
      />
      {item.problems && <Problems problems={item.problems} />}
    </>
  );
}

/**
 * A row below the patch with the problems that the editor reports after it. A click opens VS Code's list of problems.
 */
function Problems({ problems }: { problems: PatchProblems }) {
  const counts = problemCounts(problems);
  const { errors, checking } = problems;
  if (counts === null && checking.length === 0) return null;
  const pending = checking.length > 0 && (
    <span class="patch-checking" title={checking.join(', ')}>
      {plural(checking.length, '{0} file was still being checked', '{0} files were still being checked')}
    </span>
  );
  return (
    <p class={errors > 0 ? 'patch-problems has-errors' : 'patch-problems'} data-testid="file-change-problems">
      <span class="step-icon">
        <Icon name={errors > 0 ? 'error' : 'checklist'} />
      </span>
      <span>
        {counts !== null && (
          <Act
            testid="file-change-show-problems"
            label={t('{0}: show Problems', counts)}
            onClick={() => post({ type: 'show_problems' })}
          >
            {counts}
          </Act>
        )}
        {counts !== null && pending && ' · '}
        {pending}
      </span>
    </p>
  );
}

/** Warns that the change is not saved: commands would read the old file from the disk. */
function LeftUnsaved({ changes }: { changes: readonly FileChangeSummary[] }) {
  const left = leftUnsaved(changes);
  if (left === null) return null;
  return (
    <span class="step-note" data-testid="file-change-unsaved" title={left.sentence}>
      {left.words}
    </span>
  );
}

function DeniedChange({ item }: { item: FileChangeItem }) {
  const denial = useComputed(() => denialOf(item.id)).value;
  return (
    <Step
      testid="file-change"
      icon="edit"
      state="denied"
      label={say('Denied changes to {0}', subjectOf(item.changes))}
      {...refusalFacts(denial, item)}
      body={item.changes.length === 0 ? undefined : () => <Files item={item} />}
    />
  );
}

function UnappliedChange({ item }: { item: FileChangeItem }) {
  const isFailed = item.status === 'failed';
  const { line, rest } = whyNot(item.why, cwd.value);
  const state = isFailed ? 'failed' : 'denied';
  const whole = rest === '' ? null : <pre class="io-pre">{rest}</pre>;
  if (item.changes.length === 0) {
    return (
      <Step
        testid="file-change"
        icon="edit"
        state={state}
        label={t('No change was made')}
        word={line}
        body={whole === null ? undefined : () => whole}
      />
    );
  }
  return (
    <Step
      testid="file-change"
      icon="edit"
      state={state}
      label={say(isFailed ? t('Could not edit {0}') : t('Stopped before editing {0}'), subjectOf(item.changes))}
      word={line}
      body={() => (
        <>
          {whole}
          <Files item={item} />
        </>
      )}
    />
  );
}
