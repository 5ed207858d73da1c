import { useSignal } from '@preact/signals';
import type { QuestionRequest } from '../../src/protocol/event.ts';
import { visibleText } from '../../src/protocol/text/escapeInvisible.ts';
import { answerQuestion, interrupt } from '../actions.ts';
import { decisionTitle } from './titles.ts';
import { t } from '../l10n.ts';
import { type FormField, formFieldsOf } from '../text/formFields.ts';
import { DecisionCard } from './DecisionCard.tsx';

type Elicitation = Extract<QuestionRequest, { source: 'mcp' }>;
type Value = FormField['initial'];

/** A question of an MCP server. The answer is sent only to that server. */
export function ElicitationCard({ request }: { request: Elicitation }) {
  const { questionId, server, message, requestedSchema, url } = request;
  const fields = formFieldsOf(requestedSchema);
  const values = useSignal<Readonly<Record<string, Value>>>(
    Object.fromEntries(fields.map(({ name, initial }) => [name, initial])),
  );
  const send = () => {
    const filled = Object.entries(values.value).filter(([, value]) => value !== '');
    answerQuestion({ type: 'elicitation_answer', questionId, action: 'accept', content: Object.fromEntries(filled) });
  };
  return (
    <DecisionCard
      id={questionId}
      testid="elicitation"
      icon="mcp"
      title={decisionTitle({ type: 'question', id: questionId, request })}
      answers={[
        {
          testid: 'elicitation-send',
          label: url === undefined ? t('Send to {0}', server) : t('I have opened it'),
          shortcut: 'Enter',
          act: send,
        },
        {
          testid: 'elicitation-decline',
          label: t('Decline'),
          act: () => answerQuestion({ type: 'elicitation_answer', questionId, action: 'decline' }),
        },
      ]}
      escape={interrupt}
    >
      <p class="decide-lead">
        {visibleText(message)} {url === undefined && t('What you enter is sent to {0}.', server)}
      </p>
      {url !== undefined && <Page url={url} />}
      <div class="form">
        {fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            value={values.value[field.name] ?? field.initial}
            onChange={(value) => (values.value = { ...values.value, [field.name]: value })}
          />
        ))}
      </div>
    </DecisionCard>
  );
}

/** Shows the whole address, so that the user sees where it leads. Only a web page can be opened. */
function Page({ url }: { url: string }) {
  const isWebPage = /^https?:/i.test(url);
  return (
    <p class="decide-lead">
      {isWebPage ? (
        <a class="link" href={url} data-testid="elicitation-url">
          {visibleText(url)}
        </a>
      ) : (
        <code>{visibleText(url)}</code>
      )}
    </p>
  );
}

function Field({ field, value, onChange }: { field: FormField; value: Value; onChange: (value: Value) => void }) {
  const id = `elicitation-${field.name}`;
  if (field.kind === 'boolean') {
    return (
      <>
        <span />
        <label class="check">
          <input
            type="checkbox"
            data-testid="elicitation-field"
            checked={value === true}
            onChange={({ currentTarget }) => onChange(currentTarget.checked)}
          />
          <span>{field.title}</span>
        </label>
      </>
    );
  }
  return (
    <>
      <label for={id}>{field.title}</label>
      {field.kind === 'choice' ? (
        <select
          class="input"
          id={id}
          data-testid="elicitation-field"
          value={String(value)}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        >
          {field.options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      ) : (
        <input
          class="input"
          id={id}
          data-testid="elicitation-field"
          inputMode={field.kind === 'number' ? 'decimal' : 'text'}
          value={String(value)}
          placeholder={field.description}
          onInput={({ currentTarget }) =>
            onChange(
              field.kind === 'number' && currentTarget.value !== '' ? Number(currentTarget.value) : currentTarget.value,
            )
          }
        />
      )}
    </>
  );
}
