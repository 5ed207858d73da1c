import type { QuestionRequest } from '../../src/protocol/event.ts';
import { answerQuestion } from '../actions.ts';
import { DecisionCard } from './DecisionCard.tsx';
import { decisionTitle } from './titles.ts';

type TillerQuestion = Extract<QuestionRequest, { source: 'tiller' }>;

/** A question that Tiller itself asks: a button for each option. The first option continues, the last one stops. */
export function ChoiceCard({ request }: { request: TillerQuestion }) {
  const { questionId, questions } = request;
  const [question] = questions;
  if (question === undefined) return null;
  const { id, options } = question;
  const choose = (label: string) => () =>
    answerQuestion({ type: 'user_input_answer', questionId, answers: { [id]: [label] } });
  const [first, ...others] = options;
  const last = others.at(-1);
  return (
    <DecisionCard
      id={questionId}
      testid="question"
      title={decisionTitle({ type: 'question', id: questionId, request })}
      answers={
        first ? [{ testid: 'choice-first', label: first.label, shortcut: 'Enter', act: choose(first.label) }] : []
      }
      stop={last && { testid: 'choice-last', label: last.label, shortcut: 'Esc', act: choose(last.label) }}
    >
      <dl class="choices">
        {options.map(({ label, description }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
    </DecisionCard>
  );
}
