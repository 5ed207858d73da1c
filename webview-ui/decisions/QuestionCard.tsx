import { useSignal } from '@preact/signals';
import type { QuestionRequest } from '../../src/protocol/event.ts';
import type { Question } from '../../src/protocol/question.ts';
import { answerQuestion, interrupt } from '../actions.ts';
import { decisionTitle } from './titles.ts';
import { t } from '../l10n.ts';
import { DecisionCard } from './DecisionCard.tsx';

type ModelQuestions = Extract<QuestionRequest, { source: 'model' }>;

/** The user's choice: the option with this label, or an answer in the user's own words. */
type Choice = { readonly type: 'option'; readonly label: string } | { readonly type: 'other' };

/**
 * The card with questions of the model, with one choice each: the first option unless the user chooses another or
 * writes an answer.
 */
export function QuestionCard({ request }: { request: ModelQuestions }) {
  const { questionId, questions } = request;
  const choices = useSignal<ReadonlyMap<string, Choice>>(new Map(questions.map((asked) => [asked.id, firstOf(asked)])));
  const texts = useSignal<ReadonlyMap<string, string>>(new Map());
  const choose = (id: string, choice: Choice) => (choices.value = new Map([...choices.value, [id, choice]]));
  const answerTo = (id: string) => {
    const choice = choices.value.get(id);
    return choice?.type === 'option' ? choice.label : (texts.value.get(id) ?? '').trim();
  };
  const isComplete = questions.every(({ id }) => answerTo(id) !== '');
  const answer = () => {
    const answers = Object.fromEntries(questions.map(({ id }) => [id, [answerTo(id)]]));
    answerQuestion({ type: 'user_input_answer', questionId, answers });
  };
  return (
    <DecisionCard
      id={questionId}
      testid="question"
      title={decisionTitle({ type: 'question', id: questionId, request })}
      answers={[
        { testid: 'question-answer', label: t('Answer'), shortcut: 'Enter', disabled: !isComplete, act: answer },
        {
          testid: 'question-skip',
          label: t('Let Tiller Choose'),
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
          chosen={choices.value.get(question.id) ?? OTHER}
          text={texts.value.get(question.id) ?? ''}
          onChoose={(choice) => choose(question.id, choice)}
          onText={(text) => {
            texts.value = new Map([...texts.value, [question.id, text]]);
            choose(question.id, OTHER);
          }}
          onEnter={() => isComplete && answer()}
        />
      ))}
    </DecisionCard>
  );
}

const OTHER: Choice = { type: 'other' };

function firstOf({ options }: Question): Choice {
  const [first] = options;
  return first === undefined ? OTHER : { type: 'option', label: first.label };
}

function QuestionFields(props: {
  question: Question;
  isOnly: boolean;
  chosen: Choice;
  text: string;
  onChoose: (choice: Choice) => void;
  onText: (text: string) => void;
  /** Called at Enter in the text field. */
  onEnter: () => void;
}) {
  const { question, isOnly, chosen, text, onChoose, onText, onEnter } = props;
  const { id, header, options } = question;
  return (
    <fieldset class="radios">
      <legend class={isOnly ? 'sr' : 'radios-title'}>
        {!isOnly && header !== '' && <span class="radios-header">{header}</span>}
        {question.question}
      </legend>
      {options.map(({ label, description }) => (
        <label class="radio" key={label}>
          <input
            type="radio"
            name={id}
            data-testid="question-option"
            checked={chosen.type === 'option' && chosen.label === label}
            onChange={() => onChoose({ type: 'option', label })}
          />
          <span class="radio-text">
            <span class="radio-t">{label}</span>
            <span class="radio-s">{description}</span>
          </span>
        </label>
      ))}
      <div class="radio radio-other">
        {options.length > 0 && (
          <input
            type="radio"
            name={id}
            data-testid="question-other"
            aria-label={t('Other')}
            checked={chosen.type === 'other'}
            onChange={() => onChoose(OTHER)}
          />
        )}
        <input
          class="input"
          data-testid="question-other-text"
          aria-label={t('Your own answer to: {0}', question.question)}
          placeholder={options.length === 0 ? t('Your answer') : t('Other: your own answer')}
          value={text}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.isComposing || event.repeat) return;
            event.preventDefault();
            if (chosen.type === 'other') onEnter();
          }}
        />
      </div>
    </fieldset>
  );
}
