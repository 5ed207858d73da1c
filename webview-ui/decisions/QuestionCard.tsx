import { useSignal } from '@preact/signals';
import type { Question, QuestionRequest } from '../../src/protocol/event.ts';
import { answerQuestion, interrupt } from '../actions.ts';
import { decisionTitle } from './titles.ts';
import { t } from '../l10n.ts';
import { DecisionCard } from './DecisionCard.tsx';

type ModelQuestions = Extract<QuestionRequest, { source: 'model' }>;

/** Questions of the model; one choice each, and optional text. */
export function QuestionCard({ request }: { request: ModelQuestions }) {
  const { questionId, questions } = request;
  const choices = useSignal<Readonly<Record<string, string>>>(
    Object.fromEntries(questions.map(({ id, options }) => [id, options[0]?.label ?? ''])),
  );
  const notes = useSignal<Readonly<Record<string, string>>>(Object.fromEntries(questions.map(({ id }) => [id, ''])));
  const answer = () => {
    const entries = questions.map(({ id }) => [id, [choices.value[id], notes.value[id]].filter(isSaid)] as const);
    answerQuestion({ type: 'user_input_answer', questionId, answers: Object.fromEntries(entries) });
  };
  return (
    <DecisionCard
      id={questionId}
      testid="question"
      title={decisionTitle({ type: 'question', id: questionId, request })}
      answers={[
        { testid: 'question-answer', label: t('Answer'), shortcut: 'Enter', act: answer },
        {
          testid: 'question-skip',
          label: t('Let Tiller choose'),
          act: () => answerQuestion({ type: 'user_input_answer', questionId, answers: null }),
        },
      ]}
      escape={interrupt}
    >
      {questions.map((question) => (
        <QuestionFields
          key={question.id}
          question={question}
          isOnly={questions.length === 1}
          chosen={choices.value[question.id] ?? ''}
          onChoose={(label) => (choices.value = { ...choices.value, [question.id]: label })}
          onNote={(note) => (notes.value = { ...notes.value, [question.id]: note })}
        />
      ))}
    </DecisionCard>
  );
}

function isSaid(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}

function QuestionFields(props: {
  question: Question;
  isOnly: boolean;
  chosen: string;
  onChoose: (label: string) => void;
  onNote: (note: string) => void;
}) {
  const { question, isOnly, chosen, onChoose, onNote } = props;
  return (
    <>
      <fieldset class="radios">
        <legend class={isOnly ? 'sr' : 'radios-title'}>{question.question}</legend>
        {question.options.map(({ label, description }) => (
          <label class="radio" key={label}>
            <input
              type="radio"
              name={question.id}
              data-testid="question-option"
              checked={chosen === label}
              onChange={() => onChoose(label)}
            />
            <span class="radio-text">
              <span class="radio-t">{label}</span>
              <span class="radio-s">{description}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <input
        class="input"
        data-testid="question-note"
        aria-label={t('Add a note to: {0}', question.question)}
        placeholder={question.options.length === 0 ? t('Your answer') : t('Add a note (optional)')}
        onInput={({ currentTarget }) => onNote(currentTarget.value)}
      />
    </>
  );
}
