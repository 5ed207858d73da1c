import { useMemo } from 'preact/hooks';
import { copyText } from '../actions.ts';
import { post } from '../bridge.ts';
import { t } from '../l10n.ts';
import { type GrowingCode, GrowingHighlight } from '../text/growingHighlight.ts';
import { highlight } from '../text/highlight.ts';
import type { Run } from '../text/runs.ts';
import { commandsIn, isUnifiedDiff, readInfo } from '../text/codeInfo.ts';
import { settings } from '../store.ts';
import { IconButton } from './Buttons.tsx';
import { pure } from './pure.tsx';
import { Runs } from './Runs.tsx';

function Coloured({ text, language }: { text: string; language: string }) {
  const runs = useMemo(() => highlight(text, language), [text, language]);
  return <Runs runs={runs} />;
}

/** A finished part of the code. It is not rendered again. */
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
  /** True once the last line has arrived: then the buttons appear. */
  complete: boolean;
}

export const CodeBlock = pure(function CodeBlock({ info, code, complete }: CodeBlockProps) {
  const { language, title } = readInfo(info);
  const text = code.replace(/\n$/, '');
  const growing = useMemo(() => new GrowingHighlight(language), [language]);
  const commands = settings.value?.trusted === true ? commandsIn(language, text) : null;
  const isPatch = settings.value?.trusted === true && isUnifiedDiff(language, text);
  return (
    <figure class="code" data-testid="code-block">
      <figcaption class="code-head">
        <span class="code-name">{title}</span>
        {complete && (
          <>
            {commands !== null && (
              <IconButton
                testid="code-terminal"
                icon="terminal"
                label={t('Insert into Terminal')}
                onClick={() => post({ type: 'insert_into_terminal', text: commands })}
              />
            )}
            {language.toLowerCase() === 'mermaid' && (
              <IconButton
                testid="code-preview"
                icon="open-preview"
                label={t('Open Preview')}
                onClick={() => post({ type: 'preview_diagram', text })}
              />
            )}
            {isPatch && (
              <IconButton
                testid="code-apply"
                icon="git-pull-request-go-to-changes"
                label={t('Apply as Patch…')}
                onClick={() => post({ type: 'apply_code', text })}
              />
            )}
            <IconButton
              testid="code-insert"
              icon="insert"
              label={t('Insert at Cursor')}
              onClick={() => post({ type: 'insert_code', text })}
            />
            <IconButton
              testid="code-new-file"
              icon="new-file"
              label={t('Insert into New File')}
              onClick={() => post({ type: 'new_file', text, language })}
            />
            <IconButton testid="code-copy" icon="copy" label={t('Copy Code')} onClick={() => copyText(text)} />
          </>
        )}
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={t('Code, {0}', title)}>
        <code>{complete ? <Coloured text={text} language={language} /> : <Growing code={growing.update(code)} />}</code>
      </pre>
    </figure>
  );
});
