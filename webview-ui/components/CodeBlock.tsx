import { useMemo } from 'preact/hooks';
import { copyText } from '../actions.ts';
import { post } from '../bridge.ts';
import { t } from '../l10n.ts';
import { type GrowingCode, GrowingHighlight } from '../text/growingHighlight.ts';
import { highlight, languageOf } from '../text/highlight.ts';
import type { Run } from '../text/runs.ts';
import { IconButton } from './Buttons.tsx';
import { pure } from './pure.tsx';
import { Runs } from './Runs.tsx';

/** `ts src/http/retry.ts` → a language and a name; either may be missing. */
function readInfo(info: string): { language: string; name: string } {
  const [first = '', second = ''] = info.split(/\s+/);
  const named = second.replace(/^(title|file|filename)=/, '').replace(/^["']|["']$/g, '');
  if (named !== '' && !named.startsWith('{')) return { language: first, name: named };
  return /[./]/.test(first) ? { language: languageOf(first), name: first } : { language: first, name: first };
}

function Coloured({ text, language }: { text: string; language: string }) {
  const runs = useMemo(() => highlight(text, language), [text, language]);
  return <Runs runs={runs} />;
}

/** A finished part is not rendered again. */
const Part = pure(function Part({ runs }: { runs: readonly Run[] }) {
  return <Runs runs={runs} />;
});

function Growing({ code: { parts, rest } }: { code: GrowingCode }) {
  return (
    <>
      {parts.map((runs, index) => (
        <Part key={index} runs={runs} />
      ))}
      {rest}
      <span class="caret" />
    </>
  );
}

interface CodeBlockProps {
  info: string;
  code: string;
  /** The buttons appear when the last line is there. */
  complete: boolean;
}

export const CodeBlock = pure(function CodeBlock({ info, code, complete }: CodeBlockProps) {
  const { language, name } = readInfo(info);
  const text = code.replace(/\n$/, '');
  const growing = useMemo(() => new GrowingHighlight(language), [language]);
  const title = name || t('text');
  return (
    <figure class="code" data-testid="code-block">
      <figcaption class="code-head">
        <span class="code-name">{title}</span>
        {complete && (
          <>
            <IconButton
              testid="code-insert"
              icon="insert"
              label={t('Insert at cursor')}
              onClick={() => post({ type: 'insert_code', text })}
            />
            <IconButton testid="code-copy" icon="copy" label={t('Copy code')} onClick={() => copyText(text)} />
          </>
        )}
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={t('Code, {0}', title)}>
        <code>{complete ? <Coloured text={text} language={language} /> : <Growing code={growing.update(code)} />}</code>
      </pre>
    </figure>
  );
});
