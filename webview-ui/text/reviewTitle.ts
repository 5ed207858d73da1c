import type { ReviewTarget } from '../../src/protocol/codeReview.ts';
import { t } from '../l10n.ts';

/** Returns the title of a review, for example “Review of uncommitted changes”. */
export function reviewTitle(target: ReviewTarget): string {
  switch (target.type) {
    case 'uncommitted':
      return t('Review of uncommitted changes');
    case 'branch':
      return t('Review of changes against {0}', target.branch);
    case 'commit':
      return target.title === undefined
        ? t('Review of commit {0}', target.commit)
        : t('Review of commit {0}: {1}', target.commit, target.title);
  }
}
