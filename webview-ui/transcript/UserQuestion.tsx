import type { TurnItemOf } from '../../src/protocol/item.ts';
import { answerIn } from '../../src/protocol/text/answers.ts';
import { inOneLine } from '../../src/protocol/text/truncate.ts';
import { plural, t } from '../l10n.ts';
import { CALL_STATES, Step } from '../components/Step.tsx';

/** Questions of the model with the user's answers, or the reason why there are none. */
export function UserQuestion({ item }: { item: TurnItemOf<'user_question'> }) {
  const { questions, answers, status, why } = item;
  const [first] = questions;
  return (
    <Step
      testid="user-question"
      icon="comment"
      state={status === 'in_progress' ? 'waiting' : CALL_STATES[status]}
      title={first?.question}
      label={labelOf(item)}
      body={() => (
        <>
          <dl class="choices">
            {questions.map(({ id, question }) => (
              <div key={id}>
                <dt>{question}</dt>
                <dd>{answerIn(answers, id) || noAnswer(status)}</dd>
              </div>
            ))}
          </dl>
          {why !== undefined && <p class="why">{why}</p>}
        </>
      )}
    />
  );
}

/**
 * Returns the label of the line. It uses the short header of the question, to leave space for the answer in a narrow
 * panel.
 */
function labelOf({ questions, answers }: TurnItemOf<'user_question'>): string {
  const [first, ...others] = questions;
  if (first === undefined || others.length > 0) {
    return plural(questions.length, 'Asked you {0} question', 'Asked you {0} questions');
  }
  const answer = answerIn(answers, first.id);
  return answer === '' ? t('Asked you: {0}', first.question) : t('{0}: {1}', first.header, inOneLine(answer));
}

function noAnswer(status: TurnItemOf<'user_question'>['status']): string {
  return status === 'in_progress' ? t('No answer yet') : t('No answer');
}
