import { useId } from 'preact/hooks';
import { Icon } from '../components/Icon.tsx';
import { moveInMenu, Popup } from '../components/Popup.tsx';
import { composerFocus } from '../store.ts';
import { openPopup } from '../view.ts';
import type { Choice } from './choices.ts';

interface Section {
  readonly title: string;
  readonly choices: readonly Choice[];
}

/** A menu to set one or several values. The present choice of each has a check mark. */
export function ChoiceMenu(props: {
  testid: 'mode-menu' | 'sandbox-menu';
  label: string;
  /** The test id of the chip that opens the menu. */
  opener: string;
  className: string;
  sections: readonly Section[];
}) {
  const { testid, label, opener, className, sections } = props;
  return (
    <Popup testid={testid} label={label} opener={opener} className={`pop pop-choices ${className}`}>
      <ul role="menu" aria-label={label} onKeyDown={moveInMenu}>
        {sections.map((section) => (
          <SectionRows key={section.title} section={section} isAlone={sections.length === 1} />
        ))}
      </ul>
    </Popup>
  );
}

function SectionRows({ section: { title, choices }, isAlone }: { section: Section; isAlone: boolean }) {
  const id = useId();
  return (
    <li role="none">
      {!isAlone && (
        <p class="pop-title" id={id}>
          {title}
        </p>
      )}
      <ul role="group" aria-label={title}>
        {choices.map((choice) => (
          <li key={choice.label} role="none">
            <Row choice={choice} />
          </li>
        ))}
      </ul>
    </li>
  );
}

function Row({ choice }: { choice: Choice }) {
  const { label, detail, isCurrent = false, isRisky = false, isAction = false, run } = choice;
  const id = useId();
  return (
    <button
      type="button"
      class="pop-item pop-choice"
      role={isAction ? 'menuitem' : 'menuitemradio'}
      aria-checked={isAction ? undefined : isCurrent}
      aria-label={label}
      aria-describedby={id}
      data-testid="choice"
      onClick={() => {
        openPopup.value = null;
        run();
        composerFocus.value++;
      }}
    >
      <Icon name={isCurrent ? 'check' : 'blank'} />
      <span class="pop-words">
        <span class="pop-label">
          {label}
          {isRisky && <Icon name="warning" className="pop-risk" />}
        </span>
        <span class="pop-sub" id={id}>
          {detail}
        </span>
      </span>
    </button>
  );
}
