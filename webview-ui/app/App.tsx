import { settings } from '../store.ts';
import { isListOpen } from '../threads/store.ts';
import { announcement } from '../view.ts';
import { AgentBanner } from './AgentBanner.tsx';
import { Banner } from './Banner.tsx';
import { Dock } from '../dock/Dock.tsx';
import { Header } from './Header.tsx';
import { PlanLine } from './PlanLine.tsx';
import { ReadOnlyBanner } from './ReadOnlyBanner.tsx';
import { ThreadSheet } from '../threads/ThreadSheet.tsx';
import { Transcript } from '../transcript/Transcript.tsx';

/** The panel in four rows; only the transcript scrolls. */
export function App() {
  if (settings.value === null) return null;
  return (
    <div class="panel" data-testid="panel" data-list={isListOpen.value}>
      <div class="sr" role="status" aria-live="polite" data-testid="announcer">
        {announcement.value}
      </div>
      <Header />
      <Banner />
      <ReadOnlyBanner />
      <AgentBanner />
      <PlanLine />
      <div class="stage">
        <Transcript />
        <ThreadSheet />
      </div>
      <Dock />
    </div>
  );
}
